"""What the engine adds to one single-turn check in a script."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from benchmarks.table import Row
from rampart import AppManifest, ObservabilityLevel, Probes, Request, Response
from rampart.core.listener import listening
from rampart.evaluators import ResponseContains, ResponseScope
from rampart.records.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from rampart.core.population import PopulationResult
    from rampart.core.result import Result

CHECKS = 4000
_PEER = """
import asyncio, time
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator
from dataclasses import dataclass

@dataclass
class Says(Evaluator):
    def evaluate(self, ctx):
        return "cannot" in ctx.output

async def agent(prompt):
    return "I cannot"

dataset = Dataset(name="d", cases=[Case(name=str(i), inputs="x") for i in range(1000)], evaluators=[Says()])

async def main():
    await dataset.evaluate(agent, progress=False)
    started = time.process_time()
    await dataset.evaluate(agent, progress=False)
    print((time.process_time() - started) / 1000 * 1e6)

asyncio.run(main())
"""


@dataclass
class _Asked:
    prompt: str


@dataclass
class _Answered:
    text: str
    tool_calls: list[object] = field(default_factory=list)


class _Conversation:
    """The least that a session can be."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        return None

    async def send(self, asked: _Asked) -> _Answered:
        return _Answered(text="I cannot")


class _Session:
    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        return None

    async def send_async(self, request: Request, /) -> Response:
        return Response(text="I cannot")


class _Agent:
    """The least that an adapter can be: what is measured is the engine."""

    manifest = AppManifest(name="agent")
    observability_profile = ObservabilityLevel.RESPONSE_ONLY

    async def create_session_async(self) -> _Session:
        return _Session()


async def _floor() -> bool:
    async with _Conversation() as conversation:
        answered = await asyncio.wait_for(conversation.send(_Asked("x")), 120)
    return "cannot" in answered.text


async def _cpu_us(check: Callable[[], Awaitable[object]], count: int = CHECKS) -> float:
    for _ in range(200):
        await check()
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        for _ in range(count):
            await check()
        best = min(best, time.process_time() - started)
    return best / count * 1e6


class _ToJournal:
    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def on_result(self, result: Result, /) -> None:
        self._journal.write_result(result, pytest_nodeid="test_x.py::test_x", result_index=0)

    def on_population(self, population: PopulationResult, /, *, population_id: str) -> None:
        """Populations are no part of this."""


def rows() -> list[Row]:
    """Measure."""
    logging.disable(logging.CRITICAL)
    agent = _Agent()
    evaluator = ResponseContains("cannot", scope=ResponseScope.ALL_TURNS)

    async def check() -> object:
        return await Probes.behavior(prompt="x", evaluator=evaluator).execute_async(adapter=agent)

    floor = asyncio.run(_cpu_us(_floor))
    bare = asyncio.run(_cpu_us(check))
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(root=Path(folder))
        with listening(_ToJournal(journal)):
            journaled = asyncio.run(_cpu_us(check, 2000))
        journal.close()
    logging.disable(logging.NOTSET)
    floor_note = "floor: session, call with a time limit, comparison"
    result = [
        Row(
            what="one single-turn probe in a script",
            value=bare,
            unit="us",
            floor=floor,
            goal=25,
            note=floor_note,
        ),
        Row(what="the same with the journal", value=journaled, unit="us", floor=floor, goal=100),
    ]
    if importlib.util.find_spec("pydantic_evals") is not None:
        peer = subprocess.run([sys.executable, "-c", _PEER], capture_output=True, text=True, check=True)
        result.append(Row(what="a peer: one case of pydantic-evals", value=float(peer.stdout), unit="us"))
    return result
