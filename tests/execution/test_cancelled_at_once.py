"""Runs that are cancelled before their first step."""

import asyncio
from typing import Any

import pytest
from tests.execution.support import Agent, Says, replies

from rampart.probes import Probes


@pytest.mark.timeout(20)
@pytest.mark.parametrize("steps", range(4))
def test_a_loop_that_ends_can_cancel_what_it_has_just_begun(steps: int) -> None:
    tasks: list[asyncio.Task[Any]] = []

    async def main() -> None:
        probe = Probes.behavior(prompt="x", evaluator=Says("never"), max_turns=10)
        tasks.append(asyncio.ensure_future(probe.execute_async(adapter=Agent(replies("ok")))))
        for _ in range(steps):
            await asyncio.sleep(0)

    asyncio.run(main())
    assert tasks[0].done()
