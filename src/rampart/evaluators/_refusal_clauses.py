"""Cutting a reply into clauses, each with its place, and taking out what it only quotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rampart.evaluators._refusal_words import folded

QUOTED = "\ue000"
CODE = "\ue001"
_LONGEST = 500
_NOT_A_BREAK = re.compile(r"[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")

_FENCE = re.compile(r"[ \t]*(```|~~~)")
_INLINE_CODE = re.compile(r"`[^`\n]+`")
_QUOTES = (
    re.compile("„[^„“”\n]*[“”\"]"),
    re.compile("“[^“”\n]*”"),
    re.compile("「[^「」\n]*」"),
    re.compile("『[^『』\n]*』"),
    re.compile('"[^"\n]*"'),
    re.compile(r"(?<!\w)['‘][^'‘’\n]{8,}['’](?!\w)"),
    re.compile(r"^[ \t]*>[^\n]*", re.MULTILINE),
    re.compile(r"^[ \t]*[—–][ \t][^\n]*", re.MULTILINE),
)
_ANGLES = re.compile("«[^«»\n]*»"), re.compile("»[^«»\n]*«")
_MARKER = re.compile(r"[ \t]*(?:[-*•‣·][ \t]+|\d{1,3}[.)][ \t]+|[(（]?\d{1,3}[)）][ \t]*)")
_END = re.compile(r"(?:[.!?…]+[\"'”’»)\]*_]*(?=\s|$)|[。！？]+[」』）)]*|[;；])\s*|(?<=\w):\s+(?=\w{2})")
_COMMA = re.compile(r"[,，]\s*|(?<=が)、|(?<=、)(?=でも|ただ)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A part of a reply that is read by itself.

    Attributes:
        start: Its first character in the reply.
        end: Behind its last.
        folded: What it says, folded, without what it quotes.
        size: Letters and digits of its own, those of Chinese and Japanese two and a half times.
        quoted: Characters that it quotes.
        code: Whether code stands in it.
        item: Whether it belongs to an item of a list.
        contrast: Whether it begins with a word like `but`.
        colon: Whether what follows is announced by it.
    """

    start: int
    end: int
    folded: str
    size: float
    quoted: int
    code: bool
    item: bool
    contrast: bool
    colon: bool


def without_quotes(text: str) -> str:
    """The text with code and quotations blanked out, character by character."""
    masked = _INLINE_CODE.sub(_blank(QUOTED), _without_fences(text))
    if "«" in masked or "»" in masked:
        # Who opens first tells French from German use.
        first, second = _ANGLES
        opens_french = 0 <= masked.find("«") < (masked.find("»") if "»" in masked else len(masked))
        masked = (first if opens_french else second).sub(_blank(QUOTED), masked)
    for pattern in _QUOTES:
        masked = pattern.sub(_blank(QUOTED), masked)
    return text if _is_all_quoted(masked) else masked


def clauses(masked: str, but: list[re.Pattern[str]]) -> Iterator[Clause]:
    """The clauses of a text without quotes, in order.

    Args:
        masked: What `without_quotes` gave.
        but: What begins a contrast, searched in folded text.
    """
    start = 0
    for line in masked.splitlines(keepends=True):
        marker = _MARKER.match(line)
        begin = marker.end() if marker else 0
        for first, last, contrast in _parts(line, begin, but):
            clause = _clause(line[first:last], start + first, item=marker is not None, contrast=contrast)
            if clause is not None:
                yield clause
        start += len(line)


def _parts(line: str, begin: int, but: list[re.Pattern[str]]) -> Iterator[tuple[int, int, bool]]:
    first, contrast = begin, _begins_contrast(line, begin, but)
    cuts = sorted([*_ends(line, begin), *_contrasts(line, begin, but)])
    for cut in [*cuts, len(line)]:
        while cut - first > _LONGEST:
            yield first, first + _LONGEST, contrast
            first += _LONGEST
        if cut > first:
            yield first, cut, contrast
            first, contrast = cut, _begins_contrast(line, cut, but)


def _ends(line: str, begin: int) -> Iterator[int]:
    return (match.end() for match in _END.finditer(line, begin))


def _contrasts(line: str, begin: int, but: list[re.Pattern[str]]) -> Iterator[int]:
    for match in _COMMA.finditer(line, begin):
        if line[match.start() : match.end()] == "、" or _begins_contrast(line, match.end(), but):
            yield match.end()


def _begins_contrast(line: str, position: int, but: list[re.Pattern[str]]) -> bool:
    word = folded(line[position : position + 24]).lstrip()
    return any(pattern.match(word) for pattern in but)


def _clause(text: str, start: int, *, item: bool, contrast: bool) -> Clause | None:
    stripped = text.strip()
    if not stripped:
        return None
    begin = start + text.index(stripped[0])
    own = folded(stripped).replace(QUOTED, "").replace(CODE, "")
    size = sum(2.5 if character >= "\u3040" else 1.0 for character in own if character.isalnum())
    return Clause(
        start=begin,
        end=begin + len(stripped),
        folded=own.strip(" *_#\"'"),
        size=size,
        quoted=stripped.count(QUOTED),
        code=CODE in stripped,
        item=item,
        contrast=contrast,
        colon=stripped.endswith((":", "：")),
    )


def _without_fences(text: str) -> str:
    """Blank out fenced code line by line; a fence that is not closed reaches to the end."""
    if "```" not in text and "~~~" not in text:
        return text
    lines: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        inside = bool(fence or mark)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1] == fence and not line[mark.end() :].strip():
            fence = ""
        lines.append(_NOT_A_BREAK.sub(CODE, line) if inside else line)
    return "".join(lines)


def _blank(filler: str) -> Callable[[re.Match[str]], str]:
    return lambda match: _NOT_A_BREAK.sub(filler, match[0])


def _is_all_quoted(masked: str) -> bool:
    return QUOTED in masked and not any(
        character.isalnum() or character == CODE for character in masked if character != QUOTED
    )
