"""A long conversation with a stop condition: what a turn costs early and late."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from benchmarks.table import Row
from benchmarks.trials import SlowAgent
from rampart import Probes, Request, Turn
from rampart.core.prompt_driver import PromptDecision
from rampart.evaluators import ResponseContains, ResponseScope, ToolCalled

TURNS = 400
EARLY, LATE = 4, 400
REPEATS = 30


class _Watch:
    """A driver that notes the CPU time at each turn."""

    def __init__(self, ticks: list[list[float]]) -> None:
        self._ticks = ticks

    async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision:
        self._ticks[len(history)].append(time.process_time())
        return PromptDecision(request=Request(prompt="go on"))


def _per_turn(make_stop: Any) -> list[float]:
    """The cheapest CPU time of each turn over several conversations, in us."""
    costs: list[list[float]] = [[] for _ in range(TURNS)]
    for _ in range(REPEATS):
        ticks: list[list[float]] = [[] for _ in range(TURNS + 1)]
        probe = Probes.behavior(
            driver=_Watch(ticks),
            evaluator=ResponseContains("cannot", scope=ResponseScope.ANY_TURN),
            stop_when=make_stop(),
            max_turns=TURNS + 1,
        )
        asyncio.run(probe.execute_async(adapter=SlowAgent(0)))
        for index in range(TURNS):
            costs[index].append(ticks[index + 1][0] - ticks[index][0])
    return [min(cost) * 1e6 for cost in costs]


def _around(costs: list[float], turn: int) -> float:
    near = sorted(costs[max(0, turn - 4) : turn + 4])
    return near[len(near) // 2]


def rows() -> list[Row]:
    """Measure."""
    result: list[Row] = []
    for name, make_stop in {
        "ResponseContains": lambda: ResponseContains("never said", scope=ResponseScope.ANY_TURN),
        "ToolCalled | ResponseContains": lambda: (
            ToolCalled("nothing") | ResponseContains("never said", scope=ResponseScope.ANY_TURN)
        ),
    }.items():
        costs = _per_turn(make_stop)
        early, late = _around(costs, EARLY), _around(costs, LATE - 4)
        result += [
            Row(what=f"stop_when={name}: turn {EARLY}", value=early, unit="us"),
            Row(what=f"stop_when={name}: turn {LATE}", value=late, unit="us"),
            Row(what=f"stop_when={name}: growth", value=late / early, unit="x", goal=3),
        ]
    return result
