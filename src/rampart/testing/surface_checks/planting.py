"""Whether a payload is where agents read while it is planted, and nowhere afterwards."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from rampart.testing.adapter_checks.outcome import fail, not_checked, require
from rampart.testing.surface_checks.place import WORDS

if TYPE_CHECKING:
    from rampart.core.injection import InjectionHandle
    from rampart.testing.surface_checks.place import Place

_MANY = 20


async def check_entering_plants(place: Place) -> None:
    """What is planted is what an agent reads, and was not there before."""
    word = WORDS[0]
    before = await place.as_it_is_async()
    require(
        not await place.reads_async(word), f"read() shows {word!r} before anything was planted: choose others"
    )
    async with await place.handle_async(word) as handle:
        await handle.wait_until_ready_async()
        await place.require_read_async(word, "after entering the handle")
        require(
            await place.snapshot_async() != before.snapshot,
            "snapshot() is the same with the payload and without it, so it cannot show what is left behind: "
            "it must cover what is planted",
        )


async def check_readiness(place: Place, *, ready_within_s: float) -> None:
    """Waiting until a payload is ready ends, and can be called off."""
    async with await place.handle_async() as handle:
        try:
            async with asyncio.timeout(ready_within_s):
                await handle.wait_until_ready_async()
        except TimeoutError:
            fail(f"wait_until_ready_async did not end within {ready_within_s:g} s (ready_within_s)")
        await place.require_read_async(WORDS[0], "when the handle was ready")


async def check_leaving_restores(place: Place) -> None:
    """The place is what it was, byte for byte."""
    before = await place.as_it_is_async()
    async with await place.handle_async() as handle:
        await handle.wait_until_ready_async()
    await before.require_again_async("after leaving the handle")


async def check_many_in_a_row(place: Place) -> None:
    """One planting after another finds the place as the first did."""
    before = await place.as_it_is_async()
    for number in range(_MANY):
        word = WORDS[number % len(WORDS)]
        async with await place.handle_async(word) as handle:
            await handle.wait_until_ready_async()
            await place.require_read_async(word, f"after entering handle {number + 1} of {_MANY} in a row")
    await before.require_again_async(f"after {_MANY} handles in a row")


async def check_handles_do_not_mix(place: Place) -> None:
    """Handles that may overlap, since their isolation keys differ, know nothing of each other."""
    handles = {word: await place.handle_async(word) for word in WORDS}
    apart = {_key(handle): word for word, handle in handles.items()}
    if len(apart) < 2:
        not_checked("all handles of this surface have one isolation key, so they never overlap")
    words = list(apart.values())
    before = await place.as_it_is_async()
    async with AsyncExitStack() as stack:
        entered = [stack.enter_async_context(handles[word]) for word in words]
        await _all(*entered)
        await _all(*(handles[word].wait_until_ready_async() for word in words))
        advice = "handles that cannot overlap need the same isolation_key"
        for word in words:
            require(
                await place.reads_async(word),
                f"of {len(words)} handles with keys of their own, the payload about {word!r} is not what "
                f"read() shows; {advice}",
            )
        gone, *stay = words
        await handles[gone].__aexit__(None, None, None)
        require(
            not await place.reads_async(gone),
            f"the payload about {gone!r} is still there when its handle is left before others; {advice}",
        )
        for word in stay:
            require(
                await place.reads_async(word),
                f"leaving the handle of {gone!r} removed the payload about {word!r} too; {advice}",
            )
    await before.require_again_async("after handles that overlapped")


def _key(handle: InjectionHandle) -> str:
    key: str = getattr(handle, "isolation_key", handle.surface_name)
    return key


async def _all(*doing: object) -> None:
    """Do all at once, and raise the first error when all have ended."""
    outcomes = await asyncio.gather(*doing, return_exceptions=True)  # type: ignore[call-overload]  # awaitables
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
