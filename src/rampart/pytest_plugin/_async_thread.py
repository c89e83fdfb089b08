"""A lane for runs that were started inside a running event loop."""

from __future__ import annotations

import contextvars
import queue
import threading
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from rampart.pytest_plugin._async_errors import LaneBusyError, LaneUnusableError
from rampart.pytest_plugin._lane import Lane

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")

_SECONDS_TO_GIVE_UP = 2.0


class AnyLane(Protocol):
    """What tests and fixtures need of a lane."""

    @property
    def is_usable(self) -> bool:
        """Whether another job can be run."""

    def run(
        self,
        work: Callable[[], Awaitable[T]],
        *,
        context: contextvars.Context | None = None,
        cleanup: bool = False,
    ) -> T:
        """Call `work` in the lane's task and await what it returns."""

    def close(self) -> None:
        """Cancel the tasks that are left, and close the loop."""


class ThreadLane:
    """A lane that lives wholly in a thread of its own, closing included.

    `pytest.main()` may be called inside a running event loop, and a thread has room for one only. Coroutines
    run in the other thread then, while the calling one waits; all else is as in `Lane`.
    """

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._busy = threading.Lock()
        self._abandoned = False
        self._closed = False
        self._opened: Future[Lane] = Future()
        self._thread = threading.Thread(target=self._serve, name="rampart-lane", daemon=True)
        self._thread.start()
        self._lane = self._opened.result()

    @property
    def is_usable(self) -> bool:
        """Whether another job can be run."""
        return not self._abandoned and self._lane.is_usable

    def run(
        self,
        work: Callable[[], Awaitable[T]],
        *,
        context: contextvars.Context | None = None,
        cleanup: bool = False,
    ) -> T:
        """As `Lane.run`; the context is that of the calling thread."""
        __tracebackhide__ = True
        if self._abandoned:
            raise LaneUnusableError
        if not self._busy.acquire(blocking=False):
            raise LaneBusyError
        context = contextvars.copy_context() if context is None else context
        try:
            if self._closed:
                return self._lane.run(work, context=context)  # refuses, and says why
            outcome: Future[T] = Future()
            self._calls.put(
                partial(_answer, outcome, partial(self._lane.run, work, context=context, cleanup=cleanup))
            )
            return self._wait_for(outcome)
        finally:
            self._busy.release()

    def close(self) -> None:
        """Close the lane in its thread and wait for it, unless a job is stuck there."""
        if self._closed:
            return
        self._closed = True
        self._calls.put(None)
        self._thread.join(timeout=_SECONDS_TO_GIVE_UP if self._abandoned else None)

    def _serve(self) -> None:
        _answer(self._opened, Lane)
        if self._opened.exception() is not None:
            return  # the thread that waits for the lane raises it
        while (call := self._calls.get()) is not None:
            call()
        self._opened.result().close()

    def _wait_for(self, outcome: Future[T]) -> T:
        __tracebackhide__ = True
        try:
            return outcome.result()
        except BaseException:
            if not outcome.done():  # raised by a signal handler, not by the job
                self._drain(outcome)
            raise

    def _drain(self, outcome: Future[T]) -> None:
        self._lane.cancel_threadsafe()
        try:
            outcome.exception()
        except BaseException:
            self._abandoned = True
            raise


def open_lane(*, in_thread: bool) -> AnyLane:
    """Make the lane of a run; `in_thread` where the calling thread is running a loop already."""
    return ThreadLane() if in_thread else Lane()


def _answer(outcome: Future[T], call: Callable[[], T]) -> None:
    __tracebackhide__ = True
    try:
        outcome.set_result(call())
    except BaseException as error:  # the waiting thread gets it
        outcome.set_exception(error)
