"""Waiting for work that must not be left half done."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar, cast

from rampart.core.to_its_end import to_its_end_async

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


async def run_blocking_async(function: Callable[[], T], *, patience_s: float | None = None) -> T:
    """Run blocking work in a thread of its own, and wait for its end also when cancelled meanwhile.

    A thread cannot be stopped: going on without it would let it write after its work was taken back. The
    threads of the event loop would not do: agents that fill them would hold up what puts a place back.

    Args:
        function: What to run, in a copy of the caller's context; it should end soon.
        patience_s: Seconds for which it is waited for once the caller is cancelled; then its thread is left
            behind. For functions of users, of which nobody knows whether they ever end. None: without end.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[T | None, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        outcome: tuple[T | None, BaseException | None]
        try:
            outcome = context.run(_without_stop_iteration, function), None
        except BaseException as error:  # it is raised where the work is waited for
            outcome = None, error
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(tell, outcome)

    def tell(outcome: tuple[T | None, BaseException | None]) -> None:
        if not done.done():  # nobody has lost patience
            done.set_result(outcome)

    # One that may be left behind must not hold up the end of the process either.
    thread = threading.Thread(target=work, name="rampart surface", daemon=patience_s is not None)
    thread.start()
    try:
        return await to_its_end_async(_value_async(done), patience_s=patience_s)
    finally:
        if done.done() and not done.cancelled():
            thread.join()  # it has nothing left to do


async def _value_async(done: asyncio.Future[tuple[T | None, BaseException | None]]) -> T:
    value, error = await done
    if error is not None:
        raise error
    return cast("T", value)


def _without_stop_iteration(function: Callable[[], T]) -> T:
    """No coroutine may raise this exception; what Python makes of it says nothing of the function."""
    try:
        return function()
    except StopIteration as error:
        msg = "a function raised StopIteration"
        raise RuntimeError(msg) from error
