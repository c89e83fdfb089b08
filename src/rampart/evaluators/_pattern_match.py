"""Matching a pattern within bounded time and without holding up the event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re


class PatternGaveUpError(Exception):
    """Nobody can say whether a pattern matches; the text says why."""


def match_now(pattern: re.Pattern[str], text: str, /) -> bool | None:
    """Whether `pattern` is found in `text`; None if finding out may take long."""
    return pattern.search(text) is not None


async def match_async(pattern: re.Pattern[str], text: str, /, *, whole: bool = False) -> bool:
    """Whether `pattern` is found in `text`, or matches the whole of it."""
    return (pattern.fullmatch(text) if whole else pattern.search(text)) is not None


def matches_everything(pattern: re.Pattern[str], /) -> bool:
    """Whether `pattern` is found in the empty text and in arbitrary text."""
    return pattern.search("") is not None and pattern.search("\x00") is not None
