"""The corrected rate against published values, and its interval against its promise."""

import math

import pytest
from benchmarks.judge_correction import RUNS, SEED, simulated_coverage
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.statistics.interval import wilson_interval
from rampart.statistics.prevalence import CorrectedRate, corrected_rate

Counts = tuple[int, int, int, int, int, int]
_totals = st.integers(1, 300)
counts = st.tuples(_totals, _totals, _totals).flatmap(
    lambda sizes: st.tuples(
        st.integers(0, sizes[0]),
        st.just(sizes[0]),
        st.integers(0, sizes[1]),
        st.just(sizes[1]),
        st.integers(0, sizes[2]),
        st.just(sizes[2]),
    )
)


def _corrected(case: Counts, z: float = 1.959964) -> CorrectedRate | None:
    positives, tested, true_positives, known_positives, true_negatives, known_negatives = case
    return corrected_rate(
        positives=positives,
        tested=tested,
        true_positives=true_positives,
        known_positives=known_positives,
        true_negatives=true_negatives,
        known_negatives=known_negatives,
        z=z,
    )


def _width(corrected: CorrectedRate | None) -> float:
    assert corrected is not None
    return corrected.interval[1] - corrected.interval[0]


@pytest.mark.parametrize(
    ("case", "expected", "digits"),
    [
        # The examples of Lang and Reiczigel (2014), with the limits that the paper gives.
        pytest.param((4060, 11284, 178, 179, 358, 359), (0.349, 0.372), 3, id="example-1"),
        pytest.param((51, 2971, 32, 33, 20, 20), (0.0, 0.053), 3, id="example-2"),
        pytest.param((712, 11862, 8, 10, 12, 12), (0.0, 0.147), 3, id="example-3"),
        pytest.param((259, 509, 84, 127, 96, 109), (0.58, 0.87), 2, id="example-4"),
        pytest.param((51, 509, 23, 41, 187, 195), (0.037, 0.195), 3, id="example-4-second"),
    ],
)
def test_published_intervals(case: Counts, expected: tuple[float, float], digits: int) -> None:
    corrected = _corrected(case)
    assert corrected is not None
    assert tuple(round(bound, digits) for bound in corrected.interval) == expected


@pytest.mark.parametrize(
    ("case", "rate"),
    [
        # (0.5 + 0.8 - 1) / (0.9 + 0.8 - 1)
        pytest.param((50, 100, 9, 10, 8, 10), 3 / 7, id="by-hand"),
        pytest.param((30, 100, 10, 10, 10, 10), 0.3, id="perfect-test-changes-nothing"),
        pytest.param((10, 100, 9, 10, 8, 10), 0.0, id="fewer-than-false-alarms-give-0"),
        pytest.param((95, 100, 9, 10, 8, 10), 1.0, id="more-than-it-can-find-gives-1"),
    ],
)
def test_rogan_gladen_estimate(case: Counts, rate: float) -> None:
    corrected = _corrected(case)
    assert corrected is not None
    assert corrected.rate == pytest.approx(rate, abs=1e-12)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param((5, 10, 5, 10, 5, 10), id="coin"),
        pytest.param((5, 10, 2, 10, 3, 10), id="worse-than-a-coin"),
        pytest.param(
            (5, 10, 3, 10, 7, 10), id="exactly-1-in-whole-numbers"
        ),  # 0.3 + 0.7 - 1 is not 0.0 in floats
        pytest.param((5, 10, 1, 1, 1, 100), id="one-known-case-is-no-proof"),
        pytest.param((5, 10, 10, 10, 0, 10), id="says-yes-to-everything"),
    ],
)
def test_a_test_that_tells_nothing_gives_no_correction(case: Counts) -> None:
    assert _corrected(case) is None


