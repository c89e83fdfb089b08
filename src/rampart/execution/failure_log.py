"""What the log says of executions that failed."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from rampart.core.log import log
from rampart.execution.failures import error_line

if TYPE_CHECKING:
    from types import TracebackType

    from rampart.core.result import PopulationRef

_REMEMBERED = 256
_told: OrderedDict[tuple[str, str], int] = OrderedDict()


def log_failure(error: BaseException, *, strategy: str, population: PopulationRef | None) -> None:
    """Log an error with its traceback; trials that fail in the same way share one.

    Args:
        error: What was raised.
        strategy: The strategy of the execution.
        population: Its place among trials, if it is one.
    """
    if population is None:
        log.error("%s failed", strategy, exc_info=_without_our_frames(error))
        return
    line = error_line(error)
    first = _told.setdefault((population.id, line), population.index)
    if len(_told) > _REMEMBERED:
        _told.popitem(last=False)
    if first == population.index:
        log.error("%s failed in trial %d", strategy, population.index, exc_info=_without_our_frames(error))
    else:
        log.error("%s failed in trial %d as in trial %d: %s", strategy, population.index, first, line)


def _without_our_frames(
    error: BaseException,
) -> tuple[type[BaseException], BaseException, TracebackType | None]:
    """The error with the traceback from where it leaves rampart, as far as it does."""
    traceback = error.__traceback__
    while traceback is not None and _is_ours(traceback):
        traceback = traceback.tb_next
    return type(error), error, traceback


def _is_ours(traceback: TracebackType) -> bool:
    module: object = traceback.tb_frame.f_globals.get("__name__")
    return isinstance(module, str) and module.partition(".")[0] == "rampart"
