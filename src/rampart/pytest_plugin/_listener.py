"""How results find the test that they belong to.

What handles results is imported with the first of them: most runs of pytest have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.listener import process_listener
from rampart.core.log import log
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from rampart.core.listener import PendingCall, ResultListener
    from rampart.core.population import PopulationResult
    from rampart.core.result import Result
    from rampart.pytest_plugin._attempt import Attempt
    from rampart.pytest_plugin._run import Run


class RunListener:
    """What the core hands results to while pytest runs; it knows which test is running.

    A context variable alone would not do: fixtures and runners that live longer than one test keep the
    context of the first.

    Attributes:
        current: Where results go; None between tests, and before the first one.
    """

    def __init__(self, run: Run) -> None:
        self.current: Attempt | None = None
        self._run = run

    def on_result(self, result: Result, /) -> None:
        """Record a result for the running test."""
        self._run.note_process()
        attempt = self.current
        try:
            if attempt is None:
                self._run.keep_stray(result)
            else:
                attempt.collector.add_result(result)
        except Exception as error:
            self._fail("a result", attempt, error)

    def on_population(self, population: PopulationResult, /, *, population_id: str) -> None:
        """Record a population for the running test; between tests its results were kept before."""
        self._run.note_process()
        attempt = self.current
        if attempt is None:
            return
        try:
            attempt.collector.add_population(population, population_id=population_id)
        except Exception as error:
            self._fail("a population", attempt, error)

    def _fail(self, what: str, attempt: Attempt | None, error: Exception) -> None:
        where = "between tests" if attempt is None else f"of {attempt.nodeid}"
        log.exception("%s %s could not be collected", what, where)
        why = f"{type(error).__name__}: {safe_str(error)}"
        self._run.mark_incomplete(f"{what} {where} could not be collected: {why}")

    def on_call(self, call: PendingCall, /) -> None:
        """Note a call that has to be awaited."""
        if self.current is not None:
            self.current.note_call(call)


class Slot:
    """Tags what a test starts, so that what arrives after its end is not taken for the next test's.

    It stands in the context variable while the test's own code runs; tasks and threads started from there
    inherit it.
    """

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._open = True

    def close(self) -> None:
        """Take whatever comes from now on for late."""
        self._open = False

    def on_result(self, result: Result, /) -> None:
        """Pass a result on to whatever is being tested now, or keep it as a late one."""
        replaced, listener = self._replacement()
        if replaced:
            if listener is not None:
                listener.on_result(result)
        elif self._open:
            self._attempt.run.listener.on_result(result)
        else:
            self._attempt.run.keep_late(result, self._attempt)

    def on_population(self, population: PopulationResult, /, *, population_id: str) -> None:
        """Pass a population on; a late one was reported with its results."""
        replaced, listener = self._replacement()
        if replaced:
            if listener is not None:
                listener.on_population(population, population_id=population_id)
        elif self._open:
            self._attempt.run.listener.on_population(population, population_id=population_id)

    def on_call(self, call: PendingCall, /) -> None:
        """Note a call that has to be awaited; after the end of its test nobody looks any more."""
        replaced, _ = self._replacement()
        if self._open and not replaced:
            self._attempt.run.listener.on_call(call)

    @staticmethod
    def _replacement() -> tuple[bool, ResultListener | None]:
        """Whether the test has put another listener, or none, in place of the plugin's.

        A run inside of this one is no such thing: what the outer test has started is still the outer test's.
        """
        listener = process_listener()
        return not isinstance(listener, RunListener), listener
