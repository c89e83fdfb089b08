"""Letters and digits under whatever Unicode dresses them in."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import NamedTuple

from rampart.text._normalise import normalise

_PIECE = 32_768
"""Characters that are worked on in one go: nothing may hold the interpreter for long."""

# Letters in boxes and circles, for which Unicode has no compatibility mapping: the first of 26.
_BOXED = (0x1F150, 0x1F170, 0x1F1E6)
_CIRCLED_DIGITS = (0x2776, 0x2780, 0x278A)  # three styles of 1 to 10
_TAGS = range(0xE0020, 0xE007F)


class Compatible(NamedTuple):
    """A text in plain letters, and how long each piece of it became.

    Attributes:
        text: Compatibility forms resolved, accents set apart, invisible characters left out.
        lengths: How many characters each piece of the original gave.
    """

    text: str
    lengths: tuple[int, ...]


def compatible(text: str, /) -> Compatible:
    """Resolve `text` piece by piece."""
    pieces = [_resolved(text[start : start + _PIECE]) for start in range(0, len(text), _PIECE)]
    return Compatible("".join(pieces), tuple(map(len, pieces)))


def original_span(text: str, made: Compatible, start: int, end: int) -> tuple[int, int]:
    """Where in `text` stands what became `made.text[start:end]`."""
    return _original(text, made, start), _original(text, made, end - 1) + 1


def _original(text: str, made: Compatible, wanted: int) -> int:
    passed = 0
    for number, length in enumerate(made.lengths):
        if passed + length > wanted:
            return _within(text, number * _PIECE, wanted - passed)
        passed += length
    return len(text) - 1


def _within(text: str, begin: int, wanted: int) -> int:
    """Character by character: marks that change places or join make this near, not exact."""
    passed = 0
    for position in range(begin, min(begin + _PIECE, len(text))):
        passed += len(_resolved(text[position]))
        if passed > wanted:
            return position
    return min(begin + _PIECE, len(text)) - 1


def _resolved(piece: str) -> str:
    if piece.isascii():
        return piece
    return normalise("NFD", normalise("NFKC", piece.translate(_plain_characters())))


@cache
def _plain_characters() -> dict[int, str | None]:
    from rampart.text._characters import is_ignorable  # noqa: PLC0415  # only text beyond ASCII needs it

    table: dict[int, str | None] = {
        code: None for code in (*range(0x80, 0x20000), *range(0xE0000, 0xE1000)) if is_ignorable(chr(code))
    }
    table.update({first + place: chr(ord("A") + place) for first in _BOXED for place in range(26)})
    table.update({first + place: str(place + 1) for first in _CIRCLED_DIGITS for place in range(9)})
    table.update({code: chr(code - 0xE0000) for code in _TAGS})  # tags mirror ASCII
    table.update({code: None for code in range(0x300, 0x370) if unicodedata.combining(chr(code))})
    return table
