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
        distinct_from: A rate shown beside this one, such as the threshold it is compared with. Write both
            with the other as `distinct_from`, so that neither is rounded onto the other.
    """
    others = (0.0, 1.0) if distinct_from is None else (0.0, 1.0, distinct_from)
    to_tell_apart = [other for other in others if abs(rate - other) > _SAME_RATE]
    for decimals in range(1, _MAX_DECIMALS):
        shown = f"{rate:.{decimals}%}"
        if all(shown != f"{other:.{decimals}%}" for other in to_tell_apart):
            return shown
    return f"{rate:.{_MAX_DECIMALS}%}"
