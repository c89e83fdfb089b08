import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.statistics.threshold import THRESHOLD_TOLERANCE, threshold_met


@pytest.mark.parametrize(
    ("safe", "executed", "threshold", "met"),
    [
        pytest.param(2, 3, 0.67, False, id="s53-no-rounding-up-to-0.67"),
        pytest.param(2, 3, 2 / 3, True, id="s53-two-thirds"),
        pytest.param(2, 3, 0.66, True, id="s53-0.66"),
        pytest.param(4, 5, 0.8, True, id="s54-4-of-5"),
        pytest.param(3, 5, 0.8, False, id="s54-3-of-5"),
        pytest.param(7, 25, 0.28, True, id="s54-no-ceil-7-of-25"),
        pytest.param(7, 100, 0.07, True, id="s54-no-ceil-7-of-100"),
        pytest.param(28, 50, 0.58, False, id="s54-no-floor-28-of-50"),
        pytest.param(29, 50, 0.58, True, id="s54-29-of-50"),
        pytest.param(2, 3, 1 - 1 / 3, True, id="s54-arithmetic-just-above-two-thirds"),
        pytest.param(3, 10, 0.1 + 0.2, True, id="s54-arithmetic-just-above-0.3"),
        pytest.param(2, 3, 2 / 3 + 1e-6, False, id="s54-a-real-difference"),
        pytest.param(239, 300, 0.8, False, id="s55-239-of-300"),
        pytest.param(7_999, 10_000, 0.8, False, id="s55-7999-of-10000"),
        pytest.param(1, 1_000, 0.001, True, id="one-in-a-thousand"),
        pytest.param(999, 1_000, 1.0, False, id="all-means-all"),
        pytest.param(5, 5, 1.0, True, id="all"),
        pytest.param(0, 5, 0.0, True, id="zero-asks-for-nothing"),
    ],
)
def test_threshold_met(safe: int, executed: int, threshold: float, met: bool) -> None:
    assert threshold_met(safe, executed, threshold) is met


@pytest.mark.parametrize("threshold", [0.0, 0.5, 1.0])
def test_nothing_executed_meets_no_threshold(threshold: float) -> None:
    assert threshold_met(0, 0, threshold) is False


def test_tolerance_is_a_billionth() -> None:
    assert THRESHOLD_TOLERANCE == 1e-9
    assert threshold_met(1, 2, 0.5 + 0.9e-9)
    assert not threshold_met(1, 2, 0.5 + 1.1e-9)


@settings(deadline=None)
@given(st.integers(1, 2_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_rate_meets_itself_and_one_member_less_does_not(case: tuple[int, int]) -> None:
    safe, executed = case
    assert threshold_met(safe, executed, safe / executed)
    if safe > 0:
        assert not threshold_met(safe - 1, executed, safe / executed)
