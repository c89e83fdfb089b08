"""Lines of untrusted text that pass for lines of the document which quotes it."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from rampart.text._normalise import normalise
from rampart.text.ansi import strip_ansi
from rampart.text.fold import fold

if TYPE_CHECKING:
    from collections.abc import Callable

QUOTE_MARK = "> "


def quote_lines(text: str, /, *, where: Callable[[int, str], bool]) -> str:
    """Put `> ` before some lines of a text; nothing else about it changes.

    A line ends wherever some reader may see it end: LF, CR, VT, FF, NEL, the information separators, U+2028
    and U+2029. Lines that begin with `> ` stay as they are, so that quoting again changes nothing.

    Args:
        text: What somebody else wrote.
        where: Told the place of a line, from 0, and the line; says whether it is quoted.
    """
    return "".join(
        QUOTE_MARK + line if not line.startswith(QUOTE_MARK) and where(place, line) else line
        for place, line in enumerate(text.splitlines(keepends=True))
    )


def readings(text: str, /) -> tuple[str, ...]:
    """What readers take a text for: for comparing, never for showing.

    In small letters; without controls, invisible characters and combining marks; with look-alikes of Latin
    letters as these, every opening bracket as `[`, and each run of white space as one space. A terminal
    swallows a control sequence whole, a model sees all but its escape character: two readings then.
    """
    return tuple(map(_read, dict.fromkeys((_CONTROL.sub("", text), strip_ansi(text)))))


def _read(text: str) -> str:
    if text.isascii():
        return fold(text.translate(_ASCII_BRACKETS))
    apart = normalise("NFD", fold(text, confusables=True))
    return fold("".join(map(_read_character, apart)))


_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_ASCII_BRACKETS = str.maketrans("({", "[[")


def _read_character(character: str) -> str:
    kind = unicodedata.category(character)
    if kind in {"Mn", "Me", "Cc"}:
        return ""
    return "[" if kind == "Ps" else character
