"""Adding to a trace what was seen of the agent besides what its adapter reports."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rampart.core.log import log
from rampart.core.side_effect_source import COVERAGE_KEY, current_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rampart.core.side_effect_source import SideEffectLog
    from rampart.core.types import SideEffect
    from rampart.execution.trace import TraceRun


class WatchedEffects:
    """The logs of one execution."""

    __slots__ = ("_coverage", "_logs", "_trusted")

    def __init__(self, logs: Sequence[SideEffectLog]) -> None:
        self._logs = logs
        self._trusted = list(logs)
        self._coverage: list[dict[str, Any]] = []

    def add_to(self, run: TraceRun) -> None:
        """Add what was seen by now to the last turn of `run`, and to every turn what would have been.

        What an agent leaves running in the background may show after its reply. A claim that no longer
        holds is taken back from all turns.

        Raises:
            Exception: What a log raised. It is not asked again, so that what else was seen can be judged.
        """
        if not run.raw_turns:
            return  # nobody was asked yet; what was seen is taken with the first turn
        effects: list[SideEffect] = []
        coverage: list[dict[str, Any]] = []
        failure: Exception | None = None
        for watched in list(self._trusted):
            try:
                effects += watched.take()
                coverage += map(asdict, watched.coverage())
            except Exception as error:
                self._trusted.remove(watched)
                failure = failure or error
        if effects or coverage != self._coverage:
            run.latest_stop_check = None  # it judged a trace of which less, or something else, was known
        run.raw_turns[-1].response.side_effects.extend(effects)
        stale = run.raw_turns if coverage != self._coverage else run.raw_turns[-1:]
        self._coverage = coverage
        for turn in stale:
            if coverage:
                turn.response.metadata[COVERAGE_KEY] = coverage
            else:
                turn.response.metadata.pop(COVERAGE_KEY, None)
        if failure is not None:
            raise failure

    def close(self) -> None:
        """End the watching."""
        for watched in self._logs:
            try:
                watched.close()
            except Exception:  # the execution is over, and somebody waits for its end
                log.exception("%s could not be closed", type(watched).__name__)


def watch_effects(shown_texts: Callable[[], Sequence[str]]) -> WatchedEffects | None:
    """Begin to watch an execution; None if nothing can watch.

    Args:
        shown_texts: Gives what its agent will be shown; called only if somebody wants to know.
    """
    sources = current_sources()
    if not sources:
        return None
    texts = shown_texts()
    return WatchedEffects([source.open_log(texts) for source in sources])


def keys_of_watched(shown_texts: Callable[[], Sequence[str]]) -> frozenset[str]:
    """What such an execution must not share with another one at the same time."""
    sources = current_sources()
    if not sources:
        return frozenset()
    texts = shown_texts()
    return frozenset().union(*(source.isolation_keys(texts) for source in sources))
