"""One conversation with an A2A agent."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from rampart.adapters.a2a_reader import A2AReader
from rampart.adapters.agent_session import AgentSession
from rampart.adapters.framework_library import library

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.adapters.agent_source import AgentSource
    from rampart.adapters.turn_log import TurnLog
    from rampart.core.types import Request

_CONNECT_S = 30
_CANCEL_S = 5


class A2ASession(AgentSession):
    """A session of an `A2AAdapter`: a context of the protocol.

    Args:
        source: Gives the URL, card or client.
        tool_calls: Where tool calls are in data parts.
        http_client: What to reach a URL or card with; None for a client of the session's own.
        poll_s: Seconds between questions about a task.
        options: `label`, `level` and `timeout_s` of every session.
    """

    def __init__(
        self,
        *,
        source: AgentSource,
        tool_calls: str | Callable[[Any], Any] | None,
        http_client: Any,
        poll_s: float,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._source = source
        self._http_client = http_client
        self._own_http: Any = None
        self._poll_s = poll_s
        self._client: Any = None
        self._closes = False
        self._context_id = uuid4().hex
        self._reader = A2AReader(label=self._label, tool_calls=tool_calls)

    async def open_async(self) -> None:
        """Make a client, which reads the agent's card."""
        given = await self._source.make_async()
        if hasattr(given, "send_message"):
            self._client, self._closes = given, not self._source.shared
            return
        a2a = _sdk("a2a.client.client_factory")
        http = self._http_client
        if http is None:
            httpx = _sdk("httpx")
            http = self._own_http = httpx.AsyncClient(timeout=httpx.Timeout(None, connect=_CONNECT_S))
        config = _sdk("a2a.client.client").ClientConfig(httpx_client=http)
        try:
            self._client = await a2a.create_client(given, client_config=config)
        except BaseException:
            await self.close_async()
            raise
        self._closes = True

    async def answer_async(self, request: Request, turn: TurnLog, /) -> None:
        """Send the message, and read what comes until the agent's part is over."""
        reader = self._reader
        reader.begin(turn)
        async with aclosing(self._client.send_message(self._message(request))) as events:
            async for event in events:
                reader.event(event)
        while reader.working:
            await asyncio.sleep(self._poll_s)
            reader.task(await self._client.get_task(_types().GetTaskRequest(id=reader.task_id)))
        self._context_id = reader.context_id or self._context_id
        reader.conclude()

    async def close_async(self) -> None:
        """Cancel a task that the agent still works on, and close what the session opened."""
        client, self._client = self._client, None
        own, self._own_http = self._own_http, None
        try:
            if client is not None and self._reader.working:
                with suppress(Exception):  # it may have ended, or the agent may be gone
                    async with asyncio.timeout(_CANCEL_S):
                        await client.cancel_task(_types().CancelTaskRequest(id=self._reader.task_id))
            if client is not None and self._closes:
                await client.close()
        finally:
            if own is not None:
                await own.aclose()

    def _message(self, request: Request) -> Any:
        types = _types()
        message = types.Message(
            message_id=uuid4().hex,
            context_id=self._context_id,
            role=types.Role.ROLE_USER,
            parts=[types.Part(text=request.prompt or "")],
        )
        if self._reader.waits_for_input:
            message.task_id = self._reader.task_id
        return types.SendMessageRequest(message=message)


def _types() -> Any:
    return _sdk("a2a.types")


def _sdk(module: str) -> Any:
    return library(module, needed_by="A2AAdapter", extra="a2a")
