"""Time limits for the steps of one task.

A scope and a timer for every step would cost more than the rest of a check. One watchdog per task has
a deadline that moves from step to step, and all watchdogs of an event loop share one timer, which finds
out when it fires who is overdue.
"""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Self

from rampart.core.errors import (
    ExecutionTimeoutError,
    InfrastructureError,
    attach_partial,
    partial_of,
)
from rampart.execution.alarm import alarm_of

if TYPE_CHECKING:
    from types import TracebackType

_INSIST_AFTER_S = 1.0
"""A step that swallows its cancellation is cancelled again after this time, in seconds."""


class Watchdog:
    """Bounds the steps of the task in which it was made.

    Used as `with watchdog.step("send_async", 120, turn=2): ...`; steps follow one another and do not
    nest. A step that exceeds its limit is cancelled and leaves as ExecutionTimeoutError, whatever it
    made of the cancellation; so does one that blocked the event loop and ended too late, cleanup aside,
    where late is better than never. A cancellation from outside goes on as such, also out of a step that
    swallowed it.

    Args:
        task: The task.
        loop: Its event loop.
        told_of_stops: Whether every cancellation from outside comes through `request_stop`. Then any other
            one was made by what a step opened, say a task group of a client whose connection broke.
    """

    # What has not happened yet is kept in the class: most watchdogs end without any of it.
    _deadline: float | None = None
    _outer: float | None = None
    _outer_end: float | None = None
    _outer_seconds = 0.0
    _what: str | None = None
    _turn: int | None = None
    _seconds = 0.0
    _expired = False
    _outer_expired = False
    _own_cancels = 0
    _shielded = False
    _stop_requested = False

    def __init__(
        self, task: asyncio.Task[object], loop: asyncio.AbstractEventLoop, *, told_of_stops: bool = False
    ) -> None:
        self._task: asyncio.Task[object] | None = task
        self._told_of_stops = told_of_stops
        self._time = loop.time
        self._alarm = alarm_of(loop)
        self._baseline = task.cancelling()

    @property
    def task(self) -> asyncio.Task[object] | None:
        """The task whose steps are bounded; None when it is over."""
        return self._task

    @property
    def busy(self) -> bool:
        """Whether a step is under way."""
        return self._what is not None

    @property
    def stop_requested(self) -> bool:
        """Whether the task was asked to stop from outside."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Cancel the task from outside; while it is shielded, note the wish and leave it alone."""
        self._stop_requested = True
        if not self._shielded and self._task is not None:
            self._task.cancel()

    def shield(self) -> None:
        """From now on hold off cancellation from outside and the outer limit: this is cleanup.

        A cancellation that was already delivered is taken off the task, so that scopes which the
        cleanup opens do not deliver it again; `stop_requested` remembers it.
        """
        self._shielded = True
        self._forget_cancels()

    def unshield(self) -> None:
        """Let cancellation from outside through again."""
        self._shielded = False

    def resume(self) -> None:
        """Go on after a cleanup that was not the last: the outer limit and cancellation hold again.

        Raises:
            CancelledError: If the task was asked to stop meanwhile.
        """
        self._shielded = False
        self._outer = self._outer_end
        if self._outer is not None:
            self._alarm.wake(self, self._outer)
        if self._stop_requested:
            raise asyncio.CancelledError

    @property
    def outer_passed(self) -> bool:
        """Whether there is an outer limit and it has passed."""
        return self._outer_end is not None and self._time() >= self._outer_end

    def begin_outer(self, seconds: float) -> None:
        """Bound everything until `end_outer` together."""
        self._outer_seconds = seconds
        self._outer = self._outer_end = self._time() + seconds
        self._alarm.wake(self, self._outer)

    def suspend_outer(self) -> None:
        """Hold off the outer limit until `resume`, if that comes."""
        self._outer = None

    def end_outer(self) -> None:
        """Lift the outer limit."""
        self._outer = self._outer_end = None
        self._alarm.forget(self)

    def outer_timeout(self) -> ExecutionTimeoutError | None:
        """The error of an outer limit that passed while no step was running, if it did."""
        if not self._outer_expired:
            return None
        self._outer_expired = False
        self._take_back_cancels()
        return ExecutionTimeoutError("execution", seconds=self._outer_seconds)

    def step(self, what: str, seconds: float | None, *, turn: int | None = None) -> Self:
        """Bound the body of a `with`; `what` and `turn` name it in the error."""
        self._what = what
        self._turn = turn
        if seconds is None:
            self._deadline = None
        else:
            self._seconds = seconds
            self._deadline = self._time() + seconds
            self._alarm.wake(self, self._deadline)
        return self

    def rename(self, what: str) -> None:
        """Say what the step that is under way waits for by now."""
        self._what = what

    def __enter__(self) -> None:
        """Begin the step."""

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the step; turn our own cancellation into a timeout and insist on a foreign one."""
        deadline, self._deadline = self._deadline, None
        if self._outer is None:
            self._alarm.forget(self)
        what, self._what = self._what, None
        if exc is None and deadline is not None and not self._shielded and self._time() > deadline:
            # It kept the event loop from looking at the clock, which makes it no less late.
            self._expired = True
        stopped = self._stop_requested and not self._shielded
        if self._expired or (self._own_cancels and isinstance(exc, asyncio.CancelledError)):
            self._expired = False
            self._take_back_cancels()
            if exc is None or isinstance(exc, Exception | asyncio.CancelledError):
                if stopped:
                    raise _cancellation(exc) from None
                self._forget_cancels()
                raise self._timeout(what, exc) from (exc if isinstance(exc, Exception) else None)
        elif exc is None or isinstance(exc, Exception):
            if stopped:
                raise _cancellation(exc) from None
            self._forget_cancels()
        elif not stopped and self._is_stray(exc):
            self._forget_cancels()
            raise _stray(self._place(what), exc) from exc

    def close(self) -> None:
        """Let go of the task; no step follows."""
        self._alarm.forget(self)
        self._task = None

    def _timeout(self, what: str | None, exc: BaseException | None) -> ExecutionTimeoutError:
        place = self._place(what)
        if self._outer_expired:
            self._outer_expired = False
            error = ExecutionTimeoutError(f"execution, while in {place},", seconds=self._outer_seconds)
        else:
            error = ExecutionTimeoutError(place, seconds=self._seconds)
        error.partial = None if exc is None else partial_of(exc)
        return error

    def _place(self, what: str | None) -> str:
        return f"{what} (turn {self._turn})" if self._turn is not None else str(what)

    def _is_stray(self, exc: BaseException) -> bool:
        """Whether an exception that belongs to asyncio or Python was brought about by what a step did."""
        task = self._task
        if task is None or not isinstance(exc, asyncio.CancelledError | GeneratorExit):
            return False
        if task.cancelling() > self._baseline and not self._told_of_stops:
            return False
        try:
            return asyncio.current_task() is task
        except RuntimeError:  # Python throws the coroutine of a loop away that has ended
            return False

    def _take_back_cancels(self) -> None:
        """Undo our own cancellations."""
        assert self._task is not None
        for _ in range(self._own_cancels):
            self._task.uncancel()
        self._own_cancels = 0

    def _forget_cancels(self) -> None:
        """Take off the task all cancellations that are counted on it.

        A request from outside comes through `request_stop`. What is counted besides was left behind by the
        step's own code: before Python 3.13 a TaskGroup whose task fails while the group waits for the
        others leaves a count of one, whether the failure is handled or not.
        """
        while self._task is not None and self._task.cancelling() > self._baseline:
            self._task.uncancel()

    def look(self, now: float, /) -> float:
        """Cancel the task if it is overdue at the loop's time `now`; return when to look again."""
        outer = None if self._shielded else self._outer
        due = min((at for at in (self._deadline, outer) if at is not None), default=math.inf)
        if now < due or self._task is None:
            return due
        if due == outer:
            self._outer_expired = True
            self._outer = None
            if self._what is not None:
                self._deadline = due
        if self._what is not None:
            self._expired = True
        self._own_cancels += 1
        self._task.cancel()
        return now + _INSIST_AFTER_S


def _cancellation(exc: BaseException | None) -> asyncio.CancelledError:
    """A cancellation that still carries what the agent had done."""
    error = asyncio.CancelledError()
    partial = None if exc is None else partial_of(exc)
    if partial is not None:
        attach_partial(error, partial)
    return error


def _stray(place: str, exc: BaseException) -> InfrastructureError:
    """A step that failed with what looks like a cancellation; taken for one it would end all trials."""
    return InfrastructureError(
        f"{place} raised {type(exc).__name__}, although nobody cancelled it", partial=partial_of(exc)
    )
