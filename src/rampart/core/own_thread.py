"""Work that would hold up the event loop, done in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


async def in_own_thread_async(work: Callable[[], T], /, *, name: str) -> T:
    """What `work` returns or raises, while other tasks go on.

    The thread is a new one: agents may have filled those of the event loop for good. Nobody waits for it at
    the end of the process.

    Args:
        work: A function that needs nothing of the event loop.
        name: How the thread is called, for whoever looks at a hanging process.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(value: T | None, error: BaseException | None) -> None:
        if done.done():  # nobody waits any more
            return
        if error is None:
            done.set_result(value)  # type: ignore[arg-type]  # without an error it is what `work` returned
        else:
            done.set_exception(error)

    def run() -> None:
        value, problem = None, None
        try:
            value = work()
        except BaseException as error:  # it is raised where the work is waited for
            problem = error
        with suppress(RuntimeError):  # the loop was closed
            loop.call_soon_threadsafe(settle, value, problem)

    threading.Thread(target=run, name=name, daemon=True).start()
    return await done
