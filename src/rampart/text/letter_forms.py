"""The same words in other letters: full-width forms, look-alikes of other scripts, digits for letters."""

from __future__ import annotations

_FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)} | {0x20: 0x3000}
_FROM_FULL_WIDTH = {wide: plain for plain, wide in _FULL_WIDTH.items()}

# Cyrillic where there is a twin, else Greek, Armenian or Latin small capitals; drawn up by eye. Letters
# without a convincing twin stay.
_LOOK_ALIKES = str.maketrans(
    "ABCEHIJKMOPQSTWXYZacdeghijlnopqsuvwxy",
    "АВСЕНІЈКМОРԚЅТԜХҮΖасԁеɡһіјӏոорԛѕսѵԝху",
)
_FROM_LOOK_ALIKES = {other: latin for latin, other in _LOOK_ALIKES.items()}

_LEET = str.maketrans("AaEeGgIiOoSsTtZz", "4433991100557722")


def to_full_width(text: str, /) -> str:
    """The text with each visible ASCII character as its full-width form, and U+3000 for a space."""
    return text.translate(_FULL_WIDTH)


def from_full_width(text: str, /) -> str:
    """Plain ASCII for full-width forms: the exact inverse of `to_full_width` for texts that had none."""
    return text.translate(_FROM_FULL_WIDTH)


def to_look_alikes(text: str, /) -> str:
    """The text with Latin letters replaced by letters of other scripts that look like them.

    The words read the same and are other strings; `rampart.text.fold` with `confusables` undoes it.
    """
    return text.translate(_LOOK_ALIKES)


def from_look_alikes(text: str, /) -> str:
    """Latin letters for look-alikes: the exact inverse of `to_look_alikes` for texts that had none."""
    return text.translate(_FROM_LOOK_ALIKES)


def to_leetspeak(text: str, /) -> str:
    """The text with digits for the letters a, e, g, i, o, s, t and z; this cannot be undone."""
    return text.translate(_LEET)
