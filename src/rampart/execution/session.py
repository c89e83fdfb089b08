"""Opening a session of an agent and leaving it again, whatever happens in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.admission import SESSION_MEMBERS, admit, admit_awaitable
from rampart.core.listener import exit_types
from rampart.core.log import log
from rampart.execution.failures import error_line

if TYPE_CHECKING:
    from types import TracebackType

    from rampart.core.adapter import AgentAdapter, Session
    from rampart.execution.running import Running


class OpenSession:
    """`async with OpenSession(adapter, running) as session`: a bounded start, a shielded bounded exit.

    A failing exit is noted with the execution instead of raised, so that it hides neither a verdict
    nor the error that came before it; what an exit returns is ignored.
    """

    __slots__ = ("_adapter", "_running", "_session")

    def __init__(self, adapter: AgentAdapter, running: Running) -> None:
        self._adapter = adapter
        self._running = running
        self._session: Session | None = None

    async def __aenter__(self) -> Session:
        """Create and enter the session within the limit for getting ready."""
        running = self._running
        entered = None
        try:
            with running.watchdog.step("session start", running.limits.ready_timeout_s):
                making = self._adapter.create_session_async()
                session = await admit_awaitable(making, owner=self._adapter, method="create_session_async")
                admit(session, members=SESSION_MEMBERS, role="session")
                entered = await admit_awaitable(session.__aenter__(), owner=session, method="__aenter__")
                self._session = session
        except BaseException as error:
            if self._session is not None:  # it got in all the same, too late or after it was told to stop
                await self.__aexit__(type(error), error, error.__traceback__)
            raise
        return entered if hasattr(entered, "send_async") else session

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave the session; from here on the execution only cleans up."""
        running = self._running
        session = self._session
        if session is None:
            return
        running.watchdog.shield()
        try:
            with running.watchdog.step("session exit", running.limits.cleanup_timeout_s):
                await session.__aexit__(exc_type, exc, traceback)
        except exit_types():
            raise
        except BaseException as error:  # noted, so that it cannot hide what came before
            log.error("session exit failed", exc_info=error)
            running.cleanup_errors.append(f"session exit: {error_line(error)}")
