"""Whether a handle puts the place back, whatever happens while it is planted, or on the way there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rampart.testing.conformance_outcome import ConformanceError, fail, require
from rampart.testing.surface_checks.place import WORDS, planted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from rampart.core.injection import InjectionHandle
    from rampart.testing.surface_checks.place import Before, Place

_CANCELLED_WITHIN_S = 10.0
# Some surfaces take a few rounds of the event loop, others wait for a thread or a server.
_ROUNDS = (1, 2, 3, 5, 8)
_DELAYS_S = (0.001, 0.01)


async def check_exit_is_idempotent(place: Place) -> None:
    """A handle may be left twice, and without having been entered."""
    before = await place.as_it_is_async()
    handle = await place.handle_async()
    await _leave_again(handle, "a handle that was not entered")
    await before.require_again_async("after leaving a handle that was not entered")
    handle = await place.handle_async()
    async with handle:
        pass
    await _leave_again(handle, "a handle a second time")
    await before.require_again_async("after leaving a handle twice")


async def check_restores_after_an_error(place: Place) -> None:
    """An error while the payload is there goes on, and leaves nothing behind."""
    before = await place.as_it_is_async()
    handle = await place.handle_async()
    try:
        async with handle:
            _raise_deliberately()
    except _DeliberateError:
        await before.require_again_async("after an error inside")
    else:
        fail(f"{type(handle).__name__}.__aexit__ swallowed the error inside; return nothing from it")


async def check_is_entered_once(place: Place) -> None:
    """Entering a handle that is in use is refused, and does no harm."""
    before = await place.as_it_is_async()
    async with planted(await place.handle_async()) as handle:
        await handle.wait_until_ready_async()
        try:
            await handle.__aenter__()
        except Exception:  # whichever the surface chooses
            await place.require_read_async(WORDS[0], "after entering a handle twice was refused")
        else:
            fail("a handle was entered a second time while it was planted; raise InfrastructureError instead")
    await before.require_again_async("after a handle that somebody tried to enter twice")


async def check_cancelled_entry(place: Place) -> None:
    """A handle that is cancelled while it is entered undoes what it did: nobody will leave it."""
    before = await place.as_it_is_async()
    handles: list[InjectionHandle] = []

    async def enter() -> None:
        handles.append(await place.handle_async())
        await handles[-1].__aenter__()

    async for task, when in _cancelled(enter):
        if task is not None:
            _require_cancelled(task, f"__aenter__, {when},")
        else:  # it was entered before it could be cancelled
            await handles[-1].__aexit__(None, None, None)
        await before.require_again_async(f"after an entry that was cancelled {when}")
    await _works(place, before, "after other handles were cancelled")


async def check_cancelled_while_planted(place: Place) -> None:
    """A cancellation while the payload is there goes on, and leaves nothing behind."""
    before = await place.as_it_is_async()
    is_planted = asyncio.Event()

    async def hold() -> None:
        async with await place.handle_async() as handle:
            await handle.wait_until_ready_async()
            is_planted.set()
            await asyncio.get_running_loop().create_future()

    task = asyncio.create_task(hold())
    waiting = asyncio.create_task(is_planted.wait())
    await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    task.cancel()
    await _end(task, "__aexit__")
    if not task.cancelled():
        error = task.exception()
        if error is not None:
            raise error
        fail("__aexit__ swallowed a cancellation; return nothing from it")
    await before.require_again_async("after a cancellation while the payload was planted")


async def check_cancelled_exit(place: Place) -> None:
    """A handle whose exit was cancelled is put right by leaving it again."""
    before = await place.as_it_is_async()
    handle: InjectionHandle

    async def leave() -> None:
        await handle.__aexit__(None, None, None)

    async def enter() -> None:
        nonlocal handle
        handle = await place.handle_async()
        await handle.__aenter__()

    async for _, when in _cancelled(leave, before=enter):
        await _leave_again(handle, f"a handle whose exit was cancelled {when}")
        await before.require_again_async(f"after an exit that was cancelled {when}, and another one")


async def _cancelled(
    work: Callable[[], Awaitable[None]], *, before: Callable[[], Awaitable[None]] | None = None
) -> AsyncIterator[tuple[asyncio.Task[None] | None, str]]:
    """Start work again and again, and cancel it a little later each time.

    Yields:
        The task, None where it had ended before that, and when it was cancelled.
    """
    for wait in (*_ROUNDS, *_DELAYS_S):
        if before is not None:
            await before()
        task = asyncio.ensure_future(_awaited(work))
        if isinstance(wait, int):
            when = f"after {wait} rounds of the event loop"
            for _ in range(wait):
                await asyncio.sleep(0)
        else:
            when = f"after {wait * 1000:g} ms"
            await asyncio.sleep(wait)
        if task.done():
            task.result()
            yield None, when
            continue
        task.cancel()
        await _end(task, "the handle")
        yield task, when


async def _awaited(work: Callable[[], Awaitable[None]]) -> None:
    await work()


async def _end(task: asyncio.Task[None], what: str) -> None:
    _, pending = await asyncio.wait([task], timeout=_CANCELLED_WITHIN_S)
    require(not pending, f"{what} did not end within {_CANCELLED_WITHIN_S:g} s of its cancellation")


def _require_cancelled(task: asyncio.Task[None], what: str) -> None:
    if not task.cancelled():
        error = task.exception()
        ended = "ended normally" if error is None else f"raised {type(error).__name__}: {error}"
        fail(f"{what} {ended} although it was cancelled; let CancelledError through")


class _DeliberateError(Exception):
    """Raised while the payload is planted."""


def _raise_deliberately() -> None:
    raise _DeliberateError


async def _leave_again(handle: InjectionHandle, what: str) -> None:
    try:
        await handle.__aexit__(None, None, None)
    except Exception as error:
        msg = f"leaving {what} raised {type(error).__name__}: {error}; it must do nothing, or finish"
        raise ConformanceError(msg) from error


async def _works(place: Place, before: Before, when: str) -> None:
    async with planted(await place.handle_async()) as handle:
        await handle.wait_until_ready_async()
        await place.require_read_async(WORDS[0], when)
    await before.require_again_async(when)
