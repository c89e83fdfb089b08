"""Text stored backwards and shown forwards, by the controls of the bidirectional algorithm (UAX #9)."""

from __future__ import annotations

import re
import unicodedata

_OPEN = "\u2066\u202e"
"""LEFT-TO-RIGHT ISOLATE keeps what stands around out of it, RIGHT-TO-LEFT OVERRIDE turns it round."""
_CLOSE = "\u202c\u2069"
"""POP DIRECTIONAL FORMATTING and POP DIRECTIONAL ISOLATE."""

_JOINER = "\u200d"
_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# The algorithm treats each piece between these by itself (classes B and S).
_SEPARATORS = re.compile("([\t\n\v\r\x1c-\x1f\x85\u2029]+)")
_REVERSED = re.compile(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}")
# Shown as their mirror image where the direction is right to left.
_PAIRS = "()[]{}<>«»‹›≤≥⟨⟩〈〉《》「」『』【】〔〕（）［］｛｝＜＞"
_MIRRORED = str.maketrans(_PAIRS, "".join(_PAIRS[place ^ 1] for place in range(len(_PAIRS))))


def to_reversed(text: str, /) -> str:
    """The text in reverse order, wrapped so that a screen shows it in its right order.

    Whoever reads the characters in their stored order sees nonsense. Each line, and each piece between tabs,
    is wrapped by itself; white space at its ends stays outside. A letter keeps its marks and a joined emoji
    its parts (flags do not), and brackets are exchanged, since a screen mirrors them.

    Raises:
        ValueError: If the text has letters that are written from right to left, which would show backwards,
            or directional controls of its own.
    """
    for character in text:
        if character in _CONTROLS or unicodedata.bidirectional(character) in {"R", "AL"}:
            why = "is a directional control" if character in _CONTROLS else "is written from right to left"
            msg = f"cannot be wrapped to show in its right order: U+{ord(character):04X} {why}"
            raise ValueError(msg)
    return "".join(
        piece if number % 2 else _wrapped(piece) for number, piece in enumerate(_SEPARATORS.split(text))
    )


def from_reversed(text: str, /) -> str:
    """The text behind `to_reversed`; what is not wrapped stays."""
    return _REVERSED.sub(lambda found: _turned(found[1]), text)


def _wrapped(piece: str) -> str:
    core = piece.strip()
    while core and _extends(core[0]):
        core = core[1:]
    core = core.rstrip(_JOINER)
    if not core:
        return piece
    before, _, after = piece.partition(core)
    return f"{before}{_OPEN}{_turned(core)}{_CLOSE}{after}"


def _turned(text: str) -> str:
    clusters: list[str] = []
    for character in text:
        if clusters and (_extends(character) or clusters[-1].endswith(_JOINER)):
            clusters[-1] += character
        else:
            clusters.append(character)
    return "".join(reversed(clusters)).translate(_MIRRORED)


def _extends(character: str) -> bool:
    """Tell whether a character belongs to the one before it: a mark, an emoji's joiner or skin tone."""
    return (
        unicodedata.category(character) in {"Mn", "Me", "Mc"}
        or character == _JOINER
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )
