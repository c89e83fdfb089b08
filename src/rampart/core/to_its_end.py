"""Waiting for an end that a cancellation must not keep from coming."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable

T = TypeVar("T")


async def to_its_end_async(work: Awaitable[T], *, patience_s: float | None = None) -> T:
    """Await `work` to its end, however often the caller is cancelled; the cancellation goes on afterwards.

    Args:
        work: What to await.
        patience_s: Seconds after the first cancellation after which `work` is cancelled too; None: never.
    """
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    cancelled: asyncio.CancelledError | None = None
    impatience: asyncio.TimerHandle | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as request:
            cancelled = cancelled or request
            if patience_s is not None and impatience is None:
                impatience = loop.call_later(patience_s, task.cancel)
    if impatience is not None:
        impatience.cancel()
    if cancelled is not None:
        raise cancelled from None if task.cancelled() else task.exception()
    return task.result()
