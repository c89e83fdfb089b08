"""One event loop and one task for all the coroutines that rampart runs during a test run."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import signal
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from rampart.pytest_plugin._async_errors import LaneBusyError, LaneRefusalError, LaneUnusableError
from rampart.pytest_plugin._async_job import Job

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from types import FrameType

T = TypeVar("T")

_GRACE_AFTER_ABANDONING_S = 1.0


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
        self._job: Job[Any] | None = None
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

    def run(
        self,
        work: Callable[[], Awaitable[T]],
        *,
        context: contextvars.Context | None = None,
        cleanup: bool = False,
    ) -> T:
        """Call `work` in the lane's task and await what it returns.

        A first SIGINT cancels the job, waits until it has cleaned up and raises KeyboardInterrupt; a second
        one waits no longer. So does any exception that a signal handler raises.

        Args:
            work: Makes the coroutine.
            context: The context to run it in; a copy of the current one if not given.
            cleanup: Start it undisturbed even if the task was cancelled before, as it is when a child of a
                task group fails that a fixture holds open. Other jobs are cancelled at their first await.

        Raises:
            LaneBusyError: If a job is running already.
            LaneUnusableError: If an earlier job was abandoned.
            LaneRefusalError: If another event loop is running in this thread, or the lane is closed.
        """
        __tracebackhide__ = True
        self._refuse_unless_idle()
        context = contextvars.copy_context() if context is None else context
        job = Job(work, context, self._loop.create_future(), cleanup=cleanup)
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
            raise job.interrupt()
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
            cancelled = await self._until_next_job()
            if self._job is None:
                return
            if cancelled and not self._job.cleanup:
                self._task.cancel()
            await self._job.perform()
            if self._uncancel():
                # The job has asked for a cancellation that may not have been delivered yet.
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.sleep(0)

    async def _until_next_job(self) -> bool:
        """Whether the task was cancelled while waiting; without a job afterwards, the lane is closing.

        Who cancels it is a task group or cancel scope that a fixture holds open, or SIGINT.
        """
        cancelled = False
        while self._job is None or self._job.finished.done():
            if self._closed:
                self._job = None
                break
            self._wake = self._loop.create_future()
            try:
                await self._wake
            except asyncio.CancelledError:
                cancelled = True
        self._uncancel()
        return cancelled

    def _uncancel(self) -> bool:
        """Forget cancellations, so that they do not meet the next job; whether there were any."""
        were_any = False
        while self._task.cancelling():
            self._task.uncancel()
            were_any = True
        return were_any

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
            raise LaneRefusalError(msg)
        if self._abandoned:
            raise LaneUnusableError
        if asyncio._get_running_loop() is not None:  # get_running_loop() raises instead
            msg = (
                "another event loop is running in this thread, so that rampart's cannot; ask for async "
                "fixtures by the parameters of the test, not inside asyncio.run()"
            )
            raise LaneRefusalError(msg)

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

    def _on_sigint(self, signum: int, frame: FrameType | None) -> None:
        del signum, frame
        if self._cancelled:
            raise KeyboardInterrupt
        self._cancelled = True
        self._task.cancel()
        self._loop.call_soon_threadsafe(lambda: None)  # the selector may be waiting for long

    def _drain(self, job: Job[Any]) -> None:
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
