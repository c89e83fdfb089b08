"""Planting payloads, waiting until an agent would find them, and removing them again, whatever happens."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from rampart.core.admission import admit_awaitable
from rampart.core.listener import exit_types
from rampart.core.log import log
from rampart.core.result import InjectionRecord
from rampart.execution.failures import error_line
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
        cut_off: list[tuple[InjectionHandle, InjectionRecord]] = []
        for handle, record in reversed(self.entered):
            try:
                if not await self._leave_async(handle, record, exc_type, exc, traceback):
                    cut_off.append((handle, record))
            except exit_types() as error:
                interrupt = interrupt or error
        for handle, record in cut_off:  # what cancelled their exit may have been left by now
            try:
                await self._leave_async(handle, record, exc_type, exc, traceback, again=True)
            except exit_types() as error:
                interrupt = interrupt or error
        if interrupt is not None:
            raise interrupt

    async def _enter_async(self, handle: InjectionHandle) -> None:
        running = self._running
        # Its name is read once: from here on nothing but its own methods may keep it from being left.
        record = InjectionRecord(payload_id=None, surface_name=surface_name(handle))
        with running.watchdog.step(_step(record, "entry"), running.limits.ready_timeout_s):
            await admit_awaitable(handle.__aenter__(), owner=handle, method="__aenter__")
            # Noted within the step: a handle that got in too late has to be left as well.
            running.injections.append(record)
            self.entered.append((handle, record))
        record.payload_id = handle.payload_id

    async def _wait_until_ready_async(self) -> None:
        running = self._running
        if not self.entered:
            return
        handle, record = self.entered[0]
        with running.watchdog.step(_step(record, "readiness"), running.limits.ready_timeout_s):
            if len(self.entered) == 1:
                await _ready_async(handle)
            else:
                await self._wait_for_all_async()

    async def _wait_for_all_async(self) -> None:
        """Wait for several at once; the first failure ends the waiting, and is what is raised."""
        tasks = {asyncio.ensure_future(_ready_async(handle)): record for handle, record in self.entered}
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
        record: InjectionRecord,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        *,
        again: bool = False,
    ) -> bool:
        """Leave a handle; False if something cancelled its exit that nobody asked to."""
        running = self._running
        step = _step(record, "exit")
        try:
            with running.watchdog.step(step, running.limits.cleanup_timeout_s):
                await handle.__aexit__(exc_type, exc, traceback)
        except exit_types():
            raise
        except BaseException as error:  # noted, so that it cannot hide what came before
            if not again and isinstance(error.__cause__, asyncio.CancelledError):
                return False
            log.error("%s failed", step, exc_info=error)
            running.cleanup_errors.append(f"{step}: {error_line(error)}")
        return True


async def _ready_async(handle: InjectionHandle) -> None:
    await admit_awaitable(handle.wait_until_ready_async(), owner=handle, method="wait_until_ready_async")


def surface_name(handle: InjectionHandle) -> str:
    """The name of a handle's place as text, whatever the handle gives."""
    return safe_str(handle.surface_name)


def _step(record: InjectionRecord, what: str) -> str:
    return f"injection '{quote(record.surface_name)}' {what}"
