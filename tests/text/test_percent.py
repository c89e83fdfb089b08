import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.statistics.threshold import THRESHOLD_TOLERANCE, threshold_met
from rampart.text import percent
from rampart.text.percent import format_percent, format_rate_and_threshold


@pytest.mark.parametrize(
    ("rate", "shown"),
    [
        pytest.param(0.0, "0.0%", id="none"),
        pytest.param(1.0, "100.0%", id="all"),
        pytest.param(0.5, "50.0%", id="half"),
        pytest.param(2 / 3, "66.7%", id="s53-two-thirds"),
        pytest.param(0.67, "67.0%", id="s53-threshold"),
        pytest.param(4_999 / 5_000, "99.98%", id="s55-nearly-all"),
        pytest.param(1 / 5_000, "0.02%", id="nearly-none"),
        pytest.param(999_999 / 1_000_000, "99.9999%", id="one-in-a-million-fails"),
        pytest.param(1 / 100_000_000, "0.000001%", id="six-decimals"),
        pytest.param(1 / 500_000_000, "0.000000%", id="six-decimals-are-the-most"),
        pytest.param(1 - 1e-12, "100.0%", id="rounding-noise-is-all"),
    ],
)
def test_alone(rate: float, shown: str) -> None:
    assert format_percent(rate) == shown


@pytest.mark.parametrize(
    ("rate", "threshold", "shown"),
    [
        pytest.param(239 / 300, 0.8, "79.7%", id="s55-one-decimal-will-do"),
        pytest.param(7_999 / 10_000, 0.8, "79.99%", id="s55-two-decimals-needed"),
        pytest.param(0.8, 0.8, "80.0%", id="is-the-threshold"),
        pytest.param(2 / 3, 1 - 1 / 3, "66.7%", id="within-the-tolerance-it-is-the-threshold"),
        pytest.param(2 / 3, 2 / 3 + 1e-6, "66.6667%", id="four-decimals-needed"),
        pytest.param(4_999 / 5_000, 0.9, "99.98%", id="not-all-though-far-from-the-threshold"),
        pytest.param(4_999 / 5_000, 1.0, "99.98%", id="below-all"),
    ],
)
def test_beside_a_threshold(rate: float, threshold: float, shown: str) -> None:
    assert format_percent(rate, distinct_from=threshold) == shown


@pytest.mark.parametrize(
    ("rate", "threshold", "shown"),
    [
        pytest.param(2 / 3, 0.67, ("66.7%", "67.0%"), id="s53-nothing-needed"),
        pytest.param(239 / 300, 0.8, ("79.7%", "80.0%"), id="s55-nothing-needed"),
        pytest.param(7_999 / 10_000, 0.8, ("79.99%", "80.0%"), id="s55-the-rate-needs-more"),
        pytest.param(0.8, 0.80004, ("80.000%", "80.004%"), id="the-threshold-needs-more"),
        pytest.param(0.8003, 0.8004, ("80.03%", "80.04%"), id="below-must-read-below"),
        pytest.param(0.8004, 0.8003, ("80.04%", "80.0%"), id="above-reads-above"),
        pytest.param(0.8, 0.8, ("80.0%", "80.0%"), id="the-same"),
        pytest.param(2 / 3, 1 - 1 / 3, ("66.7%", "66.7%"), id="the-same-within-the-tolerance"),
        pytest.param(1.0, 0.9999, ("100.00%", "99.99%"), id="threshold-that-is-not-all"),
        pytest.param(0.0, 0.0, ("0.0%", "0.0%"), id="none-asked-none-given"),
        pytest.param(0.5, 0.5 + 2e-9, ("50.000000%", "50.000000%"), id="beyond-six-decimals"),
    ],
)
def test_rate_and_threshold(rate: float, threshold: float, shown: tuple[str, str]) -> None:
    assert format_rate_and_threshold(rate, threshold) == shown


def test_tolerance_is_that_of_the_comparison() -> None:
    assert percent._SAME_RATE == THRESHOLD_TOLERANCE


@settings(deadline=None)
@given(
    st.integers(1, 20_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.integers(0, 100_000).map(lambda count: count / 100_000),
)
def test_s55_the_figures_say_whether_the_threshold_is_met(case: tuple[int, int], threshold: float) -> None:
    safe, executed = case
    rate, limit = (float(shown[:-1]) for shown in format_rate_and_threshold(safe / executed, threshold))
    assert (rate >= limit) is threshold_met(safe, executed, threshold)


@settings(deadline=None)
@given(st.integers(1, 20_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_only_none_reads_zero_and_only_all_reads_hundred(case: tuple[int, int]) -> None:
    safe, executed = case
    number = float(format_percent(safe / executed)[:-1])
    assert (number == 0.0) is (safe == 0)
    assert (number == 100.0) is (safe == executed)
