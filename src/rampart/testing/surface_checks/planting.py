"""Whether a payload is where agents read while it is planted, and nowhere afterwards."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rampart.testing.conformance_outcome import fail, not_checked, require
from rampart.testing.surface_checks.place import WORDS, planted

if TYPE_CHECKING:
    from rampart.core.injection import InjectionHandle
    from rampart.testing.surface_checks.place import Place


async def check_entering_plants(place: Place) -> None:
    """What is planted is what an agent reads, and was not there before."""
    word = WORDS[0]
    before = await place.as_it_is_async()
    require(
        not await place.reads_async(word), f"read() shows {word!r} before anything was planted: choose others"
    )
    async with planted(await place.handle_async(word)) as handle:
        await handle.wait_until_ready_async()
        await place.require_read_async(word, "after entering the handle")
        require(
            await place.snapshot_async() != before.snapshot,
            "snapshot() is the same with the payload and without it, so it cannot show what is left behind: "
            "it must cover what is planted",
        )


async def check_readiness(place: Place, *, ready_within_s: float) -> None:
    """Waiting until a payload is ready ends, and can be called off."""
    async with planted(await place.handle_async()) as handle:
        try:
            async with asyncio.timeout(ready_within_s):
                await handle.wait_until_ready_async()
        except TimeoutError:
            fail(f"wait_until_ready_async did not end within {ready_within_s:g} s (ready_within_s)")
        await place.require_read_async(WORDS[0], "when the handle was ready")


async def check_leaving_restores(place: Place) -> None:
    """The place is what it was, byte for byte."""
    before = await place.as_it_is_async()
    async with planted(await place.handle_async()) as handle:
        await handle.wait_until_ready_async()
    await before.require_again_async("after leaving the handle")


async def check_many_in_a_row(place: Place, *, many: int) -> None:
    """One planting after another finds the place as the first did."""
    before = await place.as_it_is_async()
    for number in range(many):
        word = WORDS[number % len(WORDS)]
        async with planted(await place.handle_async(word)) as handle:
            await handle.wait_until_ready_async()
            await place.require_read_async(word, f"after entering handle {number + 1} of {many} in a row")
    await before.require_again_async(f"after {many} handles in a row")


async def check_handles_do_not_mix(place: Place) -> None:
    """Handles that may overlap, since their isolation keys differ, know nothing of each other."""
    handles = {word: await place.handle_async(word) for word in WORDS}
    words = list({_key(handle): word for word, handle in handles.items()}.values())
    if len(words) < 2:
        not_checked("all handles of this surface have one isolation key, so they never overlap")
    before = await place.as_it_is_async()
    everybody = asyncio.Barrier(len(words))
    # As trials do: each in a task of its own, some surfaces plant for the task alone.
    trials = [
        asyncio.create_task(_overlap_async(place, handles[word], word, words[0], everybody)) for word in words
    ]
    try:
        await asyncio.wait(trials, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for trial in trials:
            trial.cancel()  # those that still wait for one that failed
        await asyncio.wait(trials)
    for trial in trials:
        if not trial.cancelled():
            trial.result()
    await before.require_again_async("after handles that overlapped")


async def _overlap_async(
    place: Place, handle: InjectionHandle, word: str, first: str, everybody: asyncio.Barrier
) -> None:
    """Plant beside others, of which the first leaves before the rest."""
    advice = "handles that cannot overlap need the same isolation_key"
    async with planted(handle):
        await handle.wait_until_ready_async()
        await everybody.wait()
        require(
            await place.reads_async(word),
            f"beside handles with other keys, read() does not show the payload about {word!r}; {advice}",
        )
        await everybody.wait()
        if word == first:
            await handle.__aexit__(None, None, None)
            require(
                not await place.reads_async(word),
                f"the payload about {word!r} is still there when its handle is left before others; {advice}",
            )
        await everybody.wait()
        require(
            word == first or await place.reads_async(word),
            f"leaving the handle of {first!r} removed the payload about {word!r} too; {advice}",
        )


def _key(handle: InjectionHandle) -> str:
    key: str = getattr(handle, "isolation_key", handle.surface_name)
    return key
