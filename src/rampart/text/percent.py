"""Rates shown as percentages that do not lie by rounding."""

_MAX_DECIMALS = 6

# Rates this near to each other are the same rate: what `rampart.statistics.threshold` allows for.
_SAME_RATE = 1e-9


def format_percent(rate: float, *, distinct_from: float | None = None) -> str:
    """Write a rate as a percentage with one decimal, and more only where one would mislead.

    Decimals are added, up to 6, where the text would else read 0.0%, 100.0% or the same as `distinct_from`
    although the rate is none of these: 4999 of 5000 is `99.98%`. Two rates within 1e-9 are the same.

    Args:
        rate: A fraction, 0.0 to 1.0.
        distinct_from: A rate that this one is compared with. To show both, use `format_rate_and_threshold`.
    """
    others = (0.0, 1.0) if distinct_from is None else (0.0, 1.0, distinct_from)
    to_tell_apart = [other for other in others if not _same(rate, other)]
    for decimals in range(1, _MAX_DECIMALS):
        shown = _percent(rate, decimals)
        if all(shown != _percent(other, decimals) for other in to_tell_apart):
            return shown
    return _percent(rate, _MAX_DECIMALS)


def format_rate_and_threshold(rate: float, threshold: float) -> tuple[str, str]:
    """Write a rate and the threshold it is held against, so that the figures compare as the numbers do.

    The rate is written as by `format_percent`. The threshold gets more decimals than it needs for itself
    only where it would read the same as the rate, or stand on its wrong side: 79.99% against 80.0%, but
    80.03% against 80.04%.
    """
    rate_shown = format_percent(rate, distinct_from=threshold)
    threshold_shown = format_percent(threshold)
    if _same(rate, threshold):
        return rate_shown, threshold_shown
    decimals = len(threshold_shown.partition(".")[2]) - 1
    while decimals < _MAX_DECIMALS and not _in_order(rate_shown, threshold_shown, less=rate < threshold):
        decimals += 1
        threshold_shown = _percent(threshold, decimals)
    return rate_shown, threshold_shown


def _in_order(rate_shown: str, threshold_shown: str, *, less: bool) -> bool:
    rate, threshold = float(rate_shown[:-1]), float(threshold_shown[:-1])
    return rate < threshold if less else rate > threshold


def _same(rate: float, other: float) -> bool:
    return abs(rate - other) <= _SAME_RATE


def _percent(rate: float, decimals: int) -> str:
    return f"{rate:.{decimals}%}"
