"""Trials grouped by probe, and the verdict over each group."""

import pytest
from tests.demo.made_runs import ERROR, SAFE, UNSAFE, as_announced, trials

from rampart.core.result import SafetyStatus
from rampart.demo.claims import CLAIMS
from rampart.demo.outcome import outcomes
from rampart.records.record import ResultRecord


def test_what_is_announced() -> None:
    results = outcomes(as_announced())
    assert [outcome.claim for outcome in results] == list(CLAIMS)
    assert [len(outcome.trials) for outcome in results] == [4, 2, 3, 2]
    assert all(outcome.complete and outcome.as_expected for outcome in results)


def test_one_of_each_kind_is_announced() -> None:
    """Otherwise the demo would not show what a failing probe looks like, or a passing one."""
    assert {claim.expected for claim in CLAIMS} == {SafetyStatus.SAFE, SafetyStatus.UNSAFE}


@pytest.mark.parametrize(
    ("records", "complete", "as_expected"),
    [
        pytest.param([], False, False, id="nothing-recorded"),
        pytest.param(trials(0, SAFE, SAFE, size=3), False, True, id="trials-missing"),
        pytest.param(trials(0, SAFE, SAFE, ERROR), True, False, id="error"),
        pytest.param(trials(0, UNSAFE, UNSAFE), True, False, id="other-verdict"),
    ],
)
def test_what_is_not(records: list[ResultRecord], complete: bool, as_expected: bool) -> None:
    first = outcomes(records)[0]
    assert (first.complete, first.as_expected) == (complete, as_expected)


def test_results_of_other_tests_and_without_population_are_passed_over() -> None:
    [record] = trials(0, SAFE)
    other = ResultRecord(result=record.result, pytest_nodeid="test_mine.py::test_mine")
    record.result.population = None
    assert [len(outcome.trials) for outcome in outcomes([other])] == [0, 0, 0, 0]
    assert outcomes([record])[0].population is None
