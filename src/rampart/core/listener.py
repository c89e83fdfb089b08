"""How executions hand results to whoever collects them, without knowing who that is.

There is one listener per process: the pytest plugin installs its own and points it at the running
test. A context variable may hold a listener too; it takes precedence and lets a test recognise what
was started on its behalf.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

from rampart.core.log import log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.population import PopulationResult
    from rampart.core.result import Result


class PendingCall(Protocol):
    """A call that has to be awaited."""

    @property
    def awaited(self) -> bool:
        """Whether it was."""
        ...

    @property
    def what(self) -> str:
        """The function that was called."""
        ...

    def close(self) -> None:
        """Give it up without a warning."""
        ...


class ResultListener(Protocol):
    """Receives results as they come into being.

    One that has a method `on_call(call: PendingCall)` is told as well of calls that have to be awaited.
    """

    def on_result(self, result: Result, /) -> None:
        """Take one result."""
        ...

    def on_population(self, population: PopulationResult, /, *, population_id: str) -> None:
        """Take a population whose trials are over; its members came through `on_result` before."""
        ...


class _Process:
    """What is set for the whole process."""

    listener: ResultListener | None = None
    skips: tuple[type[BaseException], ...] = ()
    exits: tuple[type[BaseException], ...] = ()


context_listener: ContextVar[ResultListener | None] = ContextVar("rampart_listener", default=None)


def set_process_listener(listener: ResultListener | None) -> ResultListener | None:
    """Install a listener and return the one that was there, to be put back."""
    before, _Process.listener = _Process.listener, listener
    return before


def process_listener() -> ResultListener | None:
    """The listener that is installed for the whole process."""
    return _Process.listener


@contextmanager
def listening(listener: ResultListener | None) -> Iterator[None]:
    """Replace both listeners in the body; None collects nothing."""
    before = set_process_listener(listener)
    token = context_listener.set(None)
    try:
        yield
    finally:
        context_listener.reset(token)
        set_process_listener(before)


def _current() -> ResultListener | None:
    listener = context_listener.get()
    return _Process.listener if listener is None else listener


def emit_result(result: Result) -> None:
    """Hand over one result; a listener that fails is logged and harms nothing."""
    listener = _current()
    if listener is not None:
        try:
            listener.on_result(result)
        except KeyboardInterrupt:
            raise
        except BaseException:  # a foreign `__repr__` may raise what skips a test or ends the run
            log.exception("a result could not be collected")


def emit_population(population: PopulationResult, *, population_id: str) -> None:
    """Hand over one population; a listener that fails is logged and harms nothing."""
    listener = _current()
    if listener is not None:
        try:
            listener.on_population(population, population_id=population_id)
        except KeyboardInterrupt:
            raise
        except BaseException:  # as above
            log.exception("a population could not be collected")


def emit_call(call: PendingCall) -> None:
    """Say that something was called that has to be awaited; listeners may do without knowing."""
    note = getattr(_current(), "on_call", None)
    if note is not None:
        note(call)


def record_result(result: Result, /) -> None:
    """Record a result that no execution produced.

    Outside of a test this does nothing, and it never fails a test.
    """
    emit_result(result)


@contextmanager
def runner_outcomes(
    *, skips: tuple[type[BaseException], ...], exits: tuple[type[BaseException], ...]
) -> Iterator[None]:
    """Say in the body which exceptions are a test runner's outcomes rather than failures of an agent.

    Args:
        skips: They mean that nothing was tested; they leave no result.
        exits: They end the whole run; running trials are cancelled.
    """
    before = _Process.skips, _Process.exits
    _Process.skips, _Process.exits = skips, exits
    try:
        yield
    finally:
        _Process.skips, _Process.exits = before


def skip_types() -> tuple[type[BaseException], ...]:
    """The exceptions which mean that nothing was tested."""
    # Importing unittest would cost every user some milliseconds; nobody raises this without it.
    skip_test = getattr(sys.modules.get("unittest.case"), "SkipTest", None)
    return _Process.skips if skip_test is None else (skip_test, *_Process.skips)


def exit_types() -> tuple[type[BaseException], ...]:
    """The exceptions that end the whole run."""
    return (KeyboardInterrupt, SystemExit, *_Process.exits)
