"""Breaking text into lines that fit a width."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WORDS = re.compile(r"\s+|\S+")
_TAB = "    "


def wrapped_lines(text: str, *, width: float, measure: Callable[[str], float]) -> list[str]:
    """The lines of `text`, broken at white space, or inside of a word that is wider than a line.

    Args:
        text: Any text with plain white space; its own line breaks are kept.
        width: The width of a line, in the unit of `measure`.
        measure: The width of a text.
    """
    return [
        line for paragraph in text.split("\n") for line in _paragraph(paragraph, width=width, measure=measure)
    ]


def plain_white_space(text: str) -> str:
    """The text with a line feed for each kind of line break, and blanks for tabs, which are not drawn."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", _TAB)


def _paragraph(text: str, *, width: float, measure: Callable[[str], float]) -> Iterator[str]:
    line = ""
    for word in _WORDS.findall(text):
        if measure(line + word) <= width:
            line += word
            continue
        if line.strip():
            yield line.rstrip()
            line = ""
        if word.isspace():
            continue
        *full, line = _pieces(line + word, width=width, measure=measure)
        yield from full
    yield line


def _pieces(word: str, *, width: float, measure: Callable[[str], float]) -> list[str]:
    pieces = [""]
    for character in word:
        if pieces[-1] and measure(pieces[-1] + character) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces
