"""The thread in which one session's sync functions run."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_log = logging.getLogger("rampart")
_MISSING = object()


class SessionThread:
    """One thread for one session, started at its first job.

    A thread of its own, rather than one out of a fixed pool, gives each session what it needs: as many
    sessions run at once as are open, whatever the concurrency of the trials; objects that may only be
    used in the thread that made them work, and nothing left in thread-local storage reaches the next
    session. It is a daemon: an agent that hangs for ever does not keep the test run from ending.

    Args:
        name: The thread's name.
        on_start: Called in the thread before its first job.
    """

    def __init__(self, *, name: str, on_start: Callable[[], None]) -> None:
        self._name = name
        self._on_start = on_start
        self._context: contextvars.Context | None = None
        self._given: dict[contextvars.ContextVar[Any], Any] = {}
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    @property
    def started(self) -> bool:
        """Whether it has had a job."""
        return self._thread is not None

    async def run_async(self, function: Callable[..., T], /, *arguments: Any) -> T:
        """Call `function` in the thread and wait for it.

        The thread has one context, begun as a copy of the first caller's: what one job sets, the next
        one sees. Variables that the caller has changed since its last job are set anew.

        Cancelling the wait does not end the call: the thread goes on, and jobs that come later wait
        behind it.
        """
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
        caller = contextvars.copy_context()

        def job() -> None:
            result: Any = None
            failure: BaseException | None = None
            try:
                result = self._updated(caller).run(function, *arguments)
            except BaseException as error:
                failure = error
            try:
                loop.call_soon_threadsafe(_settle, outcome, (result, failure))
            except RuntimeError:
                _log.debug("a call of %s ended after its event loop was closed", self._name)

        self._put(job)
        value, failure = await outcome
        if failure is not None:
            try:
                raise failure
            finally:
                del failure  # its traceback holds this frame
        result: T = value
        return result

    def post(self, function: Callable[[], object], /) -> None:
        """Call `function` in the thread after what is running there, without waiting for it."""

        def job() -> None:
            try:
                (self._context or contextvars.Context()).run(function)
            except Exception:
                _log.warning("cleaning up after %s failed", self._name, exc_info=True)

        self._put(job)

    def stop(self) -> None:
        """End the thread once its jobs are done."""
        if self._thread is not None:
            self._jobs.put(None)

    def _updated(self, caller: contextvars.Context) -> contextvars.Context:
        """The thread's context, with what the caller changed; called in the thread."""
        context = self._context
        if context is None:
            context = self._context = caller.copy()
        else:
            for variable, value in caller.items():
                if self._given.get(variable, _MISSING) is not value:
                    context.run(variable.set, value)
        self._given = dict(caller)
        return context

    def _put(self, job: Callable[[], None]) -> None:
        self._jobs.put(job)
        if self._thread is None:
            thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            thread.start()  # may be refused: then there is none
            self._thread = thread

    def _work(self) -> None:
        self._on_start()
        while (job := self._jobs.get()) is not None:
            job()
            del job  # or its arguments stay alive until the next one comes


def _settle(
    outcome: asyncio.Future[tuple[Any, BaseException | None]], value: tuple[Any, BaseException | None]
) -> None:
    if not outcome.done():
        outcome.set_result(value)
