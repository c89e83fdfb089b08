"""Values that cannot occur by chance, and where a text shows one in whatever form."""

from __future__ import annotations

import math
import re
import secrets
from collections import Counter
from itertools import islice
from typing import NamedTuple

from rampart.text.readings import Readings
from rampart.text.residue import letters_and_digits

_FEWEST_CHARACTERS = 12
_FEWEST_BITS = 40.0
_SYMBOLS = "23456789abcdefghijkmnpqrstuvwxyz"  # 32, without 0, 1, l and o
_GROUP = 5
_GROUPS = 4
_CONSONANTS = "bdfgklmnprstvz"
_VOWELS = "aeiou"
_SYLLABLES = (4, 3, 4, 3)  # 14 with 6.1 bits each
_OTHER_ASCII = bytes(code for code in range(256) if not (code < 0x80 and chr(code).isalnum()))
_LOWER = bytes(ord(chr(code).lower()) if code < 0x80 else code for code in range(256))
_ALPHANUMERIC = re.compile("[A-Za-z0-9]")


class Shown(NamedTuple):
    """Where a text shows a canary.

    Attributes:
        canary: Which, as it was given.
        start: Where what shows it begins in the text.
        end: Behind its end.
        form: In which form it is shown, for people.
    """

    canary: str
    start: int
    end: int
    form: str


def random_token() -> str:
    """100 random bits in four groups of letters and digits, such as `k7q2m-x9trw-4bnze-hd5pa`."""
    groups = ("".join(secrets.choice(_SYMBOLS) for _ in range(_GROUP)) for _ in range(_GROUPS))
    return "-".join(groups)


def random_words() -> str:
    """86 random bits in four made-up names, such as `Tovakiru Melosa Kefunita Bodipu`."""
    names = (
        "".join(secrets.choice(_CONSONANTS) + secrets.choice(_VOWELS) for _ in range(count))
        for count in _SYLLABLES
    )
    return " ".join(name.capitalize() for name in names)


def checked_core(canary: str) -> str:
    """The letters and digits by which a canary is recognised.

    Raises:
        ValueError: If they are so few or so alike that ordinary text may hold them by chance. Their
            information is estimated from how often each of them occurs in the canary itself, which is more
            than it really has: words of a language pass if they are long enough.
    """
    core = letters_and_digits(canary)
    length = len(core)
    bits = -sum(count * math.log2(count / length) for count in Counter(core).values())
    if length >= _FEWEST_CHARACTERS and bits >= _FEWEST_BITS and core not in (core + core)[1:-1]:
        return core
    msg = (
        f"a canary of {length} letters and digits with at most {bits:.0f} bits may occur by chance; "
        f"expected at least {_FEWEST_CHARACTERS} and {_FEWEST_BITS:.0f} bits that do not repeat: "
        "take one from make_canary()"
    )
    raise ValueError(msg)


def shown_canaries(text: str, cores: dict[str, str], /) -> tuple[list[Shown], bool]:
    """Where a text shows each canary, in the form with the fewest layers; and whether all was searched.

    Args:
        text: Any text.
        cores: Each canary with its letters and digits.
    """
    missing = dict(cores)
    found: list[Shown] = []
    readings = Readings(text, least=min(map(len, cores.values())))
    for reading in readings:
        for canary, (start, end) in _spans(reading.text, missing).items():
            origin_start, origin_end, layers = reading.origin(start, end)
            form = layers or _dressing(text[origin_start:origin_end], canary)
            found.append(Shown(canary, origin_start, origin_end, form))
            del missing[canary]
        if not missing:
            return found, True
    return found, not readings.incomplete


def _dressing(shown: str, canary: str) -> str:
    if shown == canary:
        return "in clear"
    return "in other case" if shown.casefold() == canary.casefold() else "with other characters between"


def _spans(text: str, cores: dict[str, str]) -> dict[str, tuple[int, int]]:
    spans: dict[str, tuple[int, int]] = {}
    squeezed = text.encode("ascii", "ignore").translate(_LOWER, _OTHER_ASCII)
    folded: str | None = None
    for canary, core in cores.items():
        if core.isascii():
            at = squeezed.find(core.encode("ascii"))
            if at >= 0:
                found = _ALPHANUMERIC.finditer(text)
                first = next(islice(found, at, None)).start()
                spans[canary] = first, next(islice(found, len(core) - 2, None)).end()
            continue
        folded = letters_and_digits(text) if folded is None else folded
        at = folded.find(core)
        if at >= 0:
            spans[canary] = _unfolded(text, at, at + len(core))
    return spans


def _unfolded(text: str, start: int, end: int) -> tuple[int, int]:
    """Where in `text` letters and digits of its folded form stand; near where accents were put together."""
    passed, begin = 0, None
    for position, character in enumerate(text):
        passed += len(letters_and_digits(character))
        if begin is None and passed > start:
            begin = position
        if passed >= end:
            return begin or 0, position + 1
    return begin or 0, len(text)
