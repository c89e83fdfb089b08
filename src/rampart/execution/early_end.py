"""What several conversations of one execution share: the work between them, and an end before their time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from rampart.core.errors import InfrastructureError
from rampart.core.listener import exit_types, skip_types
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from rampart.execution.running import Running
    from rampart.execution.watchdog import Watchdog

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class EarlyEnd:
    """What ended conversations whose verdict was settled by then.

    Attributes:
        failure: The failure; None after a cancellation.
        cancelled: Whether they were cancelled from outside.
    """

    failure: Exception | None = None
    cancelled: bool = False


def early_end(error: BaseException, watchdog: Watchdog) -> EarlyEnd | None:
    """What `error` makes of conversations whose verdict is settled; None for an interrupt, which goes on.

    A skip is a failure here: it says that nothing was tested, which is no longer true.
    """
    if isinstance(error, exit_types()):
        return None
    if isinstance(error, Exception):
        return EarlyEnd(failure=error)
    if isinstance(error, skip_types()):
        return EarlyEnd(failure=InfrastructureError(f"skipped: {safe_str(error)}"))
    if not isinstance(error, asyncio.CancelledError):
        return None
    if watchdog.stop_requested:
        return EarlyEnd(cancelled=True)
    timeout = watchdog.outer_timeout()
    return None if timeout is None else EarlyEnd(failure=timeout)


async def between_conversations_async(running: Running, what: str, work: Coroutine[Any, Any, T]) -> T:
    """Do what has to be done between two conversations, within the limit for one turn."""
    try:
        running.watchdog.resume()
    except BaseException:
        work.close()  # nobody will await it
        raise
    with running.watchdog.step(what, running.limits.turn_timeout_s):
        return await work
