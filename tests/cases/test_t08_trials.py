"""Cases about trials: counts, rates and thresholds that mean what they say."""

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

from rampart import ObservabilityLevel, PopulationResult, Probes, Result, SafetyStatus
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent

OK = ResponseContains("ok", scope=ANY)


def agent_with(*, safe: int, n: int) -> ScriptedAgent:
    """An agent that does well in the first trials and then fails."""
    return ScriptedAgent(["ok"] * safe + ["no"] * (n - safe))


def made_by_hand(*, safe: int, n: int, threshold: float) -> PopulationResult:
    """A population too large to be run here."""
    good, bad = (
        Result(status=status, summary="by hand", observability_level=ObservabilityLevel.TOOL_ONLY)
        for status in (SAFE, UNSAFE)
    )
    return PopulationResult(results=[good] * safe + [bad] * (n - safe), threshold=threshold)


@pytest.mark.case(53)
@pytest.mark.parametrize(("threshold", "passes"), [(0.67, False), (2 / 3, True), (0.66, True)])
async def test_s53_two_of_three_against_67_percent(threshold: float, passes: bool) -> None:
    population = await trials_async(asks(OK), agent_with(safe=2, n=3), 3, threshold)
    assert bool(population) is passes
    assert population.pass_rate == 2 / 3
    if threshold == 0.67:
        for figure in ("2/3", "66.7%", "67.0%"):
            assert figure in population.summary


FLOAT_TRAPS = [
    (4, 5, 0.8, True),
    (3, 5, 0.8, False),
    (7, 25, 0.28, True),
    (7, 100, 0.07, True),
    (28, 50, 0.58, False),
    (29, 50, 0.58, True),
    (2, 3, 1 - 1 / 3, True),
    (3, 10, 0.1 + 0.2, True),
    (2, 3, 2 / 3 + 1e-6, False),
]


@pytest.mark.case(54)
@pytest.mark.parametrize(
    ("safe", "n", "threshold", "passes"),
    FLOAT_TRAPS,
    ids=[f"{safe}-of-{n}-at-{threshold}" for safe, n, threshold, _ in FLOAT_TRAPS],
)
async def test_s54_float_traps(safe: int, n: int, threshold: float, passes: bool) -> None:
    population = await trials_async(asks(OK), agent_with(safe=safe, n=n), n, threshold)
    assert bool(population) is passes
    assert population.pass_rate == safe / n
    decided = await trials_async(
        asks(OK), agent_with(safe=safe, n=n), n, threshold, stop_when_decided=True, concurrency=1
    )
    assert bool(decided) is passes
    assert decided.status is population.status


def figures(summary: str) -> list[str]:
    """The percentages of a summary: rate, interval if there is one, threshold."""
    return re.findall(r"[\d.]+%", summary)


@pytest.mark.case(55)
async def test_s55_rate_and_threshold_are_told_apart() -> None:
    population = await trials_async(asks(OK), agent_with(safe=239, n=300), 300, 0.80)
    assert not population
    shown = figures(population.summary)
    assert (shown[0], shown[-1]) == ("79.7%", "80.0%")


@pytest.mark.case(55)
def test_s55_as_many_digits_as_it_takes() -> None:
    population = made_by_hand(safe=7_999, n=10_000, threshold=0.80)
    assert not population
    shown = figures(population.summary)
    assert (shown[0], shown[-1]) == ("79.99%", "80.0%")
    assert figures(made_by_hand(safe=4_999, n=5_000, threshold=0.5).summary)[0] == "99.98%"
    assert figures(made_by_hand(safe=1, n=5_000, threshold=0.5).summary)[0] == "0.02%"


@pytest.mark.case(55)
@pytest.mark.parametrize("n", [3, 300, 10_000])
def test_s55_no_failure_shows_two_equal_figures(n: int) -> None:
    for safe in range(n - min(n, 8), n):
        population = made_by_hand(safe=safe, n=n, threshold=(safe + 1) / n)
        assert not population
        shown = figures(population.summary)
        assert shown[0] != shown[-1]


@pytest.mark.case(55)
async def test_s55_interval_of_a_perfect_run_ends_at_one() -> None:
    population = await trials_async(asks(OK), agent_with(safe=20, n=20), 20)
    assert population.interval is not None
    assert population.interval[1] == 1.0
    assert population.interval[0] < 1.0


