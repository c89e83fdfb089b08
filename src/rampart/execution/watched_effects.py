"""Adding to a trace what was seen of the agent besides what its adapter reports."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rampart.core.side_effect_source import COVERAGE_KEY, current_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rampart.core.side_effect_source import SideEffectLog
    from rampart.execution.trace import TraceRun


class WatchedEffects:
    """The logs of one execution."""

    __slots__ = ("_coverage", "_logs")

    def __init__(self, logs: Sequence[SideEffectLog]) -> None:
        self._logs = logs
        self._coverage: list[dict[str, Any]] = []

    def add_to(self, run: TraceRun) -> None:
        """Add what was seen by now to the last turn of `run`, and to every turn what would have been.

        What an agent leaves running in the background may show after its reply. A claim that no longer
        holds is taken back from all turns.
        """
        if not run.raw_turns:
            return  # nobody was asked yet; what was seen is taken with the first turn
        effects = [effect for log in self._logs for effect in log.take()]
        if effects:
            run.raw_turns[-1].response.side_effects.extend(effects)
            run.latest_stop_check = None  # it judged a trace without them
        coverage = [asdict(one) for log in self._logs for one in log.coverage()]
        stale = run.raw_turns if coverage != self._coverage else run.raw_turns[-1:]
        self._coverage = coverage
        for turn in stale:
            if coverage:
                turn.response.metadata[COVERAGE_KEY] = coverage
            else:
                turn.response.metadata.pop(COVERAGE_KEY, None)

    def close(self) -> None:
        """End the watching."""
        for log in self._logs:
            log.close()


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
