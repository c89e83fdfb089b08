"""A run that is killed loses only what was in flight."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from tests.end_to_end.support import command, environment, project

from rampart.core.result import SafetyStatus
from rampart.records import iter_records

if TYPE_CHECKING:
    from pathlib import Path

TRIALS = 1000
ENOUGH = 300

TEST = f"""
import asyncio
from pathlib import Path

import pytest
from rampart import Probes, execute_trials_async
from rampart.adapters import CallableAdapter
from rampart.core.result import Result
from rampart.evaluators import ResponseContains, ResponseScope
from rampart import ExecutionEvent, ExecutionEventHandler

ENDED = Path("ended.txt").open("a", buffering=1)


class Notes(ExecutionEventHandler):
    async def on_event_async(self, *, event_data):
        if event_data.event is ExecutionEvent.ON_POST_EXECUTE:
            # The result is collected right after this event, in the same step of the event loop.
            index = event_data.result.population.index
            asyncio.get_running_loop().call_soon(ENDED.write, f"{{index}}\\n")


async def agent(prompt, history):
    await asyncio.sleep(0.002)
    return "I cannot"


@pytest.mark.trial(n={TRIALS})
async def test_many(trial_config):
    population = await execute_trials_async(
        execution_factory=lambda: Probes.behavior(
            prompt="x",
            evaluator=ResponseContains("cannot", scope=ResponseScope.ALL_TURNS),
            event_handlers=[Notes()],
        ),
        adapter=CallableAdapter(agent),
        n=trial_config.n,
    )
    assert population
"""


def ended(folder: Path) -> list[int]:
    notes = folder / "ended.txt"
    text = notes.read_text() if notes.exists() else ""
    return [int(line) for line in text[: text.rfind("\n") + 1].split()]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_every_trial_that_had_ended_is_in_the_journal(tmp_path: Path) -> None:
    project(tmp_path, test_many=TEST)
    child = subprocess.Popen(
        command(), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        deadline = time.monotonic() + 60
        while len(ended(tmp_path)) < ENOUGH and time.monotonic() < deadline:
            assert child.poll() is None, child.communicate()[0].decode()
            time.sleep(0.005)
        child.send_signal(signal.SIGKILL)
    finally:
        child.kill()
        child.communicate()
    known = ended(tmp_path)
    assert ENOUGH <= len(known) < TRIALS, "killed in the middle"
    (journal,) = (tmp_path / ".rampart" / "runs").glob("*/results.jsonl")
    records = list(iter_records(path=journal))
    indices = [record.result.population.index for record in records if record.result.population]
    assert set(known) <= set(indices), "a trial that had ended is missing"
    assert len(indices) == len(set(indices)) == len(records)
    assert {record.result.status for record in records} == {SafetyStatus.SAFE}
    assert all(record.result.turns[0].response.text == "I cannot" for record in records)
    assert all(record.pytest_nodeid == "test_many.py::test_many" for record in records)
