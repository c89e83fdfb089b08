"""Searching a text for formats that a data file describes, in pieces that hold nothing up for long."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_PIECE = 65_536
_OVERLAP = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One kind of what is looked for.

    Attributes:
        kind: Its name.
        pattern: What it looks like.
        keywords: One of these has to be in the text; empty where anything may be.
        check: The name of what else has to hold.
        entropy: Bits for each character.
        cue: A word near it, without which it is too weak to be told from other numbers.
        form: What needs no cue.
        optional: Whether it is looked for only where it is named.
    """

    kind: str
    pattern: re.Pattern[str]
    keywords: tuple[str, ...] = ()
    check: str = ""
    entropy: float = 0.0
    cue: re.Pattern[str] | None = None
    form: re.Pattern[str] | None = None
    optional: bool = False


def read_formats(name: str, /) -> dict[str, Format]:
    """The formats of a data file beside this one, by kind."""
    data = tomllib.loads(files("rampart.evaluators").joinpath(name).read_text(encoding="utf-8"))
    return {kind: _format(kind, entry) for kind, entry in data.items()}


def chosen_formats(known: dict[str, Format], kinds: Collection[str] | None, /) -> tuple[Format, ...]:
    """The formats of some kinds, or of all that need not be asked for.

    Raises:
        TypeError: If `kinds` is a str or no collection.
        ValueError: If a kind is not known, or none is given.
    """
    if kinds is None:
        return tuple(one for one in known.values() if not one.optional)
    given: object = kinds
    if isinstance(given, str) or not isinstance(given, list | tuple | set | frozenset):
        msg = f"kinds is {given!r}, expected a list of {', '.join(known)}"
        raise TypeError(msg)
    unknown = [kind for kind in kinds if kind not in known]
    if unknown or not kinds:
        what = f"holds {unknown[0]!r}" if unknown else "is empty"
        msg = f"kinds {what}, expected some of {', '.join(known)}"
        raise ValueError(msg)
    return tuple(known[kind] for kind in dict.fromkeys(kinds))


def matches_in(one: Format, text: str, /) -> Iterator[tuple[int, int, re.Match[str]]]:
    """Where a text matches a format: begin and end in the text, and the match in its piece."""
    if one.keywords and not any(keyword in text for keyword in one.keywords):
        return
    end = 0
    for start in range(0, max(len(text), 1), _PIECE):
        begin = max(0, start - _OVERLAP)
        piece = text if len(text) <= _PIECE else text[begin : start + _PIECE]
        if one.keywords and not any(keyword in piece for keyword in one.keywords):
            continue
        for match in one.pattern.finditer(piece):
            at = begin + match.start()
            if at >= end:
                # A match that the end of the piece cuts off is found whole in the next one.
                if match.end() == len(piece) and begin + match.end() < len(text):
                    break
                end = begin + match.end()
                yield at, end, match


def _format(kind: str, entry: dict[str, Any]) -> Format:
    def compiled(name: str) -> re.Pattern[str] | None:
        return re.compile(entry[name], re.IGNORECASE) if name in entry else None

    return Format(
        kind=kind,
        pattern=re.compile(entry["pattern"]),
        keywords=tuple(entry.get("keyword", ())),
        check=entry.get("check", ""),
        entropy=entry.get("entropy", 0.0),
        cue=compiled("cue"),
        form=compiled("form"),
        optional=entry.get("optional", False),
    )
