"""Streamable HTTP on the loopback interface."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket

    from rampart.servers.mcp.switchboard import Switchboard

_ROUTE = re.compile(r"/s/([A-Za-z0-9_-]+)/mcp/?")
_GRACE_S = 1
"""Seconds that open answers have when the proxy stops; its sessions were ended before."""


def path_of(token: str) -> str:
    """The path under which a route is served."""
    return f"/s/{token}/mcp"


class HttpEndpoint:
    """Serves the routes of a switchboard.

    Args:
        switchboard: The routes.
        listener: A socket that listens already; the endpoint closes it.
    """

    def __init__(self, switchboard: Switchboard, listener: socket.socket) -> None:
        import uvicorn  # noqa: PLC0415  # optional

        self._switchboard = switchboard
        self._listener = listener
        self._server = uvicorn.Server(
            uvicorn.Config(
                self._answer_async,
                lifespan="off",
                interface="asgi3",
                proxy_headers=False,
                ws="none",
                log_config=None,
                access_log=False,
                timeout_graceful_shutdown=_GRACE_S,
            )
        )
        self._task: asyncio.Task[None] | None = None

    async def start_async(self) -> None:
        """Begin to answer."""
        self._task = asyncio.create_task(self._server.serve(sockets=[self._listener]))

    async def stop_async(self) -> None:
        """Answer no more, and close the socket."""
        self._server.should_exit = True
        if self._task is not None:
            await asyncio.wait([self._task])
        self._listener.close()

    async def _answer_async(self, scope: Any, receive: Any, send: Any) -> None:
        route = _ROUTE.fullmatch(scope["path"])
        line = None if route is None else self._switchboard.find(route.group(1))
        if line is None:
            await _not_found_async(send)
            return
        manager = await line.http_async()
        await manager.handle_request(scope, receive, send)


async def _not_found_async(send: Any) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    body = b"no MCP server here: the address is unknown, or its injection has ended\n"
    await send({"type": "http.response.start", "status": 404, "headers": headers})
    await send({"type": "http.response.body", "body": body})
