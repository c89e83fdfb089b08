"""The schedule of trials: which one starts when, and what happens when one ends."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from typing import TYPE_CHECKING

from rampart.core.listener import exit_types
from rampart.core.population import Tally
from rampart.core.result import PopulationRef, status_of
from rampart.execution.running import running_loop
from rampart.execution.trial_factory import checked_execution
from rampart.statistics.threshold import threshold_met

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.adapter import AgentAdapter
    from rampart.core.result import Result, SafetyStatus
    from rampart.execution.base import BaseExecution
    from rampart.execution.lifecycle import Lifecycle


class TrialSchedule:
    """The trials of one call: built in order, started when a place and their keys are free."""

    def __init__(
        self,
        *,
        factory: Callable[[], BaseExecution],
        adapter: AgentAdapter,
        n: int,
        threshold: float,
        width: int,
        stop_when_decided: bool,
    ) -> None:
        self.population_id = uuid.uuid4().hex
        self._loop = running_loop()
        self._factory = factory
        self._adapter = adapter
        self._n = n
        self._threshold = threshold
        self._width = width
        self._stop_when_decided = stop_when_decided
        self._built = 0
        self._waiting: list[tuple[int, BaseExecution, frozenset[str]]] = []
        self._active: dict[int, Lifecycle] = {}
        self._held: set[str] = set()
        self._results: dict[int, Result] = {}
        self._errors: dict[int, BaseException] = {}
        self._counts: Counter[SafetyStatus] = Counter()
        self._progress: asyncio.Future[None] | None = None

    def results(self) -> list[Result]:
        """The results so far, in index order."""
        return [self._results[index] for index in sorted(self._results)]

    async def run_async(self) -> None:
        """Run all trials; raise bare what the factory or a trial raised, the first by index."""
        cancelled: asyncio.CancelledError | None = None
        while True:
            more = cancelled is None and self._start_what_can_start()
            if not self._active and not more:
                break
            try:
                if more:
                    await asyncio.sleep(0)
                else:
                    self._progress = self._loop.create_future()
                    await self._progress
            except asyncio.CancelledError as error:
                cancelled = cancelled or error
                self._stop_active()
        if cancelled is not None:
            raise cancelled
        if self._errors:
            raise self._first_error()

    def _first_error(self) -> BaseException:
        """The first by index; what ended the whole run comes before the cancellations that it caused."""
        in_order = [self._errors[index] for index in sorted(self._errors)]
        exits = [error for error in in_order if isinstance(error, exit_types())]
        return (exits or in_order)[0]

    def _start_what_can_start(self) -> bool:
        """Start trials where there are places; say whether more could start after others had a turn.

        A trial that never waits may be over when this returns, so places alone bound nothing.
        """
        for _ in range(self._width):
            if len(self._active) >= self._width or self._errors or self._is_decided():
                return False
            while not self._start_a_waiting_one():
                if self._built == self._n or len(self._waiting) >= self._width or not self._build():
                    return False
        return len(self._active) < self._width

    def _start_a_waiting_one(self) -> bool:
        for position, (index, execution, keys) in enumerate(self._waiting):
            if self._held.isdisjoint(keys):
                del self._waiting[position]
                self._held |= keys
                self._start(index, execution, keys)
                return True
        return False

    def _build(self) -> bool:
        """Ask the factory for the next trial; False if it failed."""
        index, self._built = self._built, self._built + 1
        try:
            execution = checked_execution(self._factory())
            keys = frozenset(execution.isolation_keys)
        except BaseException as error:  # raised when the running trials have ended
            self._errors[index] = error
            self._stop_if_interrupted(error)
            return False
        self._waiting.append((index, execution, keys))
        return True

    def _start(self, index: int, execution: BaseExecution, keys: frozenset[str]) -> None:
        ref = PopulationRef(id=self.population_id, index=index, size=self._n, threshold=self._threshold)
        try:
            trial = execution.prepare(
                adapter=self._adapter, population=ref, on_end=lambda: self._ended(index, keys)
            )
        except Exception as error:  # an adapter that was fine at first; raised when the running trials ended
            self._held -= keys
            self._errors[index] = error
            return
        self._active[index] = trial
        trial.begin()

    def _ended(self, index: int, keys: frozenset[str]) -> None:
        trial = self._active.pop(index)
        self._held -= keys
        if trial.result is not None:
            self._results[index] = trial.result
            self._counts[status_of(trial.result)] += 1
        elif trial.error is not None:
            self._errors[index] = trial.error
            self._stop_if_interrupted(trial.error)
        if self._progress is not None and not self._progress.done():
            self._progress.set_result(None)

    def _stop_active(self) -> None:
        for trial in list(self._active.values()):
            trial.request_stop()

    def _stop_if_interrupted(self, error: BaseException) -> None:
        """Exit and Ctrl-C end the running trials too; skip and fail let them finish."""
        if isinstance(error, exit_types()):
            self._stop_active()

    def _is_decided(self) -> bool:
        """Whether further trials can change neither how the rate compares nor, with it, a SAFE verdict."""
        if not self._stop_when_decided or not self._results:
            return False
        tally = Tally.of_counts(self._counts)
        left = self._n - tally.executed
        if not threshold_met(tally.safe + left, self._n, self._threshold):
            return True
        passes = threshold_met(tally.safe, self._n, self._threshold)
        return passes and bool(tally.error or tally.safe + tally.unsafe)
