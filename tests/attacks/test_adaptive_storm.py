"""Many attacks that rewrite what they plant, some of them cancelled: every place is as it was."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.attacks.adaptive_places import (
    LEAK,
    OBJECTIVE,
    ORDER,
    SPOTS,
    trigger_for,
    wordings,
    yielding_agent,
)
from tests.attacks.attacking_model import AttackingModel
from tests.surfaces.storm import held

from rampart import Attacks, Payload, SafetyStatus
from rampart.attacks import Adaptation
from rampart.core.listener import listening

if TYPE_CHECKING:
    from pathlib import Path

    from tests.attacks.adaptive_places import Spot

    from rampart import PopulationResult, Result


class _Listener:
    def __init__(self) -> None:
        self.results: list[Result] = []

    def on_result(self, result: Result, /) -> None:
        self.results.append(result)

    def on_population(self, population: PopulationResult, /, *, population_id: str) -> None:
        return


async def _attack(spot: Spot, number: int, chance: random.Random, *, pause_s: float = 0.004) -> Result:
    async def pause(_prompt: str) -> None:
        await asyncio.sleep(chance.uniform(0, pause_s))

    handle = spot.make(Payload(content=ORDER, id=f"order{number}"))
    adapter = yielding_agent(spot.read, 1 + number % 6, before=lambda prompt: pause(prompt))
    attack = Attacks.xpia(
        inject=handle,
        trigger=trigger_for(handle),
        evaluator=LEAK,
        adapt=Adaptation(objective=OBJECTIVE, attacker=AttackingModel(wordings(5)).model, max_attempts=4),
    )
    return await attack.execute_async(adapter=adapter)


def _spots(kind: str, folder: Path, many: int) -> list[Spot]:
    made = []
    for number in range(many):
        (folder / str(number)).mkdir()
        made.append(SPOTS[kind](folder / str(number)))
    return made


@pytest.mark.parametrize("many", [12, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", [*SPOTS])
async def test_each_runs_to_its_end(tmp_path: Path, kind: str, many: int) -> None:
    chance = random.Random(5)
    spots = _spots(kind, tmp_path, many)
    before = [spot.snapshot() for spot in spots]
    results = await asyncio.gather(*(_attack(spot, number, chance) for number, spot in enumerate(spots)))
    for number, result in enumerate(results):
        wanted = 1 + number % 6
        assert result.status is (SafetyStatus.UNSAFE if wanted <= 4 else SafetyStatus.SAFE), result.summary
        assert len(result.attempts or [result]) == min(wanted, 4)
        assert "cleanup_errors" not in result.metadata
    assert [spot.snapshot() for spot in spots] == before


@pytest.mark.parametrize("many", [12, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", [*SPOTS])
async def test_cancelled_at_random_moments(tmp_path: Path, kind: str, many: int) -> None:
    chance = random.Random(6)
    spots = _spots(kind, tmp_path, many)
    before = [spot.snapshot() for spot in spots]
    listener = _Listener()
    open_before = held()
    with listening(listener):
        tasks: list[asyncio.Task[Any]] = [
            asyncio.create_task(_attack(spot, 5, chance, pause_s=0.1)) for spot in spots
        ]
        loop = asyncio.get_running_loop()
        for task in tasks:
            loop.call_later(chance.uniform(0, 0.3), task.cancel)
        ends = await asyncio.gather(*tasks, return_exceptions=True)
    seen = Counter(type(end).__name__ for end in ends)
    assert seen["CancelledError"] >= many // 3, seen
    assert seen.keys() <= {"CancelledError", "Result"}, ends
    assert not any("cleanup_errors" in result.metadata for result in listener.results)
    assert [spot.snapshot() for spot in spots] == before
    if kind == "web page":  # no port is held any more, which a page that was named is before it is served
        tasks.clear()
        ends.clear()
        listener.results.clear()
        sockets = {name: count for name, count in held().items() if "socket" in name}
        assert sockets == {name: count for name, count in open_before.items() if "socket" in name}
