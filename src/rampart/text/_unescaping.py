"""Escapes and spelled-out letters turned into the characters they stand for, with a way back to the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from rampart.text.references import unescape_references

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ESCAPES = re.compile(
    # Begins with one class of characters, so that ordinary text is passed over fast.
    r"[%&\\uU=](?:"
    r"(?P<percent>(?<=%)[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2}){0,63})"
    r"|(?P<html>(?<=&)(?:#[0-9]{1,8}|#[xX][0-9A-Fa-f]{1,7}|[A-Za-z][A-Za-z0-9]{1,30});?)"
    r"|(?P<backslash>(?<=\\)\\{0,7}(?:[uU][dD][89abAB][0-9A-Fa-f]{2}\\{1,8}[uU][dD][c-fC-F][0-9A-Fa-f]{2}"
    r"|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|x\{[0-9A-Fa-f]{1,6}\}"
    r"|[0-3][0-7]{2}|[^\\]))"
    r"|(?P<codepoint>(?<=[uU])\+(?:10|0)?[0-9A-Fa-f]{4,5}(?![0-9A-Fa-f])[ ,;]?)"
    r"|(?P<quoted>(?<==)(?:[0-9A-F]{2}(?:=[0-9A-F]{2}){1,63}|\r?\n))"
    r")"
)
_NAMES = {
    "percent": "percent-encoding",
    "html": "HTML character references",
    "backslash": "backslash escapes",
    "codepoint": "code points",
    "quoted": "quoted-printable",
}
_BLANK = frozenset("nrtbfav0e\n")
_HEX = re.compile("[0-9A-Fa-f]+")
_LAST = 0x10FFFF
_FAR = 1 << 62
_PIECE = 65_536
_LONGEST = 256
_NEAR = 100
"""Characters on both sides of an escape that may belong to the same encoded text."""

_CODE_WORDS = (
    "alfa", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett", "kilo",
    "lima", "mike", "november", "oscar", "papa", "quebec", "romeo", "sierra", "tango", "uniform", "victor",
    "whiskey", "xray", "yankee", "zulu",
)  # fmt: skip
_VARIANTS = {"alpha": "a", "juliet": "j", "whisky": "w", "x-ray": "x"}
_DIGIT_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_FILLERS = (
    "dash", "hyphen", "minus", "dot", "space", "capital", "uppercase", "lowercase", "upper", "lower",
    "case", "letter", "digit", "number", "and", "then",
)  # fmt: skip
_LETTER_OF = {
    **{word: word[0] for word in _CODE_WORDS},
    **_VARIANTS,
    **{word: str(digit) for digit, word in enumerate(_DIGIT_WORDS)},
    **dict.fromkeys(_FILLERS, ""),
}
_SPELLED = re.compile(
    r"(?P<letter>\w)\W{1,3}(?:as\W{1,3}in|for|like)\W{1,3}\w[\w-]{0,30}"
    rf"|(?P<word>{'|'.join(sorted(_LETTER_OF, key=len, reverse=True))})",  # what stands before may touch it
    re.IGNORECASE,
)
_SPACED = re.compile(r"(?:[^\n\t] |\S[\n\t]){12,4000}\S")
_SPACE_CLASSES = bytes(ord(" " if code in b"\t\n " else "x") for code in range(256))
_ALTERNATING = b"x " * 4
_FEWEST_WORDS = 6
_FEWEST_PHRASES = 6


class Replaced(NamedTuple):
    """A text some of whose parts were replaced.

    Attributes:
        text: What came of it.
        pattern: What found the parts.
        replace: What each became.
        names: How each group of the pattern is called.
    """

    text: str
    pattern: re.Pattern[str]
    replace: Callable[[re.Match[str]], str]
    names: dict[str, str]

    def original_span(self, text: str, start: int, end: int) -> tuple[int, int, str]:
        """Where in `text` stands what became `self.text[start:end]`, and what was replaced there."""
        shift = 0  # how much longer the original was so far
        begin: int | None = None
        kinds: dict[str, None] = {}
        for match in self.pattern.finditer(text):
            made_from = match.start() - shift
            made_to = made_from + len(self.replace(match))
            if begin is None and start < made_to:
                begin = match.start() if start >= made_from else start + shift
            if made_from >= end:
                break
            if made_to > start:
                kinds[self.names[match.lastgroup or ""]] = None
            shift = match.end() - made_to
            if made_to >= end:
                return (match.start() if begin is None else begin), match.end(), " and ".join(kinds)
        return (start + shift if begin is None else begin), end + shift, " and ".join(kinds)


class Excerpt(NamedTuple):
    """Parts of a text, one after another.

    Attributes:
        text: The parts, with line breaks between.
        starts: Where each begins in the excerpt and in the text.
    """

    text: str
    starts: tuple[tuple[int, int], ...]

    def original(self, position: int) -> int:
        """Where a character of the excerpt stands in the text."""
        here, there = self.starts[bisect_right(self.starts, (position, _FAR)) - 1]
        return there + position - here


def around_escapes(text: str, /) -> Excerpt:
    """What stands near escapes: in a long text with few of them, that is all that has to be read again."""
    if not any(mark in text for mark in ("%", "&", "\\", "U+", "u+", "=")):
        return Excerpt("", ())
    parts: list[str] = []
    starts: list[tuple[int, int]] = []
    length = begin = end = 0
    for match in _escapes_in(text):
        if match.start() - _NEAR > end:
            if end:
                starts.append((length, begin))
                parts.append(text[begin:end])
                length += end - begin + 1
            begin = max(0, match.start() - _NEAR)
        end = match.end() + _NEAR
    if end:
        starts.append((length, begin))
        parts.append(text[begin:end])
    return Excerpt("\n".join(parts), tuple(starts))


def _escapes_in(text: str) -> Iterator[re.Match[str]]:
    """All escapes, looked for in pieces: a long text without any must not hold the interpreter for long."""
    passed = 0
    for start in range(0, len(text), _PIECE):
        for match in _ESCAPES.finditer(text, max(start, passed), start + _PIECE + _LONGEST):
            passed = match.end()
            yield match


def without_escapes(text: str, /) -> Replaced | None:
    """Percent-encoding, HTML, JSON, C and quoted-printable escapes read once; None where there are none."""
    made = _ESCAPES.sub(_unescaped, text)
    return None if made == text else Replaced(made, _ESCAPES, _unescaped, _NAMES)


def without_spelling(text: str, /) -> Replaced | None:
    """Letters for `S as in Sierra`, code words and number words; None where that is not how it is written."""
    lower = text.lower()
    if (
        lower.count(" as in ") < _FEWEST_PHRASES
        and sum(word in lower for word in _CODE_WORDS) < _FEWEST_WORDS
    ):
        return None
    made = _SPELLED.sub(_letter, text)
    names = {"letter": "spelled out", "word": "spelled out"}
    return None if made == text else Replaced(made, _SPELLED, _letter, names)


def separated_characters(text: str, /) -> Iterator[re.Match[str]]:
    """Rows of characters that stand one by one with a space or line break between."""
    classes = text.encode("ascii", "replace").translate(_SPACE_CLASSES)
    if _ALTERNATING in classes:  # far faster than the pattern
        yield from _SPACED.finditer(text)


def _letter(match: re.Match[str]) -> str:
    return match["letter"] or _LETTER_OF[match["word"].lower()]


def _unescaped(match: re.Match[str]) -> str:
    found, kind = match[0], match.lastgroup
    if kind == "percent":
        return unquote(found, errors="surrogateescape")
    if kind == "html":
        return unescape_references(found)
    if kind == "quoted":
        return unquote(found.replace("=", "%"), errors="surrogateescape") if found[1] not in "\r\n" else ""
    if kind == "codepoint":
        return _character(found[2:].rstrip(" ,;"))
    escape = found.lstrip("\\")
    if len(escape) == 1:
        return " " if escape in _BLANK else escape
    if escape[0].isdigit():
        return chr(int(escape, 8))
    codes = _HEX.findall(escape.replace("u", " ").replace("U", " "))
    if len(codes) == 2:  # a pair of surrogates is one character
        pair = "".join(chr(int(code, 16)) for code in codes)
        return pair.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _character(codes[0])


def _character(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if code <= _LAST else "\ufffd"
