"""Planting payloads, waiting until an agent would find them, and removing them again, whatever happens."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from rampart.core.admission import admit_awaitable
from rampart.core.log import log
from rampart.core.result import InjectionRecord
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from rampart.core.injection import InjectionHandle
    from rampart.execution.running import Running


class OpenInjections:
    """`async with OpenInjections(handles, running)`: everything is planted and ready in the body.

    Handles are entered one after another in the task of the execution, so that context variables which
    they set are seen by the session, and left in the opposite order. A failing exit is noted with the
    execution instead of raised, and keeps no other handle from being left.

    Attributes:
        entered: The handles that were entered, with their records, in this order.
    """

    __slots__ = ("_handles", "_running", "entered")

    def __init__(self, handles: Sequence[InjectionHandle], running: Running) -> None:
        self._handles = handles
        self._running = running
        self.entered: list[tuple[InjectionHandle, InjectionRecord]] = []

    async def __aenter__(self) -> Self:
        """Enter all handles, then wait for all of them together."""
        try:
            for handle in self._handles:
                await self._enter_async(handle)
            await self._wait_until_ready_async()
        except BaseException as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave what was entered; from here on the execution only cleans up."""
        if not self.entered:
            return
        self._running.watchdog.shield()
        interrupt: BaseException | None = None
        for handle, _record in reversed(self.entered):
            try:
                await self._leave_async(handle, exc_type, exc, traceback)
            except (KeyboardInterrupt, SystemExit) as error:
                interrupt = interrupt or error
        if interrupt is not None:
            raise interrupt

    async def _enter_async(self, handle: InjectionHandle) -> None:
        running = self._running
        with running.watchdog.step(_step(handle, "entry"), running.limits.ready_timeout_s):
            await admit_awaitable(handle.__aenter__(), owner=handle, method="__aenter__")
            # Noted within the step: a handle that got in too late has to be left as well.
            record = InjectionRecord(payload_id=handle.payload_id, surface_name=surface_name(handle))
            running.injections.append(record)
            self.entered.append((handle, record))

    async def _wait_until_ready_async(self) -> None:
        running = self._running
        handles = [handle for handle, _record in self.entered]
        if not handles:
            return
        with running.watchdog.step(_step(handles[0], "readiness"), running.limits.ready_timeout_s):
            if len(handles) == 1:
                await _ready_async(handles[0])
            else:
                await self._wait_for_all_async(handles)

    async def _wait_for_all_async(self, handles: Sequence[InjectionHandle]) -> None:
        """Wait for several at once; the first failure ends the waiting, and is what is raised."""
        tasks = {asyncio.ensure_future(_ready_async(handle)): handle for handle in handles}
        pending = set(tasks)
        try:
            while pending:
                slowest = next(task for task in tasks if task in pending)
                self._running.watchdog.rename(_step(tasks[slowest], "readiness"))
                _done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                for task in tasks:
                    if task not in pending:
                        task.result()
        finally:
            for task in pending:
                task.cancel()
            if pending:
                await asyncio.wait(pending)
            for task in tasks:
                if task.done() and not task.cancelled():
                    task.exception()  # one is raised; the others must not be reported as never looked at

    async def _leave_async(
        self,
        handle: InjectionHandle,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        running = self._running
        step = _step(handle, "exit")
        try:
            with running.watchdog.step(step, running.limits.cleanup_timeout_s):
                await handle.__aexit__(exc_type, exc, traceback)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noted, so that it cannot hide what came before
            log.error("%s failed", step, exc_info=error)
            running.cleanup_errors.append(f"{step}: {type(error).__name__}: {quote(safe_str(error))}")


async def _ready_async(handle: InjectionHandle) -> None:
    await admit_awaitable(handle.wait_until_ready_async(), owner=handle, method="wait_until_ready_async")


def surface_name(handle: InjectionHandle) -> str:
    """The name of a handle's place as text, whatever the handle gives."""
    return safe_str(handle.surface_name)


def _step(handle: InjectionHandle, what: str) -> str:
    return f"injection '{quote(surface_name(handle))}' {what}"
