"""How far two raters agree beyond chance."""

import math
from dataclasses import dataclass

from rampart.statistics.interval import Z_95, wilson_interval


@dataclass(frozen=True, kw_only=True)
class Kappa:
    """Cohen's kappa of two raters.

    Attributes:
        value: 1.0 for full agreement, 0.0 for as much as chance gives, below 0.0 for less.
        standard_error: That of `value` for many items; 0.0 where the raters agree on all.
        interval: 95% interval, within -1.0 and 1.0, unless another `z` was asked for.
    """

    value: float
    standard_error: float
    interval: tuple[float, float]


def cohen_kappa(
    *, both_yes: int, first_only: int, second_only: int, both_no: int, z: float = Z_95
) -> Kappa | None:
    """Agreement of two raters who said yes or no to the same items, beyond what chance would give.

    The interval is the Wilson interval of the observed agreement, carried over to kappa with the agreement by
    chance held where it was found. The textbook interval, kappa plus and minus 1.96 standard errors, has no
    width where the raters agree on all items, and covers far less than 95% for few items and good raters.

    Args:
        both_yes: Items to which both said yes.
        first_only: Items to which only the first said yes.
        second_only: Items to which only the second said yes.
        both_no: Items to which both said no.
        z: Two-sided point of the standard normal distribution; the default gives 95%.

    Returns:
        None where kappa is not defined: without items, and where both gave the same one answer throughout.

    Raises:
        TypeError: If a count is no int (a bool is none).
        ValueError: If a count is negative, or `z` not finite and above 0.

    Source: J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
    Measurement 20 (1960), 37-46; the standard error from J. L. Fleiss, J. Cohen, B. S. Everitt, "Large sample
    standard errors of kappa and weighted kappa", Psychological Bulletin 72 (1969), 323-327.
    """
    counts = {
        "both_yes": both_yes,
        "first_only": first_only,
        "second_only": second_only,
        "both_no": both_no,
    }
    _check(counts)
    items = sum(counts.values())
    # In whole numbers, so that "never anything but yes" is told apart from "almost never" without rounding.
    by_chance = (both_yes + first_only) * (both_yes + second_only)
    by_chance += (both_no + second_only) * (both_no + first_only)
    if by_chance == items * items:
        return None
    expected = by_chance / (items * items)
    agreed = both_yes + both_no
    value = _beyond_chance(agreed / items, expected)
    low, high = wilson_interval(agreed, items, z=z)
    return Kappa(
        value=value,
        standard_error=_standard_error(value, expected, **{name: n / items for name, n in counts.items()})
        / math.sqrt(items),
        interval=(max(_beyond_chance(low, expected), -1.0), _beyond_chance(high, expected)),
    )


def _beyond_chance(agreement: float, expected: float) -> float:
    return (agreement - expected) / (1.0 - expected)


def _standard_error(
    kappa: float, expected: float, *, both_yes: float, first_only: float, second_only: float, both_no: float
) -> float:
    """The standard error for one item; Fleiss, Cohen and Everitt's equation 8 for two categories."""
    rest = 1.0 - kappa
    yes = both_yes + first_only, both_yes + second_only
    no = both_no + second_only, both_no + first_only
    agreeing = both_yes * (1.0 - sum(yes) * rest) ** 2 + both_no * (1.0 - sum(no) * rest) ** 2
    # A cell beside the diagonal is weighted with the share of its row's answer by the other rater, and so on.
    differing = first_only * (yes[1] + no[0]) ** 2 + second_only * (no[1] + yes[0]) ** 2
    spread = agreeing + rest**2 * differing - (kappa - expected * rest) ** 2
    return math.sqrt(max(spread, 0.0)) / (1.0 - expected)


def _check(counts: dict[str, int]) -> None:
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int):
            raise TypeError(f"{name} must be an int, got {count!r}")
        if count < 0:
            raise ValueError(f"{name}={count} must be 0 or more")
