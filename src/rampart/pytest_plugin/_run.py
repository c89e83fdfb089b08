"""Everything that one pytest run has recorded."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from rampart.core.log import log
from rampart.pytest_plugin._attempt import Attempt
from rampart.pytest_plugin._forks import ForkWatch
from rampart.pytest_plugin._judge_calibration import add_corrections
from rampart.pytest_plugin._listener import RunListener
from rampart.pytest_plugin._spending import add_usage

if TYPE_CHECKING:
    from rampart.calibration.calibration_file import Calibration
    from rampart.core.report import TestRunReport
    from rampart.core.result import Result
    from rampart.pytest_plugin._journal import RunJournal
    from rampart.pytest_plugin._options import Options

INTERRUPTED = "the run was interrupted"
"""Why a run is incomplete that was stopped."""

_ATTEMPT = pytest.StashKey[Attempt]()


class Run:
    """The results, populations and mishaps of one pytest run.

    Attributes:
        options: The user's settings.
        journal: Where results are written down as they come.
        calibration: What is known of the judge; None where no calibration file is named.
        listener: What the core hands results to.
        incomplete: Why the run does not cover every test; empty if it does.
        notices: What else people should know, a line each.
        attempt: The test that runs now; None between tests.
        stop_requested: Whether a stop signal has come.
        refused: Whether a file was refused because of its markers.
        lock: Held while something is recorded; results may come from several threads.
    """

    def __init__(
        self, *, options: Options, journal: RunJournal, calibration: Calibration | None = None
    ) -> None:
        self.options = options
        self.journal = journal
        self.calibration = calibration
        self.listener = RunListener(self)
        self.incomplete: list[str] = []
        self.notices: list[str] = []
        self.stop_requested = False
        self.refused = False
        self.lock = threading.RLock()
        journal.on_failure = self.mark_incomplete
        self._forks = ForkWatch()
        self._last_nodeid: str | None = None
        self._started = time.monotonic()
        self._duration: float | None = None
        self._results: list[Result] = []
        self._populations: list[tuple[int, dict[str, Any]]] = []
        self.attempt: Attempt | None = None

    @property
    def result_count(self) -> int:
        """How many results were recorded, those of earlier attempts included."""
        return len(self._results)

    def begin(self, item: pytest.Item) -> Attempt:
        """Start recording for a test."""
        if self.attempt is not None:  # something kept its tear-down from being run
            self.end(self.attempt)
        before = item.stash.get(_ATTEMPT, None)
        if before is None:
            attempt = Attempt(self, item, ordinal=0, next_index=0)
        else:
            attempt = Attempt(self, item, ordinal=before.ordinal + 1, next_index=before.next_index)
            self._number_first_attempt(item.nodeid)
        item.stash[_ATTEMPT] = self.attempt = attempt
        self._last_nodeid = item.nodeid
        return attempt

    def end(self, attempt: Attempt) -> None:
        """Stop recording for a test."""
        attempt.end()
        if self.attempt is attempt:
            self.attempt = None

    def finish(self) -> None:
        """Take the time, and end the test that an interrupt has left open."""
        if self.attempt is not None:
            self.end(self.attempt)
        if self._forks.word is not None:
            where = "the journal has them in results.fork-<pid>.jsonl"
            if not self.options.journal:
                where = "they are lost, for want of a journal"
            self.mark_incomplete(
                f"a process that was forked in {self._forks.word} has recorded results that are not in this "
                f"report; {where}"
            )
        self._duration = time.monotonic() - self._started

    def note_process(self) -> None:
        """Go on by itself where this process is a fork of the one in which the run began."""
        if self._forks.entered_fork():
            self.lock = threading.RLock()  # a thread that does not exist here may hold the old one
            self.journal.continue_in_fork()
            self._forks.leave_word(self._last_nodeid or "")
            log.warning("results of a forked process go to the journal only: %s", self._last_nodeid)

    def keep(self, recorded: Result) -> None:
        """Put a result into the report and the journal."""
        self._results.append(recorded)
        self.journal.write_result(recorded)

    def members_of(self, population_id: str) -> list[Result]:
        """The results so far of one population."""
        return [
            result
            for result in self._results
            if result.population is not None and result.population.id == population_id
        ]

    def keep_population(self, entry: dict[str, Any], *, attempt: int) -> None:
        """Put the figures of a population into the report and the journal."""
        with self.lock:
            self._populations.append((attempt, entry))
            self.journal.write_population(entry)

    def keep_late(self, result: Result, attempt: Attempt) -> None:
        """Keep what came after its test had ended: in the journal only, and the run does not cover it."""
        self.note_process()
        log.warning("a result arrived after its test had ended: %s: %r", attempt.nodeid, result)
        if self._duration is not None:
            return
        from rampart.pytest_plugin._collection import recorded_copy  # noqa: PLC0415  # see _listener

        self.mark_incomplete(f"a result arrived after its test had ended: {attempt.nodeid}")
        with self.lock:
            recorded = recorded_copy(result, attempt, None)
            self.journal.write_result(recorded)

    def keep_stray(self, result: Result) -> None:
        """Keep what came between two tests, or after the last one, as late results are kept.

        Before the first test, while files are collected, nothing is recorded.
        """
        if self._last_nodeid is None:
            return
        log.warning("a result arrived while no test was running, after %s: %r", self._last_nodeid, result)
        if self._duration is not None:
            return
        from rampart.pytest_plugin._collection import stray_copy  # noqa: PLC0415  # see _listener

        recorded = stray_copy(result)
        self.mark_incomplete(f"a result arrived while no test was running, after {self._last_nodeid}")
        with self.lock:
            self.journal.write_result(recorded)

    def note_stop(self) -> None:
        """Note a stop signal; whatever becomes of the interrupt, the run has been asked to end."""
        self.stop_requested = True
        self.mark_incomplete(INTERRUPTED)

    def heed_stop(self) -> None:
        """End the run before its next test if the interrupt was swallowed by the last one.

        Raises:
            KeyboardInterrupt: If a stop signal has come.
        """
        if self.stop_requested:
            raise KeyboardInterrupt

    def mark_incomplete(self, reason: str) -> None:
        """Say why the run does not cover everything; the same reason counts once."""
        with self.lock:
            if reason not in self.incomplete:
                self.incomplete.append(reason)

    def report(self) -> TestRunReport:
        """The report over everything recorded so far."""
        from rampart.pytest_plugin._report import build_report  # noqa: PLC0415  # see _listener

        report = build_report(
            results=self._results,
            populations=self._populations,
            incomplete=self.incomplete,
            duration_seconds=time.monotonic() - self._started if self._duration is None else self._duration,
        )
        if self.calibration is not None:
            add_corrections(report, self.calibration)
        add_usage(report.metadata)
        return report

    def _number_first_attempt(self, nodeid: str) -> None:
        """Nobody knew that there would be a second attempt when the first one was recorded."""
        for result in self._results:
            if result.metadata["_pytest_nodeid"] == nodeid:
                result.metadata.setdefault("_rampart_attempt", 0)


def attempt_of(item: pytest.Item) -> Attempt | None:
    """The latest attempt at running a test; None before the first one."""
    return item.stash.get(_ATTEMPT, None)
