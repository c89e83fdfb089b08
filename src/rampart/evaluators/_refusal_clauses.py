"""Cutting a reply into clauses, each with its place, and taking out what it only quotes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.evaluators._refusal_words import folded

if TYPE_CHECKING:
    from collections.abc import Iterator

QUOTED = "\ue000"
_LONGEST = 500
_PIECE = 4000
# A line that goes on with a small letter was only wrapped; the line of a fence never goes on.
_PIECES = re.compile(
    rf"\s+|(?:```|~~~)[^\n]{{0,{_PIECE}}}|(?:[^\n]|\n(?=[a-z\u00df-\u00ff\u0430-\u044f])){{1,{_PIECE}}}"
)

_FENCE = re.compile(r"[ \t]*(```|~~~)")
_INLINE_CODE = re.compile(r"`[^`\n]+`")
_QUOTES = (
    re.compile('„[^„“”\n]*[“”"]'),
    re.compile("“[^“”\n]*”"),
    re.compile("「[^「」\n]*」"),
    re.compile("『[^『』\n]*』"),
    re.compile('"[^"\n]*"'),
    re.compile(r"(?<!\w)['‘][^'‘’\n]{8,}['’](?!\w)"),
    re.compile(r"^>[^\n]*"),
    re.compile(r"^[—–][ \t][^\n]*"),
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

    @property
    def is_empty(self) -> bool:
        """Whether it neither says nor quotes anything."""
        return not (self.size or self.quoted or self.code)


def clauses(text: str, but: list[re.Pattern[str]]) -> Iterator[Clause]:
    """The clauses of a reply, in order; each line is read when it is asked for.

    Args:
        text: The reply.
        but: What begins a contrast, matched in folded text.
    """
    fence = ""
    whole = len(text) <= _PIECE and _is_all_quoted(text)
    for piece in _PIECES.finditer(text):
        line, start = piece[0], piece.start()
        mark = _FENCE.match(line)
        if fence or mark:
            yield _code(line, start)
            fence = _fence_after(line, mark, fence)
            continue
        masked = line if whole else without_quotes(line)
        marker = _MARKER.match(masked)
        parts = list(_parts(masked, marker.end() if marker else 0, but))
        for first, last, contrast in parts or [(0, len(masked), False)]:
            clause = _clause(masked[first:last], start + first, item=marker is not None, contrast=contrast)
            if clause is not None:
                yield clause


def without_quotes(line: str) -> str:
    """A line with the quotations and the code in it blanked out, character by character."""
    masked = _INLINE_CODE.sub(_blank, line)
    if "«" in masked or "»" in masked:
        # Who opens first tells French from German use.
        french, german = _ANGLES
        masked = (french if "«" in masked.partition("»")[0] else german).sub(_blank, masked)
    for pattern in _QUOTES:
        masked = pattern.sub(_blank, masked)
    return masked


def _fence_after(line: str, mark: re.Match[str] | None, fence: str) -> str:
    """The fence that is open behind a line of code; one that is never closed reaches to the end."""
    if mark is None:
        return fence
    if not fence:
        return mark[1]
    return "" if mark[1] == fence and not line[mark.end() :].strip() else fence


def _code(line: str, start: int) -> Clause:
    return Clause(
        start=start,
        end=start + len(line.rstrip()),
        folded="",
        size=0.0,
        quoted=0,
        code=True,
        item=False,
        contrast=False,
        colon=False,
    )


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
    own = folded(stripped).replace(QUOTED, "")
    size = sum(2.5 if character >= "\u3040" else 1.0 for character in own if character.isalnum())
    return Clause(
        start=begin,
        end=begin + len(stripped),
        folded=own.strip(" *_#\"'"),
        size=size,
        quoted=stripped.count(QUOTED),
        code=False,
        item=item,
        contrast=contrast,
        colon=stripped.endswith((":", "：")),
    )


def _blank(match: re.Match[str]) -> str:
    return QUOTED * len(match[0])


def _is_all_quoted(text: str) -> bool:
    """Whether a reply stands in quotation marks as a whole, and so quotes nobody."""
    masked = "".join(map(without_quotes, text.splitlines()))
    return QUOTED in masked and not any(map(str.isalnum, masked))
