"""Payloads made of the library's texts and what the tester stated."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.core.types import Payload
from rampart.payloads.family_file import ADDRESS_QUERY
from rampart.payloads.placeholders import fill, placeholders

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rampart.payloads.family import PayloadFamily, PayloadVariant

# Put into links, images and attributes as it is, so it may hold nothing that ends one of them.
_ADDRESS = re.compile(r"""https?://[^\s<>"'(){}|\\^`#]+""")
_ID_DIGITS = 8


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What the tester stated.

    Attributes:
        goal: What the payload wants from the agent.
        tool: The tool that the agent is to misuse.
        address: Where data is to go: a URL.
    """

    goal: str
    tool: str | None
    address: str | None

    def __post_init__(self) -> None:
        """Refuse what would make payloads that ask for nothing."""
        for name, value in vars(self).items():
            if value is None and name != "goal":
                continue
            if not isinstance(value, str):
                msg = f"{name} must be a str, got {type(value).__name__}"
                raise TypeError(msg)
            if not value.strip():
                msg = f"{name} is blank; state it in words, or a payload would ask for nothing"
                raise ValueError(msg)
            if re.search(r"[\ud800-\udfff]", value):
                msg = f"{name} holds a lone surrogate, which no UTF-8 text can: {value!r}"
                raise ValueError(msg)
        if self.address is not None and not _ADDRESS.fullmatch(self.address):
            msg = (
                f"address must be a URL that begins with http:// or https:// and has no spaces, quotes, "
                f"brackets or fragment, got {self.address!r}; a mail address belongs into the goal"
            )
            raise ValueError(msg)

    @property
    def given(self) -> dict[str, str]:
        """The parameters by name."""
        return {name: value for name, value in vars(self).items() if value is not None}


def render(
    family: PayloadFamily, variant: PayloadVariant, language: str, statement: Statement
) -> Iterator[Payload]:
    """The payload of one variant in one language; several where it is split into parts."""
    values = statement.given
    if statement.address is not None:
        values[ADDRESS_QUERY] = statement.address + ("&" if "?" in statement.address else "?")
    texts = variant.texts[language]
    used = {one.name for text in texts for one in placeholders(text)}
    phrases = {name: fill(family.phrases[name][language], values) for name in used if name in family.phrases}
    contents = [fill(text, values | phrases) for text in texts]
    group = f"{family.id}.{variant.id}.{language}"
    digest = hashlib.sha256("\0".join(contents).encode()).hexdigest()[:_ID_DIGITS]
    for number, content in enumerate(contents, start=1):
        metadata = _metadata(family, variant, language, statement)
        if len(contents) > 1:
            metadata |= {"part": number, "parts": len(contents), "group": f"{group}.{digest}"}
        carried = _carried_text(family, variant, language, phrases)
        if carried is not None:
            metadata["carried_text"] = carried
        part = f".part{number}" if len(contents) > 1 else ""
        yield Payload(content=content, id=f"{group}.{digest}{part}", format=variant.format, metadata=metadata)


def _carried_text(
    family: PayloadFamily, variant: PayloadVariant, language: str, phrases: Mapping[str, str]
) -> str | None:
    """The order without what stands around it, where it stands in markup, code or a message.

    Whether the payload was delivered is decided by the order: a reader may drop a comment and keep the rest.
    """
    if variant.encodings:
        return None
    names = [one.name for text in variant.texts[language] for one in placeholders(text)]
    carrying = (
        name
        for name in names
        if name in phrases and any(one.name == "goal" for one in placeholders(family.phrases[name][language]))
    )
    return next((phrases[name] for name in carrying), None)


def _metadata(
    family: PayloadFamily, variant: PayloadVariant, language: str, statement: Statement
) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "family": family.id,
        "technique": family.name,
        "description": family.description,
        "variant": variant.id,
        "language": language,
        "placements": list(variant.placements),
        "encodings": list(variant.encodings),
        "owasp_llm": list(family.owasp_llm),
        "owasp_agentic": list(family.owasp_agentic),
        "atlas": list(family.atlas),
    }
    return metadata | {name: statement.given[name] for name in variant.parameters}
