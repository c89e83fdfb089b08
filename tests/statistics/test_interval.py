import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rampart.statistics
from rampart.statistics import wilson_interval

counts = st.integers(1, 5_000).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))


def test_package_exports() -> None:
    assert rampart.statistics.__all__ == ["wilson_interval"]


@pytest.mark.parametrize(
    ("successes", "trials", "expected"),
    [
        # R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3.
        pytest.param(81, 263, (0.2553, 0.3662), id="newcombe-middle"),
        pytest.param(15, 148, (0.0624, 0.1605), id="newcombe-low-rate"),
        pytest.param(0, 20, (0.0, 0.1611), id="newcombe-none"),
        pytest.param(1, 29, (0.0061, 0.1718), id="newcombe-one"),
        # Worked out by hand from the quadratic (n + z^2) p^2 - (2k + z^2) p + k^2/n = 0.
        pytest.param(1, 2, (0.0945, 0.9055), id="one-of-two"),
        pytest.param(20, 20, (0.8389, 1.0), id="all-is-not-certainty"),
        pytest.param(19, 20, (0.7639, 0.9911), id="one-miss"),
    ],
)
def test_known_values(successes: int, trials: int, expected: tuple[float, float]) -> None:
    assert wilson_interval(successes, trials) == pytest.approx(expected, abs=5e-5)


def test_z_is_the_two_sided_95_percent_point() -> None:
    assert wilson_interval(3, 7) == wilson_interval(3, 7, z=1.959964)
    assert wilson_interval(3, 7) != wilson_interval(3, 7, z=1.96)


def test_s55_ends_are_exact() -> None:
    assert wilson_interval(20, 20)[1] == 1.0
    assert wilson_interval(0, 20)[0] == 0.0
    assert wilson_interval(0, 20)[1] > 0.0
    assert wilson_interval(20, 20)[0] < 1.0


@settings(deadline=None)
@given(counts)
def test_interval_holds_the_observed_rate_and_stays_within_0_and_1(case: tuple[int, int]) -> None:
    successes, trials = case
    low, high = wilson_interval(successes, trials)
    assert 0.0 <= low <= successes / trials <= high <= 1.0
    assert low < high


@settings(deadline=None)
@given(counts)
def test_bounds_solve_the_equation_they_are_defined_by(case: tuple[int, int]) -> None:
    # Each bound p lies z standard errors, taken at p itself, from the observed rate.
    successes, trials = case
    for bound in wilson_interval(successes, trials):
        if 0.0 < bound < 1.0:
            distance = abs(successes / trials - bound)
            assert distance == pytest.approx(1.959964 * math.sqrt(bound * (1 - bound) / trials), rel=1e-6)


@settings(deadline=None)
@given(counts)
def test_swapping_success_and_failure_mirrors_the_interval(case: tuple[int, int]) -> None:
    successes, trials = case
    low, high = wilson_interval(successes, trials)
    assert wilson_interval(trials - successes, trials) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@settings(deadline=None)
@given(counts)
def test_more_evidence_at_the_same_rate_narrows(case: tuple[int, int]) -> None:
    successes, trials = case
    low, high = wilson_interval(successes, trials)
    narrow_low, narrow_high = wilson_interval(successes * 10, trials * 10)
    assert narrow_high - narrow_low < high - low


@settings(deadline=None)
@given(counts, st.floats(0.1, 2.0))
def test_larger_z_widens(case: tuple[int, int], z: float) -> None:
    low, high = wilson_interval(*case, z=z)
    wide_low, wide_high = wilson_interval(*case, z=z * 1.5)
    assert wide_low <= low
    assert high <= wide_high


def test_very_many_trials_do_not_break_it() -> None:
    low, high = wilson_interval(10**18 - 1, 10**18)
    assert 0.999_999 < low <= high <= 1.0


@pytest.mark.parametrize(
    ("successes", "trials", "seen"),
    [
        pytest.param(0, 0, "trials=0 gives no rate", id="no-trials"),
        pytest.param(0, -3, "trials=-3 gives no rate", id="negative-trials"),
        pytest.param(-1, 5, "successes=-1 must be between 0 and trials=5", id="negative-successes"),
        pytest.param(6, 5, "successes=6 must be between 0 and trials=5", id="more-than-all"),
    ],
)
def test_impossible_counts_are_refused(successes: int, trials: int, seen: str) -> None:
    with pytest.raises(ValueError, match=seen):
        wilson_interval(successes, trials)


@pytest.mark.parametrize(
    ("successes", "trials", "seen"),
    [
        pytest.param(1.0, 5, "successes must be an int, got 1.0", id="float"),
        pytest.param(True, 5, "successes must be an int, got True", id="bool"),
        pytest.param(1, "5", "trials must be an int, got '5'", id="str"),
    ],
)
def test_counts_that_are_no_ints_are_refused(successes: int, trials: int, seen: str) -> None:
    with pytest.raises(TypeError, match=seen):
        wilson_interval(successes, trials)


@pytest.mark.parametrize("z", [0.0, -1.0, math.nan, math.inf])
def test_useless_z_is_refused(z: float) -> None:
    with pytest.raises(ValueError, match=f"z={z} must be finite and greater than 0"):
        wilson_interval(1, 2, z=z)
