"""What is known of an execution while it runs, so that nothing is lost when it fails."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING

from rampart.core.errors import ConfigurationError
from rampart.core.limits import configured_limits
from rampart.core.spending import Spending
from rampart.execution.watchdog import Watchdog

if TYPE_CHECKING:
    from rampart.core.attempt import Attempt
    from rampart.core.limits import Limits
    from rampart.core.result import InjectionRecord, Result
    from rampart.core.types import ObservabilityLevel, Turn
    from rampart.execution.trace import TraceRun
    from rampart.execution.watched_effects import WatchedEffects


class Running:
    """One execution under way.

    Attributes:
        watchdog: Bounds its steps.
        limits: The limits in force.
        trace: The trace being produced, or the last one.
        injections: What was planted so far.
        cleanup_errors: What could not be cleaned up, one line each.
        effects: What is seen of the agent besides what its adapter reports; None if nobody watches.
        control: What the same messages gave before with nothing planted, where that was asked.
        failure: What ended the trace of a strategy that returns what it found all the same.
        attempts: The conversations so far of a strategy that holds several.
        spending: What language models consumed so far, by role.
    """

    __slots__ = (
        "attempts",
        "cleanup_errors",
        "control",
        "effects",
        "failure",
        "injections",
        "limits",
        "spending",
        "trace",
        "watchdog",
    )

    def __init__(self, watchdog: Watchdog, limits: Limits) -> None:
        self.watchdog = watchdog
        self.limits = limits
        self.trace: TraceRun | None = None
        self.injections: list[InjectionRecord] = []
        self.cleanup_errors: list[str] = []
        self.effects: WatchedEffects | None = None
        self.control: Result | None = None
        self.failure: Exception | None = None
        self.attempts: list[Attempt] = []
        self.spending = Spending()

    def turns(self) -> list[Turn]:
        """The turns so far, evaluations attached where there are some."""
        return [] if self.trace is None else self.trace.all_turns()

    def observed_level(self) -> ObservabilityLevel | None:
        """The level of the trace so far, if there is one."""
        return None if self.trace is None else self.trace.observability_level


_running: ContextVar[Running | None] = ContextVar("rampart_running", default=None)


def set_running(running: Running) -> None:
    """Make `running` known to what runs in the current task."""
    _running.set(running)


def current_running() -> Running | None:
    """The execution that runs in the current task; a task that it started has none of its own."""
    running = _running.get()
    if running is None or running.watchdog.task is not asyncio.current_task():
        return None
    return running


def running_or_alone(limits: Limits | None) -> Running:
    """The execution of the current task, or one made for a function that is called outside of any.

    Args:
        limits: Limits to use instead of those in force.
    """
    running = current_running()
    if running is None or running.watchdog.busy:  # called from within a step, say by the agent itself
        loop = running_loop()
        task = asyncio.current_task()
        if task is None:
            msg = "rampart must be called from within an asyncio task"
            raise ConfigurationError(msg)
        return Running(Watchdog(task, loop), limits or configured_limits())
    return running


def running_loop() -> asyncio.AbstractEventLoop:
    """The running asyncio event loop.

    Raises:
        ConfigurationError: If there is none, as under trio.
    """
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        msg = (
            "rampart runs on asyncio, and no asyncio event loop is running here; under anyio's pytest plugin "
            "set the fixture `anyio_backend` to return 'asyncio', under trio move the test to asyncio"
        )
        raise ConfigurationError(msg) from None