@pytest.mark.parametrize(
    "case",
    [
        # Two of three false alarms expected, none seen: these are not the errors that were measured.
        pytest.param((0, 6, 80, 80, 7, 22), id="too-few"),
        pytest.param((200, 200, 60, 100, 100, 100), id="too-many"),
    ],
)
def test_what_the_measured_errors_cannot_give_gets_no_correction(case: Counts) -> None:
    assert _corrected(case) is None
    # A rate in the middle has one, with the same errors.
    assert _corrected((case[1] // 2, *case[1:])) is not None


@settings(deadline=None)
@given(counts)
def test_interval_holds_the_estimate_and_stays_within_0_and_1(case: Counts) -> None:
    corrected = _corrected(case)
    if corrected is not None:
        low, high = corrected.interval
        assert 0.0 <= low <= corrected.rate <= high <= 1.0
        assert low < high


@settings(deadline=None)
@given(counts)
def test_asking_for_the_opposite_mirrors_everything(case: Counts) -> None:
    corrected = _corrected(case)
    opposite = _corrected((case[1] - case[0], case[1], *case[4:], *case[2:4]))
    assert (corrected is None) == (opposite is None)
    if corrected is not None and opposite is not None:
        mirrored = opposite.complement
        assert mirrored.rate == pytest.approx(corrected.rate, abs=1e-9)
        assert mirrored.interval == pytest.approx(corrected.interval, abs=1e-6)


def test_more_labels_narrow_the_interval_more_than_more_verdicts_can() -> None:
    few = _corrected((50, 100, 18, 20, 17, 20))
    more_verdicts = _corrected((50_000, 100_000, 18, 20, 17, 20))
    more_labels = _corrected((50, 100, 1800, 2000, 1700, 2000))
    widths = [_width(one) for one in (few, more_verdicts, more_labels)]
    assert widths[0] > widths[1] > widths[2]


def test_a_perfect_judge_measured_endlessly_comes_to_the_wilson_interval() -> None:
    corrected = _corrected((30, 100, 10**9, 10**9, 10**9, 10**9))
    assert corrected is not None
    assert corrected.interval == pytest.approx(wilson_interval(30, 100), abs=0.002)


def test_larger_z_widens() -> None:
    narrow, wide = _corrected((50, 100, 18, 20, 17, 20)), _corrected((50, 100, 18, 20, 17, 20), z=2.575829)
    assert narrow is not None
    assert wide is not None
    assert wide.interval[0] < narrow.interval[0]
    assert wide.interval[1] > narrow.interval[1]


@pytest.mark.parametrize(
    ("case", "seen"),
    [
        pytest.param((0, 0, 1, 1, 1, 1), "tested=0 gives no rate", id="nothing-tested"),
        pytest.param((1, 2, 0, 0, 1, 1), "known_positives=0 gives no rate", id="no-positives"),
        pytest.param((1, 2, 1, 1, 0, 0), "known_negatives=0 gives no rate", id="no-negatives"),
        pytest.param((3, 2, 1, 1, 1, 1), "positives=3 must be between 0 and tested=2", id="more-than-all"),
        pytest.param((1, 2, -1, 1, 1, 1), "true_positives=-1 must be between 0", id="negative"),
        pytest.param((1, 2, 1, 1, 2, 1), "true_negatives=2 must be between 0", id="more-than-known"),
    ],
)
def test_impossible_counts_are_refused(case: Counts, seen: str) -> None:
    with pytest.raises(ValueError, match=seen):
        _corrected(case)


def test_counts_that_are_no_ints_are_refused() -> None:
    with pytest.raises(TypeError, match="positives must be an int, got True"):
        _corrected((True, 2, 1, 1, 1, 1))
    with pytest.raises(TypeError, match=r"tested must be an int, got 2\.5"):
        _corrected((1, 2.5, 1, 1, 1, 1))  # type: ignore[arg-type]  # what is refused


@pytest.mark.parametrize("z", [0.0, -1.0, math.nan, math.inf])
def test_useless_z_is_refused(z: float) -> None:
    with pytest.raises(ValueError, match=f"z={z} must be finite and greater than 0"):
        _corrected((1, 2, 1, 1, 1, 1), z=z)


def test_corrected_interval_holds_the_truth_in_95_percent_of_simulated_runs_and_the_raw_one_does_not() -> (
    None
):
    coverage = simulated_coverage(runs=RUNS, seed=SEED)
    assert 0.93 <= coverage.corrected <= 0.97
    assert coverage.raw < 0.5
    assert coverage.corrected_width < 0.5  # an interval from 0 to 1 would hold every truth


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
def test_coverage_is_no_luck_of_one_seed(seed: int) -> None:
    assert 0.93 <= simulated_coverage(runs=RUNS, seed=seed).corrected <= 0.975
