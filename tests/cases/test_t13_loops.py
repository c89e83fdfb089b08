"""Cases about event loops: nothing is bound to one that has ended."""

import asyncio
from collections.abc import Callable

import pytest
from tests.cases.child import Child, Run
from tests.cases.words import ANY

from rampart import BaseExecution, PopulationResult, Probes, execute_trials_async
from rampart.adapters import CallableAdapter
from rampart.drivers import StaticDriver
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent

# Made when the file is imported, where no loop runs.
OK = ResponseContains("ok", scope=ANY)
DRIVER = StaticDriver(prompts=["a", "b"])
EXECUTION = Probes.behavior(driver=DRIVER, evaluator=OK | ~OK, stop_when=~OK)


def _execution() -> BaseExecution:
    return EXECUTION


async def _trials_async(adapter: ScriptedAgent | CallableAdapter) -> PopulationResult:
    return await execute_trials_async(execution_factory=_execution, adapter=adapter, n=5, concurrency=2)


@pytest.mark.case(95)
@pytest.mark.parametrize(
    "adapter",
    [
        ScriptedAgent(["ok"], repeat_last=True, max_concurrent_sessions=3),
        CallableAdapter(lambda prompt, history: "ok", max_concurrent_sessions=3),
    ],
    ids=["scripted", "function"],
)
def test_s95_objects_serve_one_loop_after_another(adapter: ScriptedAgent | CallableAdapter) -> None:
    for _ in range(2):
        population = asyncio.run(_trials_async(adapter))
        assert population, population.summary


SHARED_ADAPTER = """
import asyncio

import pytest
from kit import *
from rampart.adapters import CallableAdapter
from rampart.drivers import StaticDriver

DRIVER = StaticDriver(prompts=["a", "b"])
EXECUTION = Probes.behavior(driver=DRIVER, evaluator=OK & ~~OK, stop_when=~OK)
LOOPS = []


@pytest.fixture(scope="session")
def adapter():
    return CallableAdapter(lambda prompt, history: "ok", max_concurrent_sessions=3)


@pytest.fixture(scope="session")
def scripted():
    return ScriptedAgent(["ok"], repeat_last=True, max_concurrent_sessions=3)


@pytest.mark.asyncio
@pytest.mark.parametrize("number", [0, 1])
async def test_loop(number, adapter, scripted):
    for agent in (adapter, scripted):
        population = await execute_trials_async(
            execution_factory=lambda: EXECUTION, adapter=agent, n=5, concurrency=2)
        assert population, population.summary
    LOOPS.append(asyncio.get_running_loop())


def test_loops_were_two():
    assert LOOPS[0] is not LOOPS[1]
"""


@pytest.mark.case(95)
def test_s95_session_adapter_serves_the_loops_of_functions(make_child: Callable[..., Child]) -> None:
    child = make_child(
        ini="asyncio_mode = strict\nasyncio_default_fixture_loop_scope = function\nfilterwarnings = error"
    )
    child.write("test_it.py", SHARED_ADAPTER)
    run = child.run(plugins=["asyncio"])
    assert run.status == 0, run.output
    assert list(run.outcomes.values()) == ["passed"] * 3
    assert "different loop" not in run.output
    assert run.statuses() == ["safe"] * 20


UNMARKED = """
import pytest
from kit import *


@pytest.fixture
async def answer():
    yield "ok"


async def test_passes(answer):
    assert await one(answer)


async def test_fails(answer):
    result = await one("not " + answer[:1])
    assert result, result.summary


async def test_fails_without_a_result(answer):
    assert answer == "other"


@pytest.mark.harm("x")
async def test_harm(answer):
    assert await one(answer)


@pytest.mark.trial(n=2)
async def test_trial(answer):
    assert await one(answer)
"""
BY_THEIR_BODY = {
    "test_passes": "passed",
    "test_fails": "failed",
    "test_fails_without_a_result": "failed",
    "test_harm": "passed",
    "test_trial": "passed",
}


