"""Whose call it is that comes from a thread, told by the context variables that are set there."""

import asyncio
import threading
from decimal import getcontext
from typing import TYPE_CHECKING, Any, cast

import pytest
from tests.surfaces.agents import ORDER, order_payload

from rampart import InfrastructureError
from rampart.execution.running import set_running
from rampart.surfaces import ToolResultSurface

if TYPE_CHECKING:
    from rampart.execution.running import Running


def search_web(query: str) -> str:
    """Search the web."""
    return f"Results for {query}."


def read_in_own_thread(surface: ToolResultSurface[Any]) -> str:
    """Call from a thread with nothing handed down, in which there has been decimal arithmetic.

    That leaves a context variable in each thread, as tracers do.
    """
    results: list[str] = []

    def read() -> None:
        getcontext()
        results.append(surface.tool("cats"))

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    return results[0]


async def test_what_a_thread_sets_for_itself_hands_no_trial_down() -> None:
    surface = ToolResultSurface(tool=search_web)
    async with surface.inject(payload=order_payload()):
        assert ORDER in read_in_own_thread(surface)


async def test_of_several_trials_each_may_have_missed_its_payload() -> None:
    surface = ToolResultSurface(tool=search_web)
    inside = asyncio.Barrier(2)

    async def trial(*, reads: bool) -> None:
        handle = surface.inject(payload=order_payload())
        await handle.__aenter__()
        await inside.wait()
        if reads:
            assert read_in_own_thread(surface) == "Results for cats."
        await inside.wait()
        with pytest.raises(InfrastructureError, match="from a thread of the agent's own while 2 trials"):
            await handle.__aexit__(None, None, None)

    await asyncio.gather(trial(reads=True), trial(reads=False))


@pytest.mark.parametrize("common", [False, True], ids=["an-execution", "what-all-have"])
async def test_a_thread_that_was_handed_another_context_belongs_to_no_trial(common: bool) -> None:
    if common:
        getcontext()  # inherited by both tasks
    surface = ToolResultSurface(tool=search_web)
    planted, read = asyncio.Event(), asyncio.Event()

    async def control() -> str:
        if not common:
            set_running(cast("Running", object()))
        await planted.wait()
        text = await asyncio.to_thread(surface.tool, "cats")
        read.set()
        return text

    async def trial() -> None:
        async with surface.inject(payload=order_payload()):
            planted.set()
            await read.wait()

    text, _ = await asyncio.gather(control(), trial())
    assert text == "Results for cats."
