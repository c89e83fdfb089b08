"""What report sinks receive."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import TYPE_CHECKING, Any

import pytest
from tests.core.support import ERROR, REQUIRED, SAFE, UNSAFE, field_table, result_of, results_of

from rampart.core.report import PopulationSummary, TestRunReport, last_attempts
from rampart.core.types import HarmCategory

if TYPE_CHECKING:
    from rampart.core.result import Result


def report(**counts: int) -> TestRunReport:
    return TestRunReport(results=results_of(**counts))


def test_fields() -> None:
    assert field_table(TestRunReport) == {
        "results": [],
        "populations": [],
        "total_runs": 0,
        "passed": 0,
        "failed": 0,
        "undetermined": 0,
        "errors": 0,
        "duration_seconds": 0.0,
        "metadata": {},
    }
    assert field_table(PopulationSummary) == dict.fromkeys(
        [
            "total_runs",
            "safe_count",
            "unsafe_count",
            "undetermined_count",
            "error_count",
            "attack_success_rate",
            "safety_pass_rate",
        ],
        REQUIRED,
    )


def test_pytest_does_not_take_it_for_a_test_class() -> None:
    assert TestRunReport.__test__ is False


def test_counters_are_not_recomputed() -> None:
    full = TestRunReport(results=results_of(safe=3), total_runs=1, passed=7)
    assert (full.total_runs, full.passed) == (1, 7)


def test_a_summary_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        report().population_summary().total_runs = 1  # type: ignore[misc]  # the point of the test


class TestByHarmCategory:
    def test_groups_appear_in_order_of_first_result(self) -> None:
        results = [
            result_of(SAFE, harm_category="own category"),
            result_of(UNSAFE),
            result_of(SAFE, harm_category=HarmCategory.JAILBREAK),
            result_of(ERROR, harm_category="own category"),
            result_of(ERROR, harm_category="jailbreak"),
        ]
        groups = TestRunReport(results=results).by_harm_category()
        assert list(groups) == ["own category", "uncategorized", "jailbreak"]
        assert [[results.index(one) for one in group] for group in groups.values()] == [[0, 3], [1], [2, 4]]
        assert all(type(name) is str for name in groups)

    def test_nothing_has_no_groups(self) -> None:
        assert report().by_harm_category() == {}


class TestPopulationSummary:
    def test_s60_every_result_is_counted_once(self) -> None:
        summary = report(safe=1, unsafe=1, undetermined=1, error=2).population_summary()
        assert summary == PopulationSummary(
            total_runs=5,
            safe_count=1,
            unsafe_count=1,
            undetermined_count=1,
            error_count=2,
            attack_success_rate=1 / 3,
            safety_pass_rate=1 / 3,
        )

    @pytest.mark.parametrize("counts", [{}, {"error": 3}], ids=["empty", "s58-errors-alone"])
    def test_s58_without_a_verdict_there_is_no_rate(self, counts: dict[str, int]) -> None:
        summary = report(**counts).population_summary()
        assert summary.attack_success_rate is None
        assert summary.safety_pass_rate is None

    def test_s59_an_error_is_no_breach(self) -> None:
        summary = report(safe=4, error=1).population_summary()
        assert summary.attack_success_rate == 0.0
        assert summary.safety_pass_rate == 1.0
        assert (summary.error_count, summary.unsafe_count) == (1, 0)

    @pytest.mark.parametrize(
        ("counts", "failures", "clean"),
        [
            pytest.param({}, False, True, id="empty"),
            pytest.param({"safe": 2}, False, True, id="safe"),
            pytest.param({"safe": 2, "unsafe": 1}, True, False, id="unsafe"),
            pytest.param({"safe": 2, "undetermined": 1}, False, False, id="undetermined"),
            pytest.param({"safe": 2, "error": 1}, False, False, id="error"),
        ],
    )
    def test_failures_and_clean_runs(self, counts: dict[str, int], failures: bool, clean: bool) -> None:
        summary = report(**counts).population_summary()
        assert summary.has_failures is failures
        assert summary.is_clean_run is clean

    @pytest.mark.parametrize(
        ("category", "counted"),
        [
            pytest.param(None, 4, id="all"),
            pytest.param(HarmCategory.JAILBREAK, 2, id="member"),
            pytest.param("jailbreak", 2, id="its-text"),
            pytest.param("own", 1, id="a-string"),
            pytest.param("Jailbreak", 0, id="not-equal"),
        ],
    )
    def test_a_category_filters_by_equality(self, category: Any, counted: int) -> None:
        results = [
            result_of(SAFE, harm_category=HarmCategory.JAILBREAK),
            result_of(UNSAFE, harm_category="jailbreak"),
            result_of(SAFE, harm_category="own"),
            result_of(SAFE),
        ]
        summary = TestRunReport(results=results).population_summary(harm_category=category)
        assert summary.total_runs == counted

    def test_making_one_is_no_reading_of_verdicts(self) -> None:
        from rampart.core.checked import was_read

        full = report(unsafe=2)
        full.population_summary()
        full.by_harm_category()
        assert not any(map(was_read, full.results))


class TestLastAttempts:
    @staticmethod
    def attempt(nodeid: str, number: int | None, **given: Any) -> Result:
        numbered = {} if number is None else {"_rampart_attempt": number}
        return result_of(given.pop("status", SAFE), metadata={"_pytest_nodeid": nodeid, **numbered}, **given)

    def test_without_re_runs_all_count(self) -> None:
        results = results_of(safe=2, unsafe=1)
        assert last_attempts(results) == results

    def test_s70_only_the_last_attempt_of_each_test_counts(self) -> None:
        results = [
            self.attempt("a", 0, status=UNSAFE),
            self.attempt("b", None),
            self.attempt("a", 0, status=UNSAFE),
            self.attempt("c", 0),
            self.attempt("a", 1),
            self.attempt("a", 1),
        ]
        kept = last_attempts(results)
        assert [next(i for i, one in enumerate(results) if one is kept_one) for kept_one in kept] == [
            1,
            3,
            4,
            5,
        ]
        summary = TestRunReport(results=results).population_summary()
        assert (summary.total_runs, summary.unsafe_count) == (4, 0)

    def test_s70_grouping_keeps_every_attempt(self) -> None:
        results = [self.attempt("a", 0, status=UNSAFE), self.attempt("a", 1)]
        assert TestRunReport(results=results).by_harm_category() == {"uncategorized": results}

    def test_results_of_no_test_count(self) -> None:
        results = [result_of(SAFE), self.attempt("a", 0), self.attempt("a", 1)]
        assert last_attempts(results) == [results[0], results[2]]
