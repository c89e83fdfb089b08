"""Verdicts over many trials."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.core.support import (
    ERROR,
    REQUIRED,
    SAFE,
    UNDETERMINED,
    UNSAFE,
    field_table,
    result_of,
    results_of,
)

from rampart.core.population import PopulationResult, Tally, member_verdicts, population_line, worst_status
from rampart.core.result import PopulationRef, Result
from rampart.statistics.interval import wilson_interval

if TYPE_CHECKING:
    from rampart.core.result import SafetyStatus


def population(threshold: float = 1.0, requested: int | None = None, **counts: int) -> PopulationResult:
    return PopulationResult(results=results_of(**counts), threshold=threshold, requested_count=requested)


def test_fields() -> None:
    assert field_table(PopulationResult) == {
        "results": REQUIRED,
        "threshold": REQUIRED,
        "requested_count": None,
    }


class TestConstruction:
    @pytest.mark.parametrize(
        ("threshold", "error", "text"),
        [
            pytest.param(True, TypeError, "threshold must be a number$", id="bool"),
            pytest.param("0.8", TypeError, "threshold must be a number$", id="text"),
            pytest.param(None, TypeError, "threshold must be a number$", id="none"),
            pytest.param(float("nan"), ValueError, "threshold must be finite$", id="nan"),
            pytest.param(float("inf"), ValueError, "threshold must be finite$", id="infinite"),
            pytest.param(10**400, ValueError, "threshold must be finite$", id="huge"),
            pytest.param(1.01, ValueError, r"threshold must be between 0\.0 and 1\.0, got 1\.01", id="above"),
            pytest.param(
                -0.1, ValueError, r"threshold must be between 0\.0 and 1\.0, got -0\.1$", id="below"
            ),
            pytest.param(80, ValueError, r"threshold must be .*for 80% write 0\.8$", id="percent"),
        ],
    )
    def test_s56_thresholds_that_are_no_fraction(
        self, threshold: Any, error: type[Exception], text: str
    ) -> None:
        with pytest.raises(error, match=f"^{text}"):
            population(threshold, safe=1)

    @pytest.mark.parametrize("threshold", [0, 1, 0.5], ids=str)
    def test_s56_fractions_become_floats(self, threshold: float) -> None:
        assert type(population(threshold, safe=1).threshold) is float

    @pytest.mark.parametrize(("requested", "kept"), [(None, 2), (2, 2), (5, 5)], ids=str)
    def test_the_requested_count_defaults_to_what_ran(self, requested: int | None, kept: int) -> None:
        assert population(requested=requested, safe=2).requested_count == kept

    def test_more_cannot_have_run_than_were_requested(self) -> None:
        text = "requested_count must not be less than the number of results, got 1 for 2 results"
        with pytest.raises(ValueError, match=f"^{text}$"):
            population(requested=1, safe=2)


class TestStatus:
    @pytest.mark.parametrize(
        ("counts", "threshold", "status"),
        [
            pytest.param({}, 0.0, UNDETERMINED, id="nobody-at-0"),
            pytest.param({}, 1.0, UNDETERMINED, id="nobody-at-1"),
            pytest.param({"safe": 3}, 1.0, SAFE, id="all-safe"),
            pytest.param({"unsafe": 3}, 1.0, UNSAFE, id="all-unsafe"),
            pytest.param({"unsafe": 3}, 0.0, SAFE, id="all-unsafe-tolerated-at-0"),
            pytest.param({"undetermined": 3}, 1.0, UNDETERMINED, id="nothing-seen"),
            pytest.param({"undetermined": 3}, 0.0, UNDETERMINED, id="nothing-seen-at-0"),
            pytest.param({"error": 3}, 1.0, ERROR, id="s58-all-errors-at-1"),
            pytest.param({"error": 3}, 0.0, ERROR, id="s58-all-errors-at-0"),
            pytest.param({"safe": 4, "error": 1}, 0.8, ERROR, id="s59-one-error-sinks-it"),
            pytest.param({"safe": 9, "unsafe": 1}, 0.8, SAFE, id="s63-one-unsafe-tolerated"),
            pytest.param({"safe": 4, "unsafe": 1}, 0.8, SAFE, id="s61-just-met"),
            pytest.param({"safe": 4, "unsafe": 1}, 0.81, UNSAFE, id="s61-just-missed"),
            pytest.param({"safe": 4, "undetermined": 1}, 0.8, SAFE, id="undetermined-within-tolerance"),
            pytest.param({"safe": 3, "undetermined": 2}, 0.8, UNDETERMINED, id="undetermined-counts-against"),
            pytest.param({"safe": 3, "unsafe": 1, "undetermined": 1}, 0.8, UNSAFE, id="unsafe-over-undet"),
            pytest.param({"unsafe": 1, "undetermined": 9}, 0.0, SAFE, id="somebody-saw-something-at-0"),
            pytest.param({"unsafe": 1, "error": 1}, 0.5, ERROR, id="error-over-unsafe"),
        ],
    )
    def test_truth_table(self, counts: dict[str, int], threshold: float, status: SafetyStatus) -> None:
        asked = population(threshold, **counts)
        assert asked.status is status
        assert asked.safe is (status is SAFE)
        assert bool(asked) is (status is SAFE)

    @pytest.mark.parametrize(
        ("safe", "n", "threshold", "passes"),
        [
            pytest.param(2, 3, 0.67, False, id="s53-floor-just-above-two-thirds"),
            pytest.param(2, 3, 2 / 3, True, id="s53-two-thirds"),
            pytest.param(2, 3, 0.66, True, id="s53-floor-just-below"),
            pytest.param(4, 5, 0.8, True, id="s54-4-of-5"),
            pytest.param(3, 5, 0.8, False, id="s54-3-of-5"),
            pytest.param(7, 25, 0.28, True, id="s54-ceil-trap-25"),
            pytest.param(7, 100, 0.07, True, id="s54-ceil-trap-100"),
            pytest.param(28, 50, 0.58, False, id="s54-int-trap-below"),
            pytest.param(29, 50, 0.58, True, id="s54-int-trap-met"),
            pytest.param(2, 3, 1 - 1 / 3, True, id="s54-threshold-rounded-up"),
            pytest.param(3, 10, 0.1 + 0.2, True, id="s54-threshold-summed-up"),
            pytest.param(2, 3, 2 / 3 + 1e-6, False, id="s54-a-millionth-is-a-difference"),
            pytest.param(239, 300, 0.8, False, id="s55-239-of-300"),
            pytest.param(7_999, 10_000, 0.8, False, id="s55-7999-of-10000"),
            pytest.param(1, 1_000, 0.001, True, id="s56-one-in-a-thousand"),
        ],
    )
    def test_no_rounding_before_comparing(self, safe: int, n: int, threshold: float, passes: bool) -> None:
        assert bool(population(threshold, safe=safe, unsafe=n - safe)) is passes

    def test_s82_a_member_without_a_verdict_is_an_error(self) -> None:
        odd = result_of("unsafe")  # type: ignore[arg-type]  # a faulty strategy
        asked = PopulationResult(results=[result_of(SAFE), odd], threshold=0.5)
        assert asked.status is ERROR
        assert asked.summary.startswith("1/2 trials safe")
        assert Tally.of_counts(Counter([SAFE, "unsafe"])) == Tally(safe=1, error=1)  # type: ignore[list-item]  # likewise


class TestFigures:
    def test_counts_and_rate(self) -> None:
        asked = population(0.5, safe=3, unsafe=1, undetermined=2, error=2)
        assert (asked.safe_count, asked.executed_count, asked.pass_rate) == (3, 8, 3 / 8)

    def test_rate_of_nobody_is_zero(self) -> None:
        asked = population()
        assert (asked.safe_count, asked.executed_count, asked.pass_rate) == (0, 0, 0.0)

    def test_s59_errors_count_against_the_rate(self) -> None:
        assert population(0.8, safe=4, error=1).pass_rate == 0.8

    @pytest.mark.parametrize(
        ("counts", "interval"),
        [
            pytest.param({"safe": 1, "unsafe": 1}, wilson_interval(1, 2), id="one-of-two"),
            pytest.param({"safe": 4, "error": 1}, wilson_interval(4, 4), id="errors-are-left-out"),
            pytest.param({"safe": 1, "undetermined": 3}, wilson_interval(1, 4), id="undetermined-counts"),
            pytest.param({}, None, id="nobody"),
            pytest.param({"error": 3}, None, id="s58-errors-alone"),
        ],
    )
    def test_interval(self, counts: dict[str, int], interval: tuple[float, float] | None) -> None:
        assert population(**counts).interval == interval

    def test_s55_the_interval_ends_exactly_where_nothing_was_missed(self) -> None:
        all_safe, none_safe = population(safe=20).interval, population(unsafe=20).interval
        assert all_safe is not None
        assert all_safe[1] == 1.0
        assert none_safe is not None
        assert none_safe[0] == 0.0

    def test_the_published_value_for_one_of_two(self) -> None:
        assert population(safe=1, unsafe=1).interval == pytest.approx((0.0945, 0.9055), abs=5e-5)

    def test_members_that_change_are_seen(self) -> None:
        asked = population(1.0, safe=2)
        asked.results[0].status = UNSAFE
        assert asked.status is UNSAFE
        assert asked.safe_count == 1


class TestSummary:
    @pytest.mark.parametrize(
        ("asked", "text"),
        [
            pytest.param(
                population(0.5, safe=1, unsafe=1),
                "1/2 trials safe (50.0% pass rate, 95% interval: 9.5%-90.5%, threshold: 50.0%); status: safe",
                id="example",
            ),
            pytest.param(
                population(0.67, safe=2, unsafe=1),
                "2/3 trials safe (66.7% pass rate, 95% interval: 20.8%-93.9%, threshold: 67.0%); "
                "status: unsafe",
                id="s53-both-figures",
            ),
            pytest.param(
                population(1.0),
                "0/0 trials safe (0.0% pass rate, threshold: 100.0%); status: undetermined",
                id="nobody-has-no-interval",
            ),
            pytest.param(
                population(0.0, error=3),
                "0/3 trials safe (0.0% pass rate, threshold: 0.0%); status: error",
                id="s58-errors-have-no-interval",
            ),
            pytest.param(
                population(0.5, requested=10, safe=5),
                "5/5 trials safe (100.0% pass rate, threshold: 50.0%); status: safe; decided after 5 of 10",
                id="stopped-early-has-no-interval",
            ),
            pytest.param(
                population(0.8, safe=239, unsafe=61),
                "239/300 trials safe (79.7% pass rate, 95% interval: 74.8%-83.8%, threshold: 80.0%); "
                "status: unsafe",
                id="s55-one-decimal-will-do",
            ),
            pytest.param(
                population(0.8, safe=7_999, unsafe=2_001),
                "7999/10000 trials safe (79.99% pass rate, 95% interval: 79.2%-80.8%, threshold: 80.0%); "
                "status: unsafe",
                id="s55-two-decimals-needed",
            ),
            pytest.param(
                population(1.0, safe=4_999, unsafe=1),
                "4999/5000 trials safe (99.98% pass rate, 95% interval: 99.9%-99.996%, threshold: 100.0%); "
                "status: unsafe",
                id="s55-nearly-all-is-not-all",
            ),
            pytest.param(
                population(0.80004, safe=4, unsafe=1),
                "4/5 trials safe (80.000% pass rate, 95% interval: 37.6%-96.4%, threshold: 80.004%); "
                "status: unsafe",
                id="s55-a-threshold-just-above",
            ),
            pytest.param(
                population(1 - 1 / 3, safe=2, unsafe=1),
                "2/3 trials safe (66.7% pass rate, 95% interval: 20.8%-93.9%, threshold: 66.7%); "
                "status: safe",
                id="s54-met-within-the-tolerance",
            ),
        ],
    )
    def test_whole_text(self, asked: PopulationResult, text: str) -> None:
        assert asked.summary == text

    @pytest.mark.parametrize(
        ("asked", "text"),
        [
            pytest.param(
                population(0.5, safe=1, unsafe=3),
                "PopulationResult(safe=False, status=unsafe, safe_count=1, executed_count=4, pass_rate=0.25, "
                "threshold=0.5)",
                id="some",
            ),
            pytest.param(
                population(0),
                "PopulationResult(safe=False, status=undetermined, safe_count=0, executed_count=0, "
                "pass_rate=0.0, threshold=0.0)",
                id="nobody",
            ),
        ],
    )
    def test_repr(self, asked: PopulationResult, text: str) -> None:
        assert repr(asked) == text


class TestLineOfFigures:
    """The same line where there are figures and no results, such as in a report that is read back."""

    @pytest.mark.parametrize(
        ("executed", "status", "end"),
        [
            pytest.param(4, "safe", "95% interval: 9.5%-90.5%, threshold: 50.0%); status: safe", id="ended"),
            pytest.param(2, "safe", "threshold: 50.0%); status: safe; decided after 2 of 4", id="decided"),
            pytest.param(2, None, "threshold: 50.0%); no verdict: cut short after 2 of 4", id="cut-short"),
            pytest.param(
                4, None, "95% interval: 9.5%-90.5%, threshold: 50.0%); no verdict: cut short", id="no-verdict"
            ),
        ],
    )
    def test_how_it_ended(self, executed: int, status: str | None, end: str) -> None:
        line = population_line(
            safe=1, executed=executed, requested=4, threshold=0.5, interval=(0.095, 0.905), status=status
        )
        rate = "25.0%" if executed == 4 else "50.0%"
        assert line == f"1/{executed} trials safe ({rate} pass rate, {end}"


class TestEquality:
    def test_by_value(self) -> None:
        assert population(0.5, safe=1) == population(0.5, safe=1)

    @pytest.mark.parametrize(
        "other",
        [
            pytest.param(population(0.6, safe=1), id="threshold"),
            pytest.param(population(0.5, unsafe=1), id="members"),
            pytest.param(population(0.5, requested=2, safe=1), id="requested"),
            pytest.param("a population", id="another-type"),
        ],
    )
    def test_differences(self, other: object) -> None:
        asked = population(0.5, safe=1)
        assert asked != other
        assert (asked == other) is False

    def test_no_hash(self) -> None:
        with pytest.raises(TypeError, match="unhashable"):
            hash(population(safe=1))


class TestTally:
    def test_counting(self) -> None:
        tally = Tally.of([SAFE, UNSAFE, SAFE, ERROR, UNDETERMINED, SAFE])
        assert tally == Tally(safe=3, unsafe=1, undetermined=1, error=1)
        assert tally.executed == 6

    def test_of_nothing(self) -> None:
        assert Tally.of([]) == Tally()
        assert Tally().executed == 0


class TestMembers:
    @pytest.mark.parametrize(
        ("statuses", "worst"),
        [
            pytest.param([], UNDETERMINED, id="nothing-was-seen"),
            pytest.param([SAFE, SAFE], SAFE, id="safe"),
            pytest.param([SAFE, UNDETERMINED], UNDETERMINED, id="undetermined"),
            pytest.param([UNSAFE, UNDETERMINED, SAFE], UNSAFE, id="unsafe"),
            pytest.param([UNSAFE, ERROR, SAFE], ERROR, id="error"),
        ],
    )
    def test_the_worst_of_several(self, statuses: list[SafetyStatus], worst: SafetyStatus) -> None:
        assert worst_status(statuses) is worst
        assert worst_status(reversed(statuses)) is worst

    def test_a_trial_is_as_good_as_its_worst_result(self) -> None:
        def member(index: int, status: SafetyStatus) -> Result:
            return result_of(status, population=PopulationRef(id="p", index=index, size=3, threshold=1.0))

        members = [member(2, SAFE), member(0, SAFE), member(0, UNSAFE), member(2, SAFE), result_of(ERROR)]
        assert member_verdicts(members) == {2: SAFE, 0: UNSAFE}