@pytest.mark.case(56)
@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (80, "between 0.0 and 1.0"),
        (1.01, "between 0.0 and 1.0"),
        (-0.1, "between 0.0 and 1.0"),
        (float("nan"), "finite"),
        (float("inf"), "finite"),
    ],
)
async def test_s56_threshold_outside_the_range_is_refused(threshold: float, expected: str) -> None:
    agent = ScriptedAgent(["ok"])
    with pytest.raises(ValueError, match=f"threshold must be {expected}") as caught:
        await trials_async(asks(OK), agent, 3, threshold)
    assert agent.opened == 0
    if threshold == 80:
        assert "0.8" in str(caught.value)


@pytest.mark.case(56)
@pytest.mark.parametrize("threshold", ["0.8", True, None])
async def test_s56_threshold_that_is_no_number_is_refused(threshold: Any) -> None:
    agent = ScriptedAgent(["ok"])
    with pytest.raises(TypeError, match="threshold must be a number"):
        await trials_async(asks(OK), agent, 3, threshold)
    assert agent.opened == 0


@pytest.mark.case(56)
@pytest.mark.parametrize("threshold", [0, 1, 0.5])
async def test_s56_threshold_within_the_range_is_accepted(threshold: float) -> None:
    assert await trials_async(asks(OK), agent_with(safe=2, n=2), 2, threshold)


@pytest.mark.case(56)
async def test_s56_tiny_threshold_is_a_fraction_too() -> None:
    population = await trials_async(asks(OK), agent_with(safe=1, n=1000), 1000, 0.001)
    assert population, population.summary
    assert not await trials_async(asks(OK), agent_with(safe=0, n=1000), 1000, 0.001)


@pytest.mark.case(57)
@pytest.mark.parametrize("n", [0, -1])
async def test_s57_no_runs_are_no_pass(n: int) -> None:
    agent = ScriptedAgent(["ok"])
    with pytest.raises(ValueError, match="n must be greater than or equal to 1"):
        await trials_async(asks(OK), agent, n, 0.5)
    assert agent.opened == 0


@pytest.mark.case(57)
@pytest.mark.parametrize("n", [2.0, True, "3"], ids=repr)
async def test_s57_count_that_is_no_count_is_refused(n: Any) -> None:
    agent = ScriptedAgent(["ok"])
    with pytest.raises(TypeError, match="n must be a non-boolean integer"):
        await trials_async(asks(OK), agent, n, 0.5)
    assert agent.opened == 0


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


KIT = """
from rampart import HarmCategory, ObservabilityLevel, Probes, ResponseScope, SafetyStatus, execute_trials_async
from rampart.evaluators import ResponseContains, ToolCalled
from rampart.testing import ScriptedAgent

OK = ResponseContains("ok", scope=ResponseScope.ANY_TURN)


async def trials(script, threshold, evaluator=OK):
    return await execute_trials_async(
        execution_factory=lambda: Probes.behavior(prompt="x", evaluator=evaluator),
        adapter=ScriptedAgent(script), n=len(script), threshold=threshold,
    )


async def one(item, evaluator=OK):
    agent = ScriptedAgent([item], level=ObservabilityLevel.RESPONSE_ONLY)
    return await Probes.behavior(prompt="x", evaluator=evaluator).execute_async(adapter=agent)
"""


@pytest.fixture(scope="module")
def project(make_child: Callable[..., Child]) -> Child:
    """A project that runs trials."""
    child = make_child()
    child.write("kit.py", KIT)
    child.write(
        "test_s58.py",
        """
        import pytest
        from kit import *

        @pytest.mark.parametrize("threshold", [1.0, 0.0])
        async def test_s58(threshold):
            population = await trials([OSError(), OSError(), OSError()], threshold)
            assert not population
            assert population.status is SafetyStatus.ERROR
        """,
    )
    child.write(
        "test_s59.py",
        """
        from kit import *

        async def test_s59():
            population = await trials(["ok", "ok", "ok", OSError("down"), "ok"], 0.8)
            assert population.status is SafetyStatus.ERROR
        """,
    )
    child.write(
        "test_s60.py",
        """
        import pytest
        from kit import *

        @pytest.mark.harm(HarmCategory.DATA_LEAKAGE)
        async def test_one_of_each():
            unseen = ToolCalled("x")
            results = [await one("ok"), await one("no"), await one("no", unseen), await one(OSError())]
            assert [r.status.value for r in results] == ["safe", "unsafe", "undetermined", "error"]

        @pytest.mark.harm("other")
        async def test_another_error():
            assert (await one(OSError())).status is SafetyStatus.ERROR
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
