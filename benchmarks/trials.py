"""How trials overlap, how their cost grows with their number, and what a result keeps in memory."""

from __future__ import annotations

import asyncio
import gc
import time
import tracemalloc
from typing import TYPE_CHECKING, Self

from benchmarks.table import Row
from rampart import AppManifest, ObservabilityLevel, Probes, Request, Response, execute_trials_async
from rampart.evaluators import ResponseContains, ResponseScope

if TYPE_CHECKING:
    from rampart.core.population import PopulationResult


class _Session:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        return None

    async def send_async(self, request: Request, /) -> Response:
        await asyncio.sleep(self._seconds)
        return Response(text="I cannot")


class SlowAgent:
    """An agent that takes its time and keeps nothing."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.manifest = AppManifest(name="slow")
        self.observability_profile = ObservabilityLevel.RESPONSE_ONLY

    async def create_session_async(self) -> _Session:
        """A session."""
        return _Session(self._seconds)


async def _trials(agent: SlowAgent, n: int, concurrency: int | None = None) -> PopulationResult:
    evaluator = ResponseContains("cannot", scope=ResponseScope.ALL_TURNS)
    return await execute_trials_async(
        execution_factory=lambda: Probes.behavior(prompt="x", evaluator=evaluator),
        adapter=agent,
        n=n,
        concurrency=concurrency,
    )


def _wall(agent: SlowAgent, n: int, concurrency: int | None) -> float:
    started = time.perf_counter()
    population = asyncio.run(_trials(agent, n, concurrency))
    elapsed = time.perf_counter() - started
    if not population:
        raise RuntimeError(population.summary)
    return elapsed


def _cpu_per_trial_us(n: int) -> float:
    started = time.process_time()
    asyncio.run(_trials(SlowAgent(0), n))
    return (time.process_time() - started) / n * 1e6


def _kept_bytes(n: int) -> float:
    async def go() -> tuple[int, PopulationResult]:
        await _trials(SlowAgent(0), 50)
        gc.collect()
        tracemalloc.start()
        population = await _trials(SlowAgent(0), n)
        gc.collect()
        return tracemalloc.get_traced_memory()[0], population

    kept, _population = asyncio.run(go())
    tracemalloc.stop()
    return kept / n


def rows() -> list[Row]:
    """Measure."""
    few, many = _cpu_per_trial_us(1_000), _cpu_per_trial_us(10_000)
    return [
        Row(
            what="200 trials of 0.5 s, concurrency 200, wall",
            value=_wall(SlowAgent(0.5), 200, 200),
            unit="s",
            floor=0.5,
            goal=0.6,
        ),
        Row(
            what="200 trials of 0.5 s, default concurrency 20, wall",
            value=_wall(SlowAgent(0.5), 200, None),
            unit="s",
            floor=5.0,
            goal=5.3,
        ),
        Row(what="one of 1,000 trials", value=few, unit="us"),
        Row(what="one of 10,000 trials", value=many, unit="us"),
        Row(what="growth of the cost per trial from 1,000 to 10,000", value=many / few, unit="x", goal=1.3),
        Row(
            what="kept per single-turn result of 10,000", value=_kept_bytes(10_000) / 1000, unit="kB", goal=3
        ),
    ]
