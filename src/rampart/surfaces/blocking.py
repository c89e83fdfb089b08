"""Waiting for work that must not be left half done."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")


async def run_blocking_async(function: Callable[[], T]) -> T:
    """Run blocking work in a thread, and wait for its end also when cancelled meanwhile.

    A thread cannot be stopped: going on without it would let it write after its work was taken back.

    Args:
        function: What to run; it should end soon.
    """
    return await to_its_end_async(asyncio.to_thread(_without_stop_iteration, function))


def _without_stop_iteration(function: Callable[[], T]) -> T:
    """Futures do not take this exception: before Python 3.12 the waiting would never end."""
    try:
        return function()
    except StopIteration as error:
        msg = "a function raised StopIteration"
        raise RuntimeError(msg) from error


async def to_its_end_async(work: Awaitable[T]) -> T:
    """Await `work` to its end, however often the caller is cancelled; the cancellation goes on afterwards."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as request:
            cancelled = cancelled or request
    if cancelled is not None:
        raise cancelled from None if task.cancelled() else task.exception()
    return task.result()
