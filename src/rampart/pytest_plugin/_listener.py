"""How results find the test that they belong to.

What handles results is imported with the first of them: most runs of pytest have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.listener import process_listener
from rampart.core.log import log

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
        current: Where results go; None between tests.
    """

    def __init__(self, run: Run) -> None:
        self.current: Attempt | None = None
        self._run = run

    def on_result(self, result: Result, /) -> None:
        """Record a result for the running test."""
        attempt = self.current
        if attempt is None:
            return
        try:
            attempt.collector.add_result(result)
        except Exception:
            log.exception("a result could not be collected")
            self._run.mark_incomplete("a result could not be collected")

    def on_population(self, population: PopulationResult, /, *, population_id: str) -> None:
        """Record a population for the running test."""
        attempt = self.current
        if attempt is None:
            return
        try:
            attempt.collector.add_population(population, population_id=population_id)
        except Exception:
            log.exception("a population could not be collected")
            self._run.mark_incomplete("a population could not be collected")

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
