"""Cases about trials: what many runs say together, and that all who show it agree."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.cases.child import Child, Run
from tests.cases.words import (
    ANY,
    DETECTED,
    ERROR,
    NOT_DETECTED,
    SAFE,
    UNDETERMINED,
    UNSAFE,
    UNSETTLED,
    Answers,
    asks,
    trials_async,
)

from rampart import Probes, SafetyStatus
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent

OK = ResponseContains("ok", scope=ANY)


def agent_with(*, safe: int, n: int) -> ScriptedAgent:
    """An agent that does well in the first trials and then fails."""
    return ScriptedAgent(["ok"] * safe + ["no"] * (n - safe))


@pytest.mark.case(58)
@pytest.mark.parametrize("threshold", [1.0, 0.0])
async def test_s58_all_trials_failed(threshold: float) -> None:
    agent = ScriptedAgent([OSError()], repeat_last=True)
    population = await trials_async(asks(OK), agent, 3, threshold)
    assert not population
    assert population.status is ERROR
    assert population.interval is None


@pytest.mark.case(58)
async def test_s58_nothing_but_undetermined_is_no_evidence() -> None:
    population = await trials_async(asks(Answers(UNSETTLED)), agent_with(safe=3, n=3), 3, 0.0)
    assert not population
    assert population.status is UNDETERMINED


@pytest.mark.case(59)
async def test_s59_one_failure_among_successes() -> None:
    agent = ScriptedAgent(["ok", "ok", OSError("down"), "ok", "ok"])
    population = await trials_async(asks(OK), agent, 5, 0.8)
    assert not population
    assert population.status is ERROR
    assert population.pass_rate == 4 / 5
    assert [result.status for result in population.results] == [SAFE, SAFE, ERROR, SAFE, SAFE]


@pytest.mark.case(62)
@pytest.mark.parametrize("concurrency", [1, None])
async def test_s62_equal_prompts_are_sent_as_often_as_asked(concurrency: int | None) -> None:
    agent = ScriptedAgent(["ok", "no", "ok", "no", "ok"])
    population = await trials_async(asks(OK), agent, 5, 0.5, concurrency=concurrency)
    assert (agent.opened, agent.closed) == (5, 5)
    assert agent.prompts == ["go on"] * 5
    assert [result.status for result in population.results] == [SAFE, UNSAFE, SAFE, UNSAFE, SAFE]
    assert population.pass_rate == 0.6
    assert population


@pytest.mark.case(63)
async def test_s63_one_unsafe_under_a_lenient_threshold() -> None:
    population = await trials_async(asks(OK), agent_with(safe=9, n=10), 10, 0.8)
    assert population
    assert population.status is SAFE
    assert [result.status for result in population.results].count(UNSAFE) == 1


@pytest.mark.case(64)
@pytest.mark.parametrize(
    ("answer", "status"),
    [
        pytest.param(DETECTED, SAFE, id="safe"),
        pytest.param(NOT_DETECTED, UNSAFE, id="unsafe"),
        pytest.param(UNSETTLED, UNDETERMINED, id="undetermined"),
        pytest.param(ValueError("no"), ERROR, id="error"),
    ],
)
async def test_s64_one_trial_is_a_single_run(answer: Any, status: SafetyStatus) -> None:
    execution = Probes.behavior(prompt="go on", evaluator=Answers(answer))
    single = await execution.execute_async(adapter=ScriptedAgent(["ok"]))
    population = await trials_async(
        lambda: Probes.behavior(prompt="go on", evaluator=Answers(answer)), ScriptedAgent(["ok"]), 1, 1.0
    )
    (only,) = population.results
    assert single.status is only.status is status
    assert bool(population) is bool(single)
    assert only.summary == single.summary
    assert only.population is not None
    assert (only.population.index, only.population.size) == (0, 1)
    assert single.population is None


@pytest.fixture(scope="module")
def project(make_child: Callable[..., Child]) -> Child:
    """A project that runs trials."""
    child = make_child()
    child.write(
        "test_s58.py",
        """
        import pytest
        from kit import *

        @pytest.mark.parametrize("threshold", [1.0, 0.0])
        async def test_s58(threshold):
            population = await trials([OSError(), OSError(), OSError()], threshold)
            assert not population
            assert population.status is ERROR
        """,
    )
    child.write(
        "test_s59.py",
        """
        from kit import *

        async def test_s59():
            population = await trials(["ok", "ok", "ok", OSError("down"), "ok"], 0.8)
            assert population.status is ERROR
        """,
    )
    child.write(
        "test_s60.py",
        """
        import pytest
        from kit import *
        from rampart import HarmCategory
        from rampart.evaluators import ToolCalled

        @pytest.mark.harm(HarmCategory.DATA_LEAKAGE)
        async def test_one_of_each():
            unseen = ToolCalled("x")
            results = [await one("ok"), await one("no"), await one("no", unseen), await one(OSError())]
            assert [r.status.value for r in results] == ["safe", "unsafe", "undetermined", "error"]

        @pytest.mark.harm("other")
        async def test_another_error():
            assert (await one(OSError())).status is ERROR
        """,
    )
    for name, threshold in (("test_s61_met.py", 0.8), ("test_s61_missed.py", 0.81)):
        child.write(
            name,
            f"""
            import pytest
            from kit import *

            async def test_s61():
                population = await trials(["ok", "ok", "no", "ok", "ok"], {threshold})
                assert bool(population) is {threshold == 0.8}
                assert population, population.summary
            """,
        )
    child.write(
        "test_s63.py",
        """
        import pytest
        from kit import *

        SCRIPT = ["ok"] * 4 + ["no"] + ["ok"] * 5
        MEMBERS = iter(SCRIPT)

        async def test_function():
            population = await trials(SCRIPT, 0.8)
            assert population, population.summary

        @pytest.mark.trial(n=10, threshold=0.8)
        async def test_marker():
            result = await one(next(MEMBERS))
            assert result, result.summary
        """,
    )
    return child


@pytest.fixture(scope="module")
def failing_run(project: Child) -> Run:
    """A run in which every trial of two populations fails."""
    return project.run("test_s58.py")


@pytest.mark.case(58)
def test_s58_rates_without_a_denominator(failing_run: Run) -> None:
    assert failing_run.status == 0, failing_run.output
    assert [one["status"] for one in failing_run.populations()] == ["error", "error"]
    summary = failing_run.report["population_summary"]
    assert (summary["safety_pass_rate"], summary["attack_success_rate"]) == (None, None)
    assert summary["error_count"] == failing_run.report["errors"] == 6
    assert "n/a" in failing_run.line_with("Population:")


@pytest.mark.case(59)
def test_s59_failure_is_no_breach(project: Child) -> None:
    run = project.run("test_s59.py")
    assert run.status == 0, run.output
    (population,) = run.populations()
    assert population["status"] == "error"
    assert population["pass_rate"] == 0.8
    summary = run.report["population_summary"]
    assert (summary["attack_success_rate"], summary["error_count"], summary["unsafe_count"]) == (0.0, 1, 0)
    assert run.line_with("test_s59 -- ").startswith("  ERR   test_s59 -- 4/5")
    assert run.line_with("test_s59[3] -- ").startswith("  ERR   test_s59[3] -- OSError")


@pytest.mark.case(60)
def test_s60_errors_are_counted_alike_everywhere(project: Child) -> None:
    run = project.run("test_s60.py")
    assert run.status == 0, run.output
    report = run.report
    totals = [report[key] for key in ("total_runs", "passed", "failed", "undetermined", "errors")]
    assert totals == [5, 1, 1, 1, 2]
    by_category = {
        category: sorted(result["status"] for result in results)
        for category, results in report["by_harm_category"].items()
    }
    assert by_category == {"data_leakage": ["error", "safe", "undetermined", "unsafe"], "other": ["error"]}
    assert report["population_summary"]["error_count"] == 2
    last = run.line_with("Population:")
    for figure in ("5 runs", "1 unsafe", "1 undetermined", "2 errors"):
        assert figure in last
    assert run.line_with("DATA_LEAKAGE").strip() == "DATA_LEAKAGE (4 results)"
    assert run.line_with("OTHER (").strip() == "OTHER (1 results)"
    labels = re.findall(r"^  (PASS|FAIL|WARN|ERR )  ", run.output, re.MULTILINE)
    assert sorted(labels) == ["ERR ", "ERR ", "FAIL", "PASS", "WARN"]


@pytest.mark.case(61)
@pytest.mark.parametrize(
    ("file", "status", "outcome", "label"),
    [
        pytest.param("test_s61_met.py", "safe", "passed", "PASS", id="met"),
        pytest.param("test_s61_missed.py", "unsafe", "failed", "FAIL", id="missed"),
    ],
)
def test_s61_all_say_the_same(project: Child, file: str, status: str, outcome: str, label: str) -> None:
    run = project.run(file)
    assert run.status == (0 if outcome == "passed" else 1), run.output
    assert run.outcomes == {"test_s61": outcome}
    assert [one["status"] for one in run.populations()] == [status]
    (line,) = [line["population"] for line in run.journal if "population" in line]
    assert line == run.populations()[0]
    shown = run.line_with("test_s61 -- 4/5")
    assert shown.startswith(f"  {label}  ")
    assert shown.endswith(f"status: {status}")
    if outcome == "failed":
        for figure in ("4/5", "80.0%", "81.0%"):
            assert figure in run.messages["test_s61"]


@pytest.mark.case(63)
def test_s63_every_way_passes_and_shows_the_unsafe_trial(project: Child) -> None:
    run = project.run("test_s63.py")
    assert run.status == 0, run.output
    for test in ("test_function", "test_marker"):
        (population,) = run.populations(test)
        assert (population["status"], population["safe_count"], population["size"]) == ("safe", 9, 10)
        lines = run.output.splitlines()
        place = next(
            number for number, line in enumerate(lines) if line.startswith(f"  PASS  {test} -- 9/10")
        )
        assert lines[place + 1].startswith(f"  FAIL  {test}[4] -- unsafe")
    journal = [line["population"]["status"] for line in run.journal if "population" in line]
    assert journal == ["safe", "safe"]
