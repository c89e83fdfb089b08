"""One run of an execution, from the first event to the collected result.

It runs in a task of its own. The caller waits for that task and turns a cancellation of itself into a
request to stop, which reaches whatever the execution is doing except cleanup. So cleanup ends before
the cancellation goes on, however often the caller is cancelled.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING

from rampart.core.checked import forget_reads, mark_of
from rampart.core.limits import configured_limits
from rampart.core.listener import emit_result, exit_types, skip_types
from rampart.core.log import log
from rampart.core.result import Result, SafetyStatus, status_of
from rampart.core.spending import spend_on
from rampart.execution.events import ExecutionEvent, ExecutionEventData, fire_async
from rampart.execution.failure_log import log_failure
from rampart.execution.failures import cut_short, error_result, with_cleanup_errors
from rampart.execution.running import Running, set_running
from rampart.execution.watchdog import Watchdog
from rampart.execution.watched_effects import watch_effects

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rampart.core.adapter import AgentAdapter
    from rampart.core.limits import Limits
    from rampart.core.result import PopulationRef
    from rampart.execution.base import BaseExecution
    from rampart.execution.events import ExecutionEventHandler


class Lifecycle:
    """One run of `execution` against `adapter`.

    Attributes:
        result: The result; None until the run has ended, and if it raised.
        error: What the run raised instead of returning a result.
        ended: Whether the run is over, cleanup included.
    """

    __slots__ = (
        "_adapter",
        "_execution",
        "_handlers",
        "_limits",
        "_loop",
        "_on_end",
        "_population",
        "_running",
        "_started",
        "_task",
        "_waiter",
        "ended",
        "error",
        "result",
    )

    def __init__(
        self,
        execution: BaseExecution,
        *,
        loop: asyncio.AbstractEventLoop,
        adapter: AgentAdapter,
        handlers: Sequence[ExecutionEventHandler],
        limits: Limits | None,
        population: PopulationRef | None = None,
        on_end: Callable[[], None] | None = None,
    ) -> None:
        self._execution = execution
        self._adapter = adapter
        self._handlers = handlers
        self._limits = limits or configured_limits()
        self._population = population
        self._on_end = on_end
        self._loop = loop
        self._waiter: asyncio.Future[None] | None = None
        self._running: Running | None = None
        self._started = 0.0
        self.result: Result | None = None
        self.error: BaseException | None = None
        self.ended = False
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Start the task; where Python can, it runs at once until it first has to wait."""
        if sys.version_info >= (3, 12):
            # It saves two rounds of the event loop where the agent answers at once.
            self._task = asyncio.Task(self._run_async(), loop=self._loop, eager_start=True)
        else:
            self._task = self._loop.create_task(self._run_async())
            self._task.add_done_callback(self._end_unbegun)
        if self.ended:
            self._task = None

    def request_stop(self) -> None:
        """Cancel what the execution is doing; cleanup still runs to its end."""
        if self._running is not None:
            self._running.watchdog.request_stop()
        elif self._task is not None and not self.ended:
            self._task.cancel()

    async def wait_async(self) -> Result:
        """Wait for the end and give the result, or raise what the execution raised."""
        cancelled: asyncio.CancelledError | None = None
        while not self.ended:
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            except asyncio.CancelledError as error:
                cancelled = cancelled or error
                self.request_stop()
        if cancelled is not None:
            if self.result is not None:
                _waive_check(self.result)
            raise cancelled
        if self.error is not None:
            raise self.error
        assert self.result is not None  # without an error there is a result
        return self.result

    async def _run_async(self) -> None:
        try:
            await self._live_async()
        except BaseException as error:  # it goes on in the caller's task, bare
            self.error = error
        finally:
            self._end()

    def _end(self) -> None:
        self.ended = True
        self._release()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
        if self._on_end is not None:
            self._on_end()

    def _end_unbegun(self, _task: asyncio.Task[None]) -> None:
        """End a run whose task was cancelled before its first step, as `asyncio.run` does when it ends."""
        if not self.ended:
            self.error = asyncio.CancelledError()
            self._end()

    def _release(self) -> None:
        """Let go of the task, whose context would otherwise keep everything alive in a cycle."""
        if self._running is not None:
            self._running.watchdog.close()
            if self._running.effects is not None:
                self._running.effects.close()
        self._task = self._running = None

    async def _live_async(self) -> None:
        self._started = time.perf_counter()
        task = asyncio.current_task(self._loop)
        assert task is not None  # this is the body of a task
        running = self._running = Running(Watchdog(task, self._loop, told_of_stops=True), self._limits)
        set_running(running)
        spend_on(running.spending)
        failure: BaseException | None = None
        try:
            if self._handlers:
                await self._fire_async(ExecutionEvent.ON_PRE_EXECUTE, elapsed=0.0)
            running.effects = watch_effects(self._execution._shown_texts)
            whole = self._limits.execution_timeout_s
            if whole is None:
                result = await self._execution._execute_async(adapter=self._adapter)
            else:
                result = await self._bounded_async(running.watchdog, whole)
            _check_result(result, self._execution)
            failure = running.failure
        except skip_types():
            raise
        except exit_types() as error:
            await self._interrupted_async(error, running)
            raise
        except Exception as error:  # every failure of the run is a result
            failure = error
            log_failure(error, strategy=self._execution.strategy_name, population=self._population)
            result = self._error_result(error, running)
        except GeneratorExit:
            raise
        except BaseException as error:
            await self._interrupted_async(error, running)
            raise
        if running.failure is not None and failure is running.failure:
            log_failure(running.failure, strategy=self._execution.strategy_name, population=self._population)
        result = with_cleanup_errors(result, running.cleanup_errors)
        if running.watchdog.stop_requested:
            stopped = asyncio.CancelledError()
            await self._interrupted_async(stopped, running, result=cut_short(result, stopped))
            raise stopped
        await self._conclude_async(result, failure, running)

    async def _bounded_async(self, watchdog: Watchdog, seconds: float) -> Result:
        """Run the strategy within the limit for the whole execution."""
        watchdog.begin_outer(seconds)
        try:
            result = await self._execution._execute_async(adapter=self._adapter)
        except (Exception, asyncio.CancelledError) as error:
            timeout = watchdog.outer_timeout()
            if timeout is None:
                raise
            raise timeout from error
        finally:
            watchdog.end_outer()
        timeout = watchdog.outer_timeout()
        if timeout is not None:
            raise timeout
        return result

    async def _conclude_async(self, result: Result, failure: BaseException | None, running: Running) -> None:
        """Complete the result, tell the handlers and hand it to the collector."""
        running.watchdog.unshield()
        result.duration_seconds = time.perf_counter() - self._started
        result.population = self._population
        result.usage = running.spending.by_role()
        try:
            if self._handlers:
                if failure is not None:
                    await self._fire_async(ExecutionEvent.ON_ERROR, error=failure)
                await self._fire_async(ExecutionEvent.ON_POST_EXECUTE, result=result)
        except BaseException:
            _waive_check(result)
            emit_result(result)
            raise
        emit_result(result)
        forget_reads(result)
        self.result = result

    async def _interrupted_async(
        self, error: BaseException, running: Running, *, result: Result | None = None
    ) -> None:
        """Keep what was seen before a cancellation or an interrupt; it needs no check by a test."""
        watchdog = running.watchdog
        watchdog.shield()
        if result is None:
            result = with_cleanup_errors(self._error_result(error, running), running.cleanup_errors)
        try:
            with watchdog.step("ON_ERROR handlers", running.limits.cleanup_timeout_s):
                await self._fire_async(ExecutionEvent.ON_ERROR, error=error)
        except Exception:  # the interrupt goes on, whatever its bystanders do
            log.warning("event handlers failed after %s", type(error).__name__, exc_info=True)
        result.duration_seconds = time.perf_counter() - self._started
        result.population = self._population
        result.usage = running.spending.by_role()
        _waive_check(result)
        emit_result(result)

    def _error_result(self, error: BaseException, running: Running) -> Result:
        return error_result(
            error, adapter=self._adapter, running=running, strategy=self._execution.strategy_name
        )

    async def _fire_async(
        self,
        event: ExecutionEvent,
        *,
        elapsed: float | None = None,
        result: Result | None = None,
        error: BaseException | None = None,
    ) -> None:
        data = ExecutionEventData(
            event=event,
            adapter=self._adapter,
            result=result,
            error=error,
            elapsed_seconds=time.perf_counter() - self._started if elapsed is None else elapsed,
        )
        await fire_async(self._handlers, data)


def _waive_check(result: Result) -> None:
    """Ask nobody to look at the ERROR of an execution that was cut short; a harm that was found counts."""
    if status_of(result) is SafetyStatus.ERROR:
        mark_of(result).read = True


def _check_result(result: object, execution: BaseExecution) -> None:
    if not isinstance(result, Result):
        msg = f"{type(execution).__name__}._execute_async returned {type(result).__name__}, expected a Result"
        raise TypeError(msg)
