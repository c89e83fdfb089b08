"""What a turn costs through an adapter, beside the same turn with the framework called directly.

The floor of the overhead is what the framework itself takes for calling hooks that do nothing.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import time
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from benchmarks.table import Row
from rampart import Request

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

AGENTS = {
    "langgraph": "langgraph",
    "openai_agents": "agents",
    "adk": "google.adk",
    "strands": "strands",
    "llama_index": "llama_index.core",
}
"""Modules of `benchmarks.agents`, and what each of them needs."""

PROMPTS = ["Mail marigold.", "Look up ada and bob at once.", "Mail tansy.", "Say hello."]
ROUNDS = 12
IN_A_ROW = 10
WARM_UP = 2  # after a collection the first ones are slow
GOAL = 5.0


async def _through(adapter: Any, prompts: list[str]) -> str:
    async with await adapter.create_session_async() as session:
        for prompt in prompts:
            response = await session.send_async(Request(prompt=prompt))
    return str(response.text)


async def _seconds(converse: Callable[[list[str]], Awaitable[str]]) -> float:
    began = time.process_time()
    text = await converse(PROMPTS)
    taken = time.process_time() - began
    if text != "Hello.":
        msg = f"the agent ended with {text!r} in place of 'Hello.', so something else was measured"
        raise RuntimeError(msg)
    return taken


async def _measure(agent: Any) -> list[float]:
    """Seconds of CPU that a conversation takes, by turns: directly, watched idly, by the adapter."""

    async def through(prompts: list[str]) -> str:
        return await _through(agent.adapter, prompts)

    watched = getattr(agent, "converse_watched", agent.converse)
    ways: list[Callable[[list[str]], Awaitable[str]]] = [agent.converse, watched, through]
    times: list[list[float]] = [[] for _ in ways]
    for number in range(ROUNDS):
        for index in range(len(ways)):
            way = (index + number) % len(ways)
            gc.collect()
            taken = [await _seconds(ways[way]) for _ in range(WARM_UP + IN_A_ROW)]
            times[way] += taken[WARM_UP:]
    return [statistics.median(of_one) for of_one in times]


def rows() -> list[Row]:
    """Measure the adapters whose frameworks are here: those of one environment of `scripts/test-adapters`."""
    result: list[Row] = []
    for name, needed in AGENTS.items():
        if not _is_here(needed):
            continue
        gc.disable()
        try:
            times = asyncio.run(_measure(import_module(f"benchmarks.agents.{name}")))
        finally:
            gc.enable()
        direct, watched, adapted = (seconds / len(PROMPTS) * 1e6 for seconds in times)
        idle = (watched / direct - 1) * 100
        result += [
            Row(what=f"{name}: a turn", value=adapted, unit="us", floor=direct),
            Row(
                what=f"{name}: overhead",
                value=(adapted / direct - 1) * 100,
                unit="%",
                floor=idle,
                goal=GOAL,
            ),
        ]
    return result


def _is_here(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that it is in
        return False
