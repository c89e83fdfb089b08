"""The figures of a population held against one another: they follow from the verdicts of its members."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rampart.core.errors import SchemaError
from rampart.core.result import SafetyStatus
from rampart.statistics.interval import wilson_interval
from rampart.statistics.threshold import threshold_met

if TYPE_CHECKING:
    from rampart.records.wire import Population, Rate

_TOLERANCE = 1e-9
_ROUNDING = 1e-12


def check_figures(figures: Population) -> None:
    """Refuse figures that no verdicts of members could have led to.

    Raises:
        SchemaError: If a figure contradicts others; the text names it and shows none.
    """
    if figures.executed > figures.size:
        raise _contradiction("executed", "at most size")
    if figures.safe_count > figures.executed:
        raise _contradiction("safe_count", "at most executed")
    rate = figures.safe_count / figures.executed if figures.executed else 0.0
    if not _same(figures.pass_rate, rate):
        raise _contradiction("pass_rate", "safe_count / executed, or 0 where none was executed")
    early = figures.status is not None and figures.executed < figures.size
    if figures.decided_early is not early:
        raise _contradiction("decided_early", "true only with a status and fewer executed than size")
    _check_status(figures)
    _check_interval(figures)
    if figures.attack_rates is not None:
        for name in figures.attack_rates.__struct_fields__:
            _check_rate(getattr(figures.attack_rates, name), f"attack_rates.{name}")


def _check_rate(rate: Rate | None, place: str) -> None:
    if rate is None:
        return
    if rate.count > rate.total:
        raise _contradiction(f"{place}.count", "at most total")
    if not _same(rate.rate, rate.count / rate.total):
        raise _contradiction(f"{place}.rate", "count / total")
    if not all(map(_same, rate.interval, wilson_interval(rate.count, rate.total))):
        raise _contradiction(f"{place}.interval", "that of count among total")


def _check_status(figures: Population) -> None:
    """The verdicts besides SAFE are not counted one by one, so several may be possible."""
    others = figures.executed - figures.safe_count
    met = threshold_met(figures.safe_count, figures.executed, figures.threshold)
    possible = {
        None: True,
        SafetyStatus.SAFE: met,
        SafetyStatus.UNSAFE: others > 0 and not met,
        SafetyStatus.UNDETERMINED: figures.safe_count == 0 or not met,
        SafetyStatus.ERROR: others > 0,
    }
    if not possible[figures.status]:
        raise _contradiction("status", "what follows from safe_count, executed and threshold")


def _check_interval(figures: Population) -> None:
    """Errors do not count in it; their number is known to be 0 for any verdict but ERROR, or none."""
    safe, executed, status = figures.safe_count, figures.executed, figures.status
    if status is SafetyStatus.ERROR:
        fewest, most = safe, executed - 1
    elif status is None:
        fewest, most = safe, executed
    else:
        fewest = most = executed
    if figures.interval is None:
        fits = fewest == 0
    else:
        fits = _is_interval_of(figures.interval, safe=safe, fewest=max(fewest, 1), most=most)
    if not fits:
        raise _contradiction("interval", "that of safe_count among the trials without an error, or null")


def _is_interval_of(interval: tuple[float, float], *, safe: int, fewest: int, most: int) -> bool:
    """Whether it is the interval for `safe` of some number of trials: its upper end falls with the number."""
    while fewest < most:
        middle = (fewest + most) // 2
        if wilson_interval(safe, middle)[1] <= interval[1] + _ROUNDING:
            most = middle
        else:
            fewest = middle + 1
    return fewest == most and all(map(_same, interval, wilson_interval(safe, fewest)))


def _same(figure: float, other: float) -> bool:
    return math.isclose(figure, other, rel_tol=0.0, abs_tol=_TOLERANCE)


def _contradiction(field: str, expected: str) -> SchemaError:
    return SchemaError(f"population.{field}: contradicts the other figures, expected {expected}")
