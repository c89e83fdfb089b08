"""Matching a pattern within bounded time and without holding up the event loop.

What is sure to be quick is matched on the spot, all else in a process of its own.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rampart.evaluators._pattern_cost import is_cheap
from rampart.evaluators._pattern_pool import pattern_pool
from rampart.evaluators._pattern_process import PatternGaveUpError

if TYPE_CHECKING:
    import re


def search_now(pattern: re.Pattern[str], text: str, /) -> bool | None:
    """Whether `pattern` is found in `text`; None if finding out may take long."""
    return pattern.search(text) is not None if is_cheap(pattern, text) else None


async def search_async(pattern: re.Pattern[str], text: str, /) -> bool:
    """Whether `pattern` is found in `text`.

    Raises:
        PatternGaveUpError: If nobody can say; the text says why.
    """
    if is_cheap(pattern, text):
        return pattern.search(text) is not None
    return await asyncio.wrap_future(pattern_pool().submit(pattern, text, whole=False))


async def match_whole_async(pattern: re.Pattern[str], text: str, /) -> bool:
    """Whether `pattern` matches the whole of `text`.

    Raises:
        PatternGaveUpError: If nobody can say; the text says why.
    """
    if is_cheap(pattern, text, whole=True):
        return pattern.fullmatch(text) is not None
    return await asyncio.wrap_future(pattern_pool().submit(pattern, text, whole=True))


def matches_everything(pattern: re.Pattern[str], /) -> bool:
    """Whether `pattern` is found in the empty text and in arbitrary text; may take a few seconds to tell."""
    return _found(pattern, "") and _found(pattern, "\x00")


def _found(pattern: re.Pattern[str], text: str) -> bool:
    if is_cheap(pattern, text):
        return pattern.search(text) is not None
    try:
        return pattern_pool().match(pattern, text, whole=False)
    except PatternGaveUpError:
        return False
