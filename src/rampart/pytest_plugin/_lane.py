"""One event loop and one task for all the coroutines that rampart runs during a test run."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import signal
import threading
import types
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator

T = TypeVar("T")

_GRACE_AFTER_ABANDONING_S = 1.0


class LaneUnusableError(RuntimeError):
    """The event loop was interrupted so hard that a coroutine is stuck in it; nothing else can run."""

    def __init__(self) -> None:
        super().__init__(
            "rampart's event loop was interrupted while it was still waiting for an earlier coroutine to "
            "clean up; no other async test or fixture can run in it"
        )


class LaneBusyError(RuntimeError):
    """A coroutine was to be run from inside another one."""

    def __init__(self) -> None:
        super().__init__(
            "a coroutine is already running in rampart's event loop, which cannot wait for another one; "
            "ask for async fixtures by the parameters of the test, not by request.getfixturevalue() "
            "inside an async test or fixture"
        )


class _Job(Generic[T]):
    """A coroutine to run in the lane, and what became of it."""

    def __init__(
        self, work: Callable[[], Awaitable[T]], context: contextvars.Context, finished: asyncio.Future[None]
    ) -> None:
        self.finished = finished
        self._work = work
        self._context = context
        self._values: list[T] = []
        self._error: BaseException | None = None

    async def perform(self) -> None:
        __tracebackhide__ = True
        try:
            self._values.append(await _in_context(_call(self._work), self._context))
        except GeneratorExit:  # the loop is going away, nobody waits for an answer
            raise
        except BaseException as error:  # the submitter gets it, an interrupt included
            self.fail(error)
        else:
            self._finish()

    def fail(self, error: BaseException) -> None:
        self._error = error
        self._finish()

    def result(self) -> T:
        __tracebackhide__ = True
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # else the frames of its traceback would hold themselves alive
        return self._values.pop()

    def _finish(self) -> None:
        if not self.finished.done():
            self.finished.set_result(None)


class Lane:
    """Runs coroutines one after another in one task of one event loop, while the caller waits.

    That it is one task lets a fixture hold a task group or a cancel scope open while tests run, and leave
    it later. The loop runs only while a job does. Each job runs in a context of its own, so that variables
    it sets are not seen by the next one.

    Not thread-safe: use it from the thread that made it.
    """

    def __init__(self) -> None:
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._job: _Job[Any] | None = None
        self._wake: asyncio.Future[None] | None = None
        self._cancelled = False
        self._abandoned = False
        self._closed = False
        self._task = self._loop.create_task(self._serve(), name="rampart", context=contextvars.Context())
        self._task.add_done_callback(self._on_end)

    @property
    def is_usable(self) -> bool:
        """Whether another job can be run."""
        return not (self._closed or self._abandoned)

    def run(self, work: Callable[[], Awaitable[T]], *, context: contextvars.Context | None = None) -> T:
        """Call `work` in the lane's task and await what it returns.

        A first SIGINT cancels the job, waits until it has cleaned up and raises KeyboardInterrupt; a second
        one waits no longer. So does any exception that a signal handler raises.

        Args:
            work: Makes the coroutine.
            context: The context to run it in; a copy of the current one if not given.

        Raises:
            LaneBusyError: If a job is running already.
            LaneUnusableError: If an earlier job was abandoned.
            RuntimeError: If another event loop is running in this thread, or the lane is closed.
        """
        __tracebackhide__ = True
        self._refuse_unless_idle()
        context = contextvars.copy_context() if context is None else context
        job = _Job(work, context, self._loop.create_future())
        self._job = job
        self._cancelled = False
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
        try:
            with self._cancelling_on_sigint():
                self._loop.run_until_complete(job.finished)
        except BaseException:
            self._drain(job)
            raise
        finally:
            self._job = None
        if self._cancelled:
            raise KeyboardInterrupt
        return job.result()

    def cancel_threadsafe(self) -> None:
        """Cancel the job that is running; may be called from any thread."""
        with contextlib.suppress(RuntimeError):  # closed meanwhile
            self._loop.call_soon_threadsafe(self._task.cancel)

    def close(self) -> None:
        """Cancel the tasks that are left, and close the loop. May be called again."""
        if self._closed:
            return
        self._closed = True
        if self._abandoned:
            self._close_abandoned()
            return
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
        self._loop.run_until_complete(asyncio.wait([self._task]))
        self._runner.close()

    async def _serve(self) -> None:
        __tracebackhide__ = True
        while True:
            while self._job is None or self._job.finished.done():
                if self._closed:
                    return
                self._wake = self._loop.create_future()
                # A task group or cancel scope that a fixture holds open cancels this task when one of its
                # children fails. The fixture hears of it when it leaves the scope.
                with contextlib.suppress(asyncio.CancelledError):
                    await self._wake
            await self._job.perform()
            while self._task.cancelling():  # a cancelled test must not cancel the tear-down after it
                self._task.uncancel()

    def _on_end(self, task: asyncio.Task[None]) -> None:
        if self._closed:
            return
        self._abandoned = True
        error = None if task.cancelled() else task.exception()
        if self._job is not None:
            self._job.fail(error or LaneUnusableError())

    def _refuse_unless_idle(self) -> None:
        if self._job is not None:
            raise LaneBusyError
        if self._closed:
            msg = "rampart's event loop is closed, since the test run is over"
            raise RuntimeError(msg)
        if self._abandoned:
            raise LaneUnusableError
        if asyncio._get_running_loop() is not None:  # get_running_loop() raises instead
            msg = (
                "another event loop is running in this thread, so that rampart's cannot; ask for async "
                "fixtures by the parameters of the test, not inside asyncio.run()"
            )
            raise RuntimeError(msg)

    @contextlib.contextmanager
    def _cancelling_on_sigint(self) -> Iterator[None]:
        """As `asyncio.run` does: replace the handler of SIGINT, unless someone else already has."""
        if (
            threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        ):
            yield
            return
        signal.signal(signal.SIGINT, self._on_sigint)
        try:
            yield
        finally:
            if signal.getsignal(signal.SIGINT) == self._on_sigint:
                signal.signal(signal.SIGINT, signal.default_int_handler)

    def _on_sigint(self, signum: int, frame: types.FrameType | None) -> None:
        del signum, frame
        if self._cancelled:
            raise KeyboardInterrupt
        self._cancelled = True
        self._task.cancel()
        self._loop.call_soon_threadsafe(lambda: None)  # the selector may be waiting for long

    def _drain(self, job: _Job[Any]) -> None:
        """Let a job end that an exception from outside left suspended: else the next one waits for ever."""
        if job.finished.done():
            return
        if self._cancelled or self._loop.is_closed():
            self._abandoned = True
            return
        self._cancelled = True
        self._task.cancel()
        try:
            with self._cancelling_on_sigint():
                self._loop.run_until_complete(job.finished)
        except BaseException:
            self._abandoned = True
            raise

    def _close_abandoned(self) -> None:
        """Close without waiting for what has shown that it does not end."""
        if self._loop.is_closed():
            return
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        if tasks:
            waiting = asyncio.wait(tasks, timeout=_GRACE_AFTER_ABANDONING_S)
            with contextlib.suppress(BaseException):
                self._loop.run_until_complete(waiting)
        self._loop.close()


async def _call(work: Callable[[], Awaitable[T]]) -> T:
    __tracebackhide__ = True
    return await work()


@types.coroutine
def _in_context(coroutine: Coroutine[Any, Any, T], context: contextvars.Context) -> Generator[Any, Any, T]:
    """Step through a coroutine inside a context, while the task stays the one that awaits this.

    A task has a single context. Were jobs to share it, a variable that one of them sets without resetting
    it would be seen by all later ones.
    """
    __tracebackhide__ = True
    step: Callable[..., Any] = coroutine.send
    argument: Any = None
    while True:
        try:
            awaited = context.run(step, argument)
        except StopIteration as stop:
            value: T = stop.value
            return value
        try:
            argument = yield awaited
            step = coroutine.send
        except GeneratorExit:
            coroutine.close()
            raise
        except BaseException as error:  # handed on to the coroutine
            argument = error
            step = coroutine.throw
