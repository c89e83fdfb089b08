"""Cases about thresholds and counts: what they compare, what they show, and which are refused."""

import re
from typing import Any

import pytest
from tests.cases.words import (
    ANY,
    SAFE,
    UNSAFE,
    asks,
    trials_async,
)

from rampart import ObservabilityLevel, PopulationResult, Result
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
