"""The routes of a running proxy, and the servers behind them; all of it in the proxy's event loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from rampart.servers.mcp.changes import pass_on_async
from rampart.servers.mcp.relay import relay_server
from rampart.servers.mcp.upstream import Upstream

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from rampart.servers.mcp.route import McpRoute
    from rampart.servers.mcp.target import McpTarget


_LARGEST_REQUEST = 64 * 1024 * 1024
"""Bytes in one request; the real server may allow less."""


class Switchboard:
    """Finds the server for a token; makes it when somebody first asks there.

    Args:
        target: The real server.
    """

    def __init__(self, target: McpTarget) -> None:
        self.upstream = Upstream(target, on_message=self._on_message_async)
        self._lines: dict[str, _Line] = {}

    def add(self, route: McpRoute) -> None:
        """Serve a route."""
        self._lines[route.token] = _Line(route, self.upstream)

    def find(self, token: str) -> _Line | None:
        """The line with that token."""
        return self._lines.get(token)

    async def remove_async(self, token: str) -> None:
        """Stop serving a route, and end what is open there."""
        line = self._lines.pop(token, None)
        if line is not None:
            await line.close_async()

    async def close_async(self) -> None:
        """Stop serving all of them."""
        await asyncio.gather(*(self.remove_async(token) for token in list(self._lines)))

    async def tools_changed_async(self, token: str) -> None:
        """Tell the agents of a route that the list of tools is another one now."""
        import mcp_types as types  # noqa: PLC0415  # optional

        line = self._lines.get(token)
        if line is not None:
            await pass_on_async(types.ToolListChangedNotification(), line.route, line.bus)

    async def _on_message_async(self, message: Any) -> None:
        for line in list(self._lines.values()):
            await pass_on_async(message, line.route, line.bus)


class _Line:
    """The server of one route, and its HTTP sessions."""

    def __init__(self, route: McpRoute, upstream: Upstream) -> None:
        from mcp.server.subscriptions import InMemorySubscriptionBus  # noqa: PLC0415  # optional

        self.route = route
        self.bus = InMemorySubscriptionBus()
        self._upstream = upstream
        self._server: Server[Any] | None = None
        self._closing = asyncio.Event()
        self._manager: asyncio.Future[StreamableHTTPSessionManager] | None = None
        self._owner: asyncio.Task[None] | None = None

    @property
    def server(self) -> Server[Any]:
        """The server that agents see here."""
        if self._server is None:
            self._server = relay_server(self.route, self._upstream, self.bus)
        return self._server

    async def http_async(self) -> StreamableHTTPSessionManager:
        """What answers HTTP requests here."""
        if self._manager is None:
            self._manager = asyncio.get_running_loop().create_future()
            self._owner = asyncio.create_task(self._own_http_async(self._manager))
        return await asyncio.shield(self._manager)

    async def close_async(self) -> None:
        """End the sessions."""
        self.route.closed = True
        self._closing.set()
        if self._owner is not None:
            await asyncio.wait([self._owner])

    async def _own_http_async(self, ready: asyncio.Future[StreamableHTTPSessionManager]) -> None:
        from mcp.server.streamable_http_manager import (  # noqa: PLC0415  # optional
            StreamableHTTPSessionManager,
        )
        from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415  # optional

        # A page in a browser on this machine must not reach the tools behind the proxy.
        manager = StreamableHTTPSessionManager(
            self.server,
            max_request_body_size=_LARGEST_REQUEST,
            security_settings=TransportSecuritySettings(
                enable_dns_rebinding_protection=True,
                allowed_hosts=["127.0.0.1:*", "localhost:*"],
                allowed_origins=["http://127.0.0.1:*", "http://localhost:*"],
            ),
        )
        async with manager.run():
            ready.set_result(manager)
            await self._closing.wait()
