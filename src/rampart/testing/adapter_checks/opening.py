"""Opening sessions in checks, with words for what is wrong when it fails."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from rampart.core.adapter import AgentAdapter, Session
from rampart.testing.conformance_outcome import fail
from rampart.testing.protocol_members import ADAPTER, SESSION, require_members

if TYPE_CHECKING:
    from types import TracebackType


async def created(adapter: AgentAdapter) -> Session:
    """A session that was not entered yet."""
    require_members(adapter, AgentAdapter, ADAPTER)
    creating: object = adapter.create_session_async()
    if not inspect.isawaitable(creating):
        name, gave = type(adapter).__name__, type(creating).__name__
        fail(f"{name}.create_session_async must be async, but gave {gave}; write it as `async def`")
    session: Session = await creating
    require_members(session, Session, SESSION)
    return session


class opened:  # noqa: N801 - reads as a function: `async with opened(adapter) as session`
    """A session of an adapter, entered and left.

    Attributes:
        session: What the adapter made; there once it was entered.
    """

    session: Session

    def __init__(self, adapter: AgentAdapter) -> None:
        self._adapter = adapter

    async def __aenter__(self) -> Session:
        """Create and enter it."""
        self.session = session = await created(self._adapter)
        entering: object = session.__aenter__()
        name = type(session).__name__
        if not inspect.isawaitable(entering):
            fail(f"{name}.__aenter__ must be async, but gave {type(entering).__name__}; write `async def`")
        entered: Session = await entering
        if not hasattr(entered, "send_async"):
            await session.__aexit__(None, None, None)
            gave = type(entered).__name__
            fail(f"{name}.__aenter__ must return the session, but gave {gave}; end it with `return self`")
        return entered

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        """Leave it."""
        return await self.session.__aexit__(exc_type, exc, traceback)
