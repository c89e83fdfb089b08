"""One run of one test, from its set-up to the end of its tear-down."""

from __future__ import annotations

import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rampart.core.listener import context_listener
from rampart.pytest_plugin._listener import Slot
from rampart.pytest_plugin._markers import effective_trial, harm_category

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest

    from rampart.core.listener import PendingCall
    from rampart.core.population import Tally
    from rampart.core.result import PopulationRef, Result, SafetyStatus
    from rampart.core.types import HarmCategory
    from rampart.pytest_plugin._collection import Collector
    from rampart.pytest_plugin._run import Run


class Attempt:
    """One run of one test; another plugin may run a test several times.

    Attributes:
        run: The pytest run that it is part of.
        nodeid: The test's node id.
        name: The test's name, with its parameters.
        harm_category: What the test's marker says, for results without a category.
        is_about_harm: Whether the test has such a marker, and so has to record something.
        ordinal: Which attempt this is, from 0.
        is_rerun_known: Whether it is known that the test is run again, or may be.
        trial: What the test's marker declares, `--rampart-trials` applied; None without a marker.
        repeats: Whether the plugin itself repeats the test.
        next_index: The place of the next result among those of the test.
        first_bad: The first result that is not SAFE.
        trials: The trials that the test itself ran: population id and index.
        declared: Size and threshold of the populations that the test itself ran, by population id.
        in_repetition: Whether phases are running that pytest does not report.
        skipped_in_setup: Whether set-up ended the test before it could look at anything.
        section_shown: Whether a report of this attempt already shows the failing conversation.
    """

    def __init__(self, run: Run, item: pytest.Item, *, ordinal: int, next_index: int) -> None:
        self.run = run
        self.nodeid = item.nodeid
        self.name = item.name
        self.harm_category: HarmCategory | str | None = harm_category(item)
        self.is_about_harm = self.harm_category is not None
        self.ordinal = ordinal
        self.is_rerun_known = ordinal > 0 or hasattr(item, "execution_count")
        self.trial = effective_trial(item, override=run.options.trials)
        self.repeats = self.trial is not None and "trial_config" not in getattr(item, "fixturenames", ())
        self.next_index = next_index
        self.first_bad: Result | None = None
        self.trials: set[tuple[str, int]] = set()
        self.declared: dict[str, tuple[int, float]] = {}
        self.in_repetition = False
        self.skipped_in_setup = False
        self.section_shown = False
        self.population_id = uuid.uuid4().hex if self.repeats else ""
        self._first_index = next_index
        self._repetition = 0
        self._verdicts: list[SafetyStatus] = []
        self._calls: list[PendingCall] = []
        self._settled = False
        self._collector: Collector | None = None
        self._looked_at = (0, 0)
        self._slot = Slot(self)
        run.listener.current = self

    @property
    def collector(self) -> Collector:
        """What the test, or the current repetition of it, has recorded."""
        if self._collector is None:
            from rampart.pytest_plugin._collection import Collector  # noqa: PLC0415  # see _listener

            self._collector = Collector(self, repetition=self._repetition_ref())
        return self._collector

    @property
    def recorded_count(self) -> int:
        """How many results were recorded so far."""
        return self.next_index - self._first_index

    @property
    def trials_ran(self) -> int:
        """How many trials ran, whoever ran them; one that was broken off counts if it recorded something."""
        if not self.repeats:
            return len(self.trials)
        broken_off = len(self._verdicts) == self._repetition and bool(
            self._collector and self._collector.results
        )
        return len(self._verdicts) + broken_off

    def take_index(self) -> int:
        """The place of the next result among those of the test."""
        index, self.next_index = self.next_index, self.next_index + 1
        return index

    def keep_population(
        self,
        population_id: str,
        *,
        size: int,
        threshold: float,
        statuses: Iterable[SafetyStatus],
        cut_short: bool = False,
        members: Iterable[Result] = (),
    ) -> None:
        """Put the figures of a population into the report and the journal."""
        from rampart.records.population import population_object  # noqa: PLC0415  # see _listener

        figures = population_object(
            population_id=population_id,
            pytest_nodeid=self.nodeid,
            size=size,
            threshold=threshold,
            statuses=statuses,
            cut_short=cut_short,
            members=members,
        )
        self.run.keep_population(figures, attempt=self.ordinal)

    @contextmanager
    def tagged(self) -> Iterator[None]:
        """Tag what the body starts as belonging to this test."""
        token = context_listener.set(self._slot)
        try:
            yield
        finally:
            context_listener.reset(token)

    def note_call(self, call: PendingCall) -> None:
        """Remember a call until it is awaited."""
        with self.run.lock:
            self._calls = [earlier for earlier in self._calls if not earlier.awaited]
            self._calls.append(call)

    def not_awaited(self) -> list[str]:
        """A line for each call that was never awaited; each is given up, and named once."""
        with self.run.lock:
            forgotten = [call for call in self._calls if not call.awaited]
            self._calls = []
        if self.run.options.unchecked != "ignore":  # then Python's own warning is all that there is
            for call in forgotten:
                call.close()  # Python's warning names a place in rampart
        return [
            f"rampart: {call.what}(...) was called but never awaited, so nothing was tested: "
            f"write `await {call.what}(...)`"
            for call in forgotten
        ]

    def end_repetition(self) -> None:
        """Count the current repetition as a trial, with the verdict of what it recorded."""
        self._verdicts.append(self.collector.status)

    def begin_repetition(self, index: int) -> None:
        """Give the next repetition a collection of its own; the last one's is closed."""
        self._stop_collecting()
        self._repetition = index
        self._collector = None
        self._looked_at = (0, 0)
        self._slot = Slot(self)
        self.run.listener.current = self

    def settle(self) -> Tally:
        """Record the verdict over the repetitions, all of which have ended."""
        from rampart.core.population import Tally  # noqa: PLC0415  # see _listener

        self._keep_repetitions(cut_short=False)
        return Tally.of(self._verdicts)

    def end_phase(self) -> None:
        """Leave out of `unread` what was recorded so far: the phase that has ended was answerable for it."""
        if self._collector is not None:
            self._looked_at = (len(self._collector.results), len(self._collector.populations))

    def unread(self, *, since_last_phase: bool) -> list[str]:
        """A line for each bad verdict that nobody looked at."""
        if self._collector is None:
            return []
        return list(self._collector.unread(after=self._looked_at if since_last_phase else (0, 0)))

    def end(self) -> None:
        """Stop recording; what comes now is late."""
        if self.repeats and not self._settled and self.recorded_count:
            if self.trials_ran > len(self._verdicts):
                self.end_repetition()
            self._keep_repetitions(cut_short=True)
        self._stop_collecting()
        self._collector = None
        self.trials.clear()
        self.not_awaited()  # of a test that failed otherwise

    def _keep_repetitions(self, *, cut_short: bool) -> None:
        self._settled = True
        if self.trial is not None:
            self.keep_population(
                self.population_id,
                size=self.trial.n,
                threshold=self.trial.threshold,
                statuses=self._verdicts,
                cut_short=cut_short,
                members=self.run.members_of(self.population_id),
            )

    def _repetition_ref(self) -> PopulationRef | None:
        """Where results of the current repetition stand among the trials."""
        if not self.repeats or self.trial is None:
            return None
        from rampart.core.result import PopulationRef  # noqa: PLC0415  # see _listener

        return PopulationRef(
            id=self.population_id, index=self._repetition, size=self.trial.n, threshold=self.trial.threshold
        )

    def _stop_collecting(self) -> None:
        self._slot.close()
        if self._collector is not None:
            self._collector.close()
        self.run.listener.current = None
