"""The true rate behind one that was measured with an imperfect test."""

import math
from dataclasses import dataclass

from rampart.statistics.interval import Z_95


@dataclass(frozen=True, kw_only=True)
class CorrectedRate:
    """A rate rid of the errors of the test that it was measured with.

    Attributes:
        rate: The estimate, 0.0 to 1.0.
        interval: Its 95% interval, within 0.0 and 1.0, unless another `z` was asked for.
    """

    rate: float
    interval: tuple[float, float]

    @property
    def complement(self) -> "CorrectedRate":
        """The rate of the opposite."""
        low, high = self.interval
        return CorrectedRate(rate=1.0 - self.rate, interval=(1.0 - high, 1.0 - low))


def corrected_rate(
    *,
    positives: int,
    tested: int,
    true_positives: int,
    known_positives: int,
    true_negatives: int,
    known_negatives: int,
    z: float = Z_95,
) -> CorrectedRate | None:
    """The true rate of what a test looks for, where the test's own errors were measured on known cases.

    The estimate is that of Rogan and Gladen, (positive rate + specificity - 1) / (sensitivity + specificity -
    1), cut to 0 and 1. The interval is that of Lang and Reiczigel, which counts that sensitivity and
    specificity are estimates too: each is taken with one success and one failure more than was seen, the
    positive rate with z^2 / 2 more of each, and the centre is moved a little.

    Args:
        positives: What the test found among those whose true rate is asked for.
        tested: How many these were, 1 or more.
        true_positives: What it found among known positives, which gives its sensitivity.
        known_positives: How many these were, 1 or more.
        true_negatives: What it did not find among known negatives, which gives its specificity.
        known_negatives: How many these were, 1 or more.
        z: Two-sided point of the standard normal distribution; the default gives 95%.

    Returns:
        None where there is no correction: the test is not informative (see `is_informative`), or the positive
        rate lies so far outside of what the test finds between none and all that the measured errors cannot
        be those which it made here.

    Raises:
        TypeError: If a count is no int (a bool is none).
        ValueError: If a total is below 1, a count outside 0 to its total, or `z` not finite and above 0.

    Source: W. J. Rogan, B. Gladen, "Estimating prevalence from the results of a screening test", American
    Journal of Epidemiology 107 (1978), 71-76; Z. Lang, J. Reiczigel, "Confidence limits for prevalence of
    disease adjusted for estimated sensitivity and specificity", Preventive Veterinary Medicine 113 (2014),
    13-22, equations 4, 6, 7, 16 and 17. Equation 4 as printed has 1 + P where its derivation gives 1 - P.
    """
    _check("positives", positives, "tested", tested)
    _check("true_positives", true_positives, "known_positives", known_positives)
    _check("true_negatives", true_negatives, "known_negatives", known_negatives)
    if not (math.isfinite(z) and z > 0):
        raise ValueError(f"z={z} must be finite and greater than 0")
    informative = is_informative(
        true_positives=true_positives,
        known_positives=known_positives,
        true_negatives=true_negatives,
        known_negatives=known_negatives,
    )
    if not informative:
        return None
    sensitivity = true_positives / known_positives
    specificity = true_negatives / known_negatives
    rate = _within(_rogan_gladen(positives / tested, sensitivity, specificity))
    shrunk = (
        (positives + z * z / 2.0) / (tested + z * z),
        (true_positives + 1) / (known_positives + 2),
        (true_negatives + 1) / (known_negatives + 2),
    )
    sizes = (tested + z * z, known_positives + 2, known_negatives + 2)
    low, high = _lang_reiczigel(shrunk, sizes, z)
    if high <= 0.0 or low >= 1.0:
        return None  # cut to 0 and 1 it would have no width, and look like certainty
    # The estimate lies inside by definition; neither rounding nor the cut to 0 and 1 must push it out.
    return CorrectedRate(rate=rate, interval=(min(_within(low), rate), max(_within(high), rate)))


def is_informative(
    *, true_positives: int, known_positives: int, true_negatives: int, known_negatives: int
) -> bool:
    """Whether a test tells more than a coin: sensitivity and specificity together are above 1.

    They have to be so with one success and one failure more of each, too: what one known case could have
    changed is no base for a correction.

    Args:
        true_positives: What the test found among known positives.
        known_positives: How many these were, 1 or more.
        true_negatives: What it did not find among known negatives.
        known_negatives: How many these were, 1 or more.
    """

    def above(found: int, positives: int, passed: int, negatives: int) -> bool:
        # In whole numbers: a sum of fractions may round to the wrong side.
        return found * negatives + passed * positives > positives * negatives

    return above(true_positives, known_positives, true_negatives, known_negatives) and above(
        true_positives + 1, known_positives + 2, true_negatives + 1, known_negatives + 2
    )


def _rogan_gladen(positive_rate: float, sensitivity: float, specificity: float) -> float:
    return (positive_rate + specificity - 1.0) / (sensitivity + specificity - 1.0)


def _lang_reiczigel(
    rates: tuple[float, float, float], sizes: tuple[float, int, int], z: float
) -> tuple[float, float]:
    positive_rate, sensitivity, specificity = rates
    informed = sensitivity + specificity - 1.0
    centre = _rogan_gladen(positive_rate, sensitivity, specificity)
    of_rate, of_sensitivity, of_specificity = (
        rate * (1.0 - rate) / size for rate, size in zip(rates, sizes, strict=True)
    )
    moved = 2.0 * z * z * (centre * of_sensitivity - (1.0 - centre) * of_specificity)
    variance = of_rate + centre**2 * of_sensitivity + (1.0 - centre) ** 2 * of_specificity
    margin = z * math.sqrt(variance) / informed
    return centre + moved - margin, centre + moved + margin


def _within(rate: float) -> float:
    return min(max(rate, 0.0), 1.0)


def _check(name: str, count: int, total_name: str, total: int) -> None:
    for one, value in ((name, count), (total_name, total)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{one} must be an int, got {value!r}")
    if total < 1:
        raise ValueError(f"{total_name}={total} gives no rate; at least one is needed")
    if not 0 <= count <= total:
        raise ValueError(f"{name}={count} must be between 0 and {total_name}={total}")
