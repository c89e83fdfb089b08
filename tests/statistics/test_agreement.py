"""Cohen's kappa against published values, and its interval against its promise."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.statistics.agreement import Kappa, cohen_kappa
from rampart.statistics.interval import wilson_interval

tables = st.tuples(*[st.integers(0, 200)] * 4)


def _kappa(table: tuple[int, int, int, int]) -> Kappa | None:
    both_yes, first_only, second_only, both_no = table
    return cohen_kappa(both_yes=both_yes, first_only=first_only, second_only=second_only, both_no=both_no)


@pytest.mark.parametrize(
    ("table", "value", "standard_error"),
    [
        # The example of `ci.kappa` in D. G. Bonett's R package statpsych, after J. L. Fleiss and M. C. Paik,
        # Statistical Methods for Rates and Proportions, 3rd edition, Wiley 2003.
        pytest.param((58, 4, 12, 31), 0.6756757, 0.07344761, id="statpsych"),
        # By hand: agreement 0.7, by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5.
        pytest.param((20, 5, 10, 15), 0.4, None, id="forty-percent"),
        # By hand: agreement 0, by chance 0.5; each rater says the opposite of the other.
        pytest.param((0, 5, 5, 0), -1.0, 0.0, id="opposite"),
        # By hand: agreement 0.25 + 0.25, by chance 0.5.
        pytest.param((25, 25, 25, 25), 0.0, 0.1, id="chance"),
        pytest.param((5, 0, 0, 5), 1.0, 0.0, id="all"),
    ],
)
def test_known_values(table: tuple[int, int, int, int], value: float, standard_error: float | None) -> None:
    kappa = _kappa(table)
    assert kappa is not None
    assert kappa.value == pytest.approx(value, abs=1e-7)
    if standard_error is not None:
        assert kappa.standard_error == pytest.approx(standard_error, abs=1e-8)


def test_interval_is_that_of_the_agreement_held_against_chance() -> None:
    kappa = _kappa((20, 5, 10, 15))
    assert kappa is not None
    low, high = wilson_interval(35, 50)
    assert kappa.interval == pytest.approx(((low - 0.5) / 0.5, (high - 0.5) / 0.5))


def test_full_agreement_on_few_items_is_not_certainty() -> None:
    kappa = _kappa((5, 0, 0, 5))
    assert kappa is not None
    assert kappa.interval[0] < 0.5
    assert kappa.interval[1] == 1.0


@pytest.mark.parametrize(
    "table",
    [
        pytest.param((0, 0, 0, 0), id="no-items"),
        pytest.param((7, 0, 0, 0), id="never-anything-but-yes"),
        pytest.param((0, 0, 0, 7), id="never-anything-but-no"),
    ],
)
def test_there_is_no_kappa_where_chance_explains_everything(table: tuple[int, int, int, int]) -> None:
    assert _kappa(table) is None


def test_one_constant_rater_agrees_by_chance_only() -> None:
    kappa = _kappa((6, 3, 0, 0))
    assert kappa is not None
    assert kappa.value == pytest.approx(0.0)


@settings(deadline=None)
@given(tables)
def test_interval_holds_the_value_and_both_sides_may_be_swapped(table: tuple[int, int, int, int]) -> None:
    kappa = _kappa(table)
    if kappa is None:
        return
    low, high = kappa.interval
    assert -1.0 <= low <= kappa.value + 1e-12
    assert kappa.value - 1e-12 <= high <= 1.0
    for swapped in (_kappa((table[0], table[2], table[1], table[3])), _kappa(table[::-1])):
        assert swapped is not None
        assert swapped.value == pytest.approx(kappa.value, abs=1e-9)
        assert swapped.standard_error == pytest.approx(kappa.standard_error, abs=1e-9)


@pytest.mark.parametrize(
    ("positives", "sensitivity", "specificity"),
    [
        pytest.param(60, 0.95, 0.97, id="very-good"),
        pytest.param(60, 0.9, 0.9, id="good"),
        pytest.param(40, 0.65, 0.7, id="poor"),
    ],
)
def test_interval_covers_the_truth(positives: int, sensitivity: float, specificity: float) -> None:
    share = positives / 120
    said_yes = share * sensitivity + (1 - share) * (1 - specificity)
    agreement = share * sensitivity + (1 - share) * specificity
    expected = share * said_yes + (1 - share) * (1 - said_yes)
    truth = (agreement - expected) / (1 - expected)
    chance = random.Random(20)
    covered = 0
    for _ in range(600):
        found = sum(chance.random() < sensitivity for _ in range(positives))
        passed = sum(chance.random() < specificity for _ in range(120 - positives))
        kappa = _kappa((found, positives - found, 120 - positives - passed, passed))
        assert kappa is not None
        covered += kappa.interval[0] <= truth <= kappa.interval[1]
    assert 0.93 <= covered / 600 <= 0.985


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="second_only=-1 must be 0 or more"):
        cohen_kappa(both_yes=1, first_only=0, second_only=-1, both_no=1)
    with pytest.raises(TypeError, match=r"both_yes must be an int, got 1\.0"):
        cohen_kappa(both_yes=1.0, first_only=0, second_only=0, both_no=1)  # type: ignore[arg-type]  # refused
    with pytest.raises(TypeError, match="both_no must be an int, got True"):
        cohen_kappa(both_yes=1, first_only=0, second_only=0, both_no=True)
    with pytest.raises(ValueError, match=r"z=0\.0 must be finite and greater than 0"):
        cohen_kappa(both_yes=1, first_only=0, second_only=1, both_no=1, z=0.0)
