"""A coroutine to run in the lane: in a context of its own, its outcome kept for who asked for it."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import asyncio
    import contextvars
    from collections.abc import Awaitable, Callable, Coroutine, Generator

T = TypeVar("T")


class Job(Generic[T]):
    """A coroutine to run in the lane, and what became of it."""

    def __init__(
        self,
        work: Callable[[], Awaitable[T]],
        context: contextvars.Context,
        finished: asyncio.Future[None],
        *,
        cleanup: bool,
    ) -> None:
        self.finished = finished
        self.cleanup = cleanup
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

    def interrupt(self) -> KeyboardInterrupt:
        """The interrupt that has ended the job, with the traceback of where that was waiting."""
        return KeyboardInterrupt().with_traceback(self._error.__traceback__ if self._error else None)

    def _finish(self) -> None:
        if not self.finished.done():
            self.finished.set_result(None)


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
