"""Confidence intervals for a rate."""

import math

Z_95 = 1.959964
"""Two-sided 95% point of the standard normal distribution."""


def wilson_interval(successes: int, trials: int, *, z: float = Z_95) -> tuple[float, float]:
    """Score interval for the true rate behind `successes` of `trials`.

    Trial counts here are small and rates sit near 0 or 1, where the textbook interval collapses to zero
    width; this one does not.

    Args:
        successes: Trials that succeeded, 0 to `trials`.
        trials: Trials that were judged, 1 or more; errored ones are not counted.
        z: Two-sided point of the standard normal distribution; the default gives 95%.

    Returns:
        Lower and upper bound, both fractions within 0.0 and 1.0. The lower bound is exactly 0.0 without
        successes, the upper bound exactly 1.0 without failures.

    Raises:
        TypeError: If a count is no int (a bool is none).
        ValueError: If `trials` is below 1, `successes` outside 0 to `trials`, or `z` not finite and above 0.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of
    the American Statistical Association 22 (1927), 209-212.
    """
    _check(successes, trials, z)
    rate = successes / trials
    spread = z * z / trials
    scale = 1.0 + spread
    centre = (rate + spread / 2.0) / scale
    # Failures over trials, not 1 - rate: the subtraction would lose digits where the rate is near 1.
    variance = rate * ((trials - successes) / trials) / trials
    margin = math.sqrt(z * z * variance + spread * spread / 4.0) / scale
    # The observed rate lies inside by definition; rounding must not push it out. So a rate of 0.0 or 1.0 is
    # itself a bound, exactly.
    return min(max(centre - margin, 0.0), rate), max(min(centre + margin, 1.0), rate)


def _check(successes: int, trials: int, z: float) -> None:
    for name, count in (("successes", successes), ("trials", trials)):
        if isinstance(count, bool) or not isinstance(count, int):
            raise TypeError(f"{name} must be an int, got {count!r}")
    if trials < 1:
        raise ValueError(f"trials={trials} gives no rate; an interval needs at least one trial")
    if not 0 <= successes <= trials:
        raise ValueError(f"successes={successes} must be between 0 and trials={trials}")
    if not (math.isfinite(z) and z > 0):
        raise ValueError(f"z={z} must be finite and greater than 0")
