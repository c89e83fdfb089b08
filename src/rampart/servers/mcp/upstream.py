"""The proxy's own connection to the real server."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, TextIO

from rampart.core.errors import InfrastructureError
from rampart.core.log import log
from rampart.text.leaves import leaf_lines, leaves
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp import Client
    from mcp.shared.dispatcher import ProgressFnT

    from rampart.servers.mcp.target import McpTarget

_LAST_WORDS = 500
"""Characters of a dead command's standard error that are quoted."""


class Upstream:
    """One connection, owned by one task: what the `mcp` package opens must be closed where it was opened.

    Args:
        target: The server.
        on_message: Called with each notification of the server.
    """

    def __init__(self, target: McpTarget, *, on_message: Callable[[Any], Awaitable[None]]) -> None:
        self._target = target
        self._on_message = on_message
        self._client: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()
        self._subscriptions: dict[str, asyncio.Task[None]] = {}
        self._errlog: TextIO | None = None
        self.failure: str | None = None
        """Why the server is no longer there; None while it is."""

    @property
    def client(self) -> Client:
        """The connected client."""
        if self._client is None:
            msg = f"there is no connection to the MCP server {self._target.label}"
            raise InfrastructureError(msg)
        return self._client

    @property
    def is_modern(self) -> bool:
        """Whether the server speaks the protocol without a handshake, of 2026-07-28 or later."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS  # noqa: PLC0415  # optional

        return self.client.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def start_async(self) -> None:
        """Connect.

        Raises:
            InfrastructureError: If the server cannot be reached, or does not speak MCP.
        """
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._own_async(ready))
        try:
            await ready
        except BaseException:
            await self.stop_async()
            raise

    async def stop_async(self) -> None:
        """End the connection, and with it the server's process if the proxy started one."""
        for task in self._subscriptions.values():
            task.cancel()
        self._leave.set()
        if self._task is not None:
            if self._client is None:
                self._task.cancel()  # still connecting
            await asyncio.wait([self._task])

    async def request_async(
        self, method: str, params: dict[str, Any] | None, on_progress: ProgressFnT | None = None
    ) -> dict[str, Any]:
        """Send a request and give the result as the server worded it.

        Raises:
            MCPError: With the server's own code, message and data; or because the server has ended.
        """
        from mcp.shared.exceptions import MCPError  # noqa: PLC0415  # optional
        from mcp_types import CONNECTION_CLOSED, HEADER_MISMATCH  # noqa: PLC0415  # optional

        if self.failure is not None:
            raise MCPError(code=CONNECTION_CLOSED, message=self.failure)
        try:
            return await self._send_async(method, params, on_progress)
        except MCPError as error:
            if error.code == HEADER_MISMATCH and method == "tools/call":
                # Some arguments travel as headers too; which, the listing says.
                await self.client.list_tools(cache_mode="refresh")
                return await self._send_async(method, params, on_progress)
            if error.code == CONNECTION_CLOSED:
                self.failure = self._death(error)
                raise MCPError(code=CONNECTION_CLOSED, message=self.failure) from error
            raise

    async def subscribe_async(self, uri: str) -> None:
        """Ask the server to tell when a resource changes."""
        if uri in self._subscriptions:
            return
        if not self.is_modern:
            await self.request_async("resources/subscribe", {"uri": uri})
            return
        self._subscriptions[uri] = asyncio.create_task(self._listen_async(resource_subscriptions=[uri]))

    async def unsubscribe_async(self, uri: str) -> None:
        """Take that back."""
        if not self.is_modern:
            await self.request_async("resources/unsubscribe", {"uri": uri})
        elif (task := self._subscriptions.pop(uri, None)) is not None:
            task.cancel()

    async def _send_async(
        self, method: str, params: dict[str, Any] | None, on_progress: ProgressFnT | None
    ) -> dict[str, Any]:
        import mcp_types as types  # noqa: PLC0415  # optional
        from pydantic import TypeAdapter  # noqa: PLC0415  # optional

        request = types.Request[dict[str, Any] | None, str](method=method, params=params)
        raw: Any = TypeAdapter(dict[str, Any])  # the wire form: nothing that we do not know of is lost
        result: dict[str, Any] = await self.client.session.send_request(
            request, raw, progress_callback=on_progress
        )
        return result

    async def _own_async(self, ready: asyncio.Future[None]) -> None:
        # Not sys.stderr, which need not be a real file under pytest.
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as self._errlog:
            try:
                await self._stay_async(self._errlog, ready)
            except Exception as error:
                if ready.done():
                    log.debug("the MCP server %s did not end cleanly", self._target.label, exc_info=error)
                else:
                    ready.set_exception(InfrastructureError(self._refusal(error)))
            except asyncio.CancelledError:
                if not ready.done():
                    ready.cancel()
                raise

    async def _stay_async(self, errlog: TextIO, ready: asyncio.Future[None]) -> None:
        async with AsyncExitStack() as stack:
            client = await self._target.client_async(stack, errlog, message_handler=self._on_message)
            self._client = client
            if self.is_modern:
                listening = asyncio.create_task(self._listen_to_lists_async())
                stack.callback(listening.cancel)
            if not ready.done():
                ready.set_result(None)
            await self._leave.wait()

    async def _listen_to_lists_async(self) -> None:
        capabilities = self.client.server_capabilities
        wanted = {
            f"{kind}_list_changed": True
            for kind in ("tools", "prompts", "resources")
            if getattr(getattr(capabilities, kind, None), "list_changed", False)
        }
        if wanted:
            await self._listen_async(**wanted)

    async def _listen_async(self, **wanted: Any) -> None:
        """Keep a stream of changes open; what comes over it reaches `on_message` too."""
        try:
            async with self.client.listen(**wanted) as changes:
                async for _ in changes:
                    pass
        except Exception as error:
            log.debug("the MCP server %s tells of no changes", self._target.label, exc_info=error)

    def _refusal(self, error: Exception) -> str:
        advice = next((text for one in leaves(error) if (text := self._target.advice(one))), "")
        return (
            f"cannot reach the MCP server {quote(self._target.label)}: {leaf_lines(error)}{advice}"
            f"{self._said_on_stderr()}"
        )

    def _death(self, error: Exception) -> str:
        return (
            f"the MCP server {quote(self._target.label)} behind the proxy has ended "
            f"({quote(safe_str(error))}){self._said_on_stderr()}"
        )

    def _said_on_stderr(self) -> str:
        if self._errlog is None or self._errlog.closed:
            return ""
        self._errlog.seek(0)
        words = self._errlog.read().strip()[-_LAST_WORDS:]
        return f"; it said on stderr: {quote(words)}" if words else ""