@pytest.fixture(scope="module")
def unmarked(make_child: Callable[..., Child]) -> Child:
    """A project of async tests, most of which say nothing about how to run them."""
    child = make_child(ini="asyncio_default_fixture_loop_scope = function")
    child.write("test_it.py", UNMARKED)
    return child


def _report_holds_what_ran(run: Run, *tests: str) -> None:
    """Check that the report knows these tests and no others."""
    assert {result["pytest_nodeid"].partition("::")[2] for result in run.results()} == set(tests)


@pytest.mark.case(96)
@pytest.mark.parametrize("plugins", [[], ["asyncio"]], ids=["no-plugin", "strict-mode"])
def test_s96_unmarked_async_tests_run(unmarked: Child, plugins: list[str]) -> None:
    run = unmarked.run(plugins=plugins)
    assert run.status == 1, run.output
    assert run.outcomes == BY_THEIR_BODY
    _report_holds_what_ran(run, "test_passes", "test_fails", "test_harm", "test_trial")
    assert run.statuses("test_passes") == ["safe"]
    assert run.statuses("test_fails") == ["unsafe"]


@pytest.mark.case(96)
@pytest.mark.parametrize("plugins", [[], ["asyncio"]], ids=["no-plugin", "strict-mode"])
def test_s96_or_fail_on_request_and_never_pass_unseen(unmarked: Child, plugins: list[str]) -> None:
    run = unmarked.run("-o", "rampart_async=marked", plugins=plugins)
    assert run.status == 1, run.output
    assert {test: run.outcomes[test] for test in ("test_harm", "test_trial")} == {
        "test_harm": "passed",
        "test_trial": "passed",
    }
    for test in ("test_passes", "test_fails", "test_fails_without_a_result"):
        assert run.outcomes[test] in ("failed", "error")
    _report_holds_what_ran(run, "test_harm", "test_trial")


SINKS = """
import asyncio
from pathlib import Path


def note(text):
    with Path("sinks").open("a") as file:
        file.write(text + "\\n")


class Fails:
    async def emit_async(self, *, report):
        await asyncio.sleep(0)
        note("failing")
        raise RuntimeError("no network")


class Works:
    async def emit_async(self, *, report):
        note("began")
        await asyncio.sleep(0.05)
        note(f"ended with {report.total_runs} results")


def pytest_rampart_sinks(config):
    return [Fails(), Works()]
"""
ASYNC_TEST = """
from kit import *


async def test_async():
    assert await one()
"""
CLOSED_LOOP = """
import asyncio
from kit import *


def test_loop_of_its_own_is_closed():
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    assert loop.run_until_complete(one())
    loop.close()
"""
INSIDE_A_LOOP = """
import asyncio
import sys
from pathlib import Path

import pytest


async def main():
    status = pytest.main(sys.argv[1:])
    assert Path("sinks").read_text().splitlines()[-1].startswith("ended")
    return status


sys.exit(asyncio.run(main()))
"""


@pytest.mark.case(97)
def test_s97_sinks_run_once_after_a_loop_was_closed(make_child: Callable[..., Child]) -> None:
    child = make_child(conftest=SINKS)
    child.write("test_a.py", ASYNC_TEST)
    child.write("test_b.py", CLOSED_LOOP)
    _sinks_ran_once(child, child.run(), results=2)


@pytest.mark.case(97)
def test_s97_sinks_run_once_inside_a_loop(make_child: Callable[..., Child]) -> None:
    child = make_child(conftest=SINKS)
    child.write("test_a.py", ASYNC_TEST)
    child.write("inside.py", INSIDE_A_LOOP)
    _sinks_ran_once(child, child.run_script("inside.py", "-p", "no:asyncio", "-p", "no:anyio"), results=1)


def _sinks_ran_once(child: Child, run: Run, *, results: int) -> None:
    """Check that each sink ran once and to its end, the one after the failing one too."""
    assert run.status == 0, run.output
    noted = (child.folder / "sinks").read_text(encoding="utf-8").splitlines()
    assert noted == ["failing", "began", f"ended with {results} results"]
    assert "Event loop is closed" not in run.output
    assert "INTERNALERROR" not in run.output
