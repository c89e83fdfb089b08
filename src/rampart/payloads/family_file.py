"""Families as the data files hold them, read strictly: a slip in a file is an error, not a weaker attack.

A file is TOML and named after its family. Besides the facts of the family it has:

    [phrases.say]            # optional: text by language, put into variants as {{say}}
    en = "... {{goal}} ..."

    [[variants]]
    id = "comment"
    placements = ["web_comment"]     # optional, else those of the family
    format = "html"                  # optional, else that of the family, else "text"
    text = "<!-- {{say|html}} -->"   # one text for every language of its phrases
    # or [variants.texts] with a text for each language

A text is a list of texts where the payload is split into parts.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, NoReturn

from rampart.core.errors import SchemaError
from rampart.core.types import PayloadFormat
from rampart.payloads.family import PARAMETERS, PayloadFamily, PayloadVariant
from rampart.payloads.placeholders import placeholders, without_placeholders
from rampart.payloads.placements import PLACEMENTS
from rampart.payloads.taxonomy import taxonomies
from rampart.payloads.text_filters import ENCODINGS, FILTERS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

ADDRESS_QUERY = "address_query"
"""A placeholder: the address, ready for `name=value` to be appended."""

_OF_PARAMETER = {**{name: name for name in PARAMETERS}, ADDRESS_QUERY: "address"}
_FACTS = ("name", "description", "owasp_llm", "owasp_agentic", "atlas")
_TEXT_FORMATS = {one.value: one for one in PayloadFormat if one.is_text}


def read_family(text: str, *, family_id: str) -> PayloadFamily:
    """A family from the text of its file.

    Raises:
        SchemaError: If the file breaks a rule, naming the family and the rule.
    """
    return _Reader(family_id).family(text)


class _Reader:
    """Reads one file; keeps what its variants refer to."""

    def __init__(self, family_id: str) -> None:
        self._id = family_id
        self._phrases: dict[str, dict[str, str]] = {}
        self._placements: tuple[str, ...] = ()
        self._format = PayloadFormat.TEXT.value

    def family(self, text: str) -> PayloadFamily:
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            self._refuse(f"is no TOML: {error}")
        self._keys(data, required=(*_FACTS, "placements", "variants"), optional=("format", "phrases"))
        self._phrases = data.get("phrases", {})
        self._check_phrases()
        self._placements = self._names(data["placements"], known=PLACEMENTS, what="placement")
        self._format = data.get("format", self._format)
        variants = tuple(self._variant(one) for one in data["variants"])
        ids = [one.id for one in variants]
        if not ids or len(set(ids)) != len(ids):
            self._refuse(f"needs variants with distinct ids, has {ids}")
        return PayloadFamily(
            id=self._id,
            name=data["name"],
            description=data["description"],
            **{name: self._names(data[name], known=ids, what="tag") for name, ids in taxonomies().items()},
            variants=variants,
            phrases=self._phrases,
        )

    def _check_phrases(self) -> None:
        languages = {tuple(sorted(by_language)) for by_language in self._phrases.values()}
        if len(languages) > 1:
            self._refuse("has phrases in different languages")
        for name, by_language in self._phrases.items():
            if name in _OF_PARAMETER:
                self._refuse(f"has a phrase {name!r}, which is the name of a parameter")
            for phrase in by_language.values():
                self._check_text(phrase, known=_OF_PARAMETER)

    def _variant(self, data: dict[str, Any]) -> PayloadVariant:
        self._keys(data, required=("id",), optional=("placements", "format", "text", "texts"))
        if ("text" in data) == ("texts" in data):
            self._refuse(f"variant {data['id']!r} needs either 'text' or 'texts'")
        texts = {language: _parts(text) for language, text in self._texts(data).items()}
        everything = [part for parts in texts.values() for part in parts]
        for part in everything:
            self._check_text(part, known={*_OF_PARAMETER, *self._phrases})
        value = data.get("format", self._format)
        if value not in _TEXT_FORMATS:
            self._refuse(f"variant {data['id']!r} has the format {value!r}, which is no text format")
        used = {name for part in everything for name in self._parameters(part)}
        if "goal" not in used:
            self._refuse(f"variant {data['id']!r} does not carry the goal")
        placements = data.get("placements")
        return PayloadVariant(
            id=data["id"],
            texts=texts,
            parameters=tuple(name for name in PARAMETERS if name in used),
            placements=self._placements
            if placements is None
            else self._names(placements, known=PLACEMENTS, what="placement"),
            format=_TEXT_FORMATS[value],
            encodings=tuple(
                dict.fromkeys(
                    name
                    for part in everything
                    for one in placeholders(part)
                    for name in one.filters
                    if name in ENCODINGS
                )
            ),
        )

    def _texts(self, data: Mapping[str, Any]) -> dict[str, Any]:
        if "texts" in data:
            return dict(data["texts"])
        languages = next(iter(self._phrases.values()), {})
        if not languages:
            self._refuse(f"variant {data['id']!r} has one text for all languages, but there are no phrases")
        return dict.fromkeys(languages, data["text"])

    def _parameters(self, text: str) -> Iterator[str]:
        for one in placeholders(text):
            if one.name in _OF_PARAMETER:
                yield _OF_PARAMETER[one.name]
            else:
                for phrase in self._phrases[one.name].values():
                    yield from self._parameters(phrase)

    def _check_text(self, text: str, *, known: Collection[str]) -> None:
        for one in placeholders(text):
            if one.name not in known:
                self._refuse(f"has a placeholder {one.name!r}, which is none of {', '.join(sorted(known))}")
            for name in one.filters:
                if name not in FILTERS:
                    self._refuse(f"has a filter {name!r}, which is none of {', '.join(FILTERS)}")
        rest = without_placeholders(text)
        if "{{" in rest or "}}" in rest:
            self._refuse(f"has braces that are no placeholder in {rest!r}")

    def _keys(self, data: Mapping[str, Any], *, required: Collection[str], optional: Collection[str]) -> None:
        missing = [key for key in required if not data.get(key)]
        unknown = [key for key in data if key not in required and key not in optional]
        if missing or unknown:
            self._refuse(f"lacks {missing} and has the unknown {unknown}")

    def _names(self, names: list[str], *, known: Collection[str], what: str) -> tuple[str, ...]:
        for name in names:
            if name not in known:
                self._refuse(f"has a {what} {name!r}, which is none of {', '.join(known)}")
        return tuple(names)

    def _refuse(self, why: str) -> NoReturn:
        msg = f"payload family {self._id!r} {why}"
        raise SchemaError(msg)


def _parts(text: str | list[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)
