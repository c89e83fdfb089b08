"""The thread of a proxy."""

from __future__ import annotations

import asyncio
import concurrent.futures
import socket
import threading
from typing import TYPE_CHECKING, Any

from rampart.core.errors import InfrastructureError
from rampart.core.log import log
from rampart.servers.mcp.http_endpoint import HttpEndpoint
from rampart.servers.mcp.pipe_endpoint import PipeEndpoint
from rampart.servers.mcp.switchboard import Switchboard

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from rampart.servers.mcp.route import McpRoute
    from rampart.servers.mcp.target import McpTarget

_BACKLOG = 128
_PATIENCE_S = 20.0
"""Seconds that all has to end; a server's process that ignores everything is gone after a few."""


class RunningProxy:
    """Everything that runs while a proxy is used; it runs once it is made.

    Args:
        target: The real server.
        timeout_s: Seconds that it has to answer for the first time.

    Raises:
        InfrastructureError: If the server cannot be reached in time.
    """

    def __init__(self, target: McpTarget, *, timeout_s: float) -> None:
        self._target = target
        self._timeout_s = timeout_s
        self._http_listener, self._pipe_listener = _listener(), _listener()
        self.http_port: int = self._http_listener.getsockname()[1]
        self.pipe_port: int = self._pipe_listener.getsockname()[1]
        self._started: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leave: asyncio.Event | None = None
        self._switchboard: Switchboard | None = None
        self._thread = threading.Thread(target=self._run, name="rampart-mcp-proxy", daemon=True)
        try:
            self._thread.start()
            self._started.result()
        except BaseException:
            self.stop()
            raise

    @property
    def failure(self) -> str | None:
        """Why the real server is no longer there."""
        return None if self._switchboard is None else self._switchboard.upstream.failure

    def stop(self) -> None:
        """End everything and wait for it.

        Raises:
            InfrastructureError: If it does not end, which a server object brings about that blocks.
        """
        if self._loop is not None and self._leave is not None:
            try:
                self._loop.call_soon_threadsafe(self._leave.set)
            except RuntimeError:
                log.debug("the proxy of %s had ended already", self._target.label)
        if self._thread.ident is not None:
            self._thread.join(_PATIENCE_S)
        if self._thread.is_alive():  # it still uses the sockets
            msg = (
                f"the proxy of {self._target.label} did not end within {_PATIENCE_S:g} s: something blocks "
                "its event loop, such as an async tool of the server object that waits without await; its "
                "thread is left behind"
            )
            raise InfrastructureError(msg)
        self._http_listener.close()
        self._pipe_listener.close()

    def add(self, route: McpRoute) -> None:
        """Serve a route from now on."""
        self._call(self._add_async(route)).result()

    def remove(self, route: McpRoute) -> None:
        """Serve it no more; what is open there is ended in the background."""
        if self._thread.is_alive():
            self._call(self._board.remove_async(route.token))

    def announce_tools(self, route: McpRoute) -> None:
        """Tell the agents at a route that the list of tools has changed."""
        self._call(self._board.tools_changed_async(route.token))

    def request(
        self, method: str, params: dict[str, Any] | None
    ) -> concurrent.futures.Future[dict[str, Any]]:
        """Ask the real server."""
        return self._call(self._board.upstream.request_async(method, params))

    @property
    def _board(self) -> Switchboard:
        if self._switchboard is None:
            msg = f"the proxy of {self._target.label} has not started"
            raise InfrastructureError(msg)
        return self._switchboard

    def _call(self, work: Coroutine[Any, Any, Any]) -> concurrent.futures.Future[Any]:
        loop = self._loop
        if loop is not None:
            try:
                return asyncio.run_coroutine_threadsafe(work, loop)
            except RuntimeError:
                log.debug("the event loop of the proxy of %s is closed", self._target.label)
        work.close()
        msg = f"the proxy of {self._target.label} has stopped"
        raise InfrastructureError(msg)

    async def _add_async(self, route: McpRoute) -> None:
        self._board.add(route)

    def _run(self) -> None:
        try:
            asyncio.run(self._main_async())
        except BaseException as error:
            if not self._started.done():
                self._started.set_exception(error)
            else:
                log.error("the proxy of %s broke off", self._target.label, exc_info=error)

    async def _main_async(self) -> None:
        self._leave = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        board = self._switchboard = Switchboard(self._target)
        await self._connect_async(board, self._leave)
        http = HttpEndpoint(board, self._http_listener)
        pipes = PipeEndpoint(board, self._pipe_listener)
        try:
            await http.start_async()
            await pipes.start_async()
            self._started.set_result(None)
            await self._leave.wait()
        finally:
            await board.close_async()
            await pipes.stop_async()
            await http.stop_async()
            await board.upstream.stop_async()

    async def _connect_async(self, board: Switchboard, leave: asyncio.Event) -> None:
        """Connect to the real server, unless that takes too long or nobody waits any more."""
        connecting = asyncio.create_task(board.upstream.start_async())
        leaving = asyncio.create_task(leave.wait())
        await asyncio.wait(
            {connecting, leaving}, timeout=self._timeout_s, return_when=asyncio.FIRST_COMPLETED
        )
        leaving.cancel()
        if connecting.done():
            await connecting
            return
        connecting.cancel()
        await asyncio.wait({connecting})
        msg = f"the MCP server {self._target.label} did not answer within {self._timeout_s:g} s"
        raise InfrastructureError(msg)


def _listener() -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 0))
        listener.listen(_BACKLOG)
        listener.settimeout(0)  # as asyncio wants it
    except BaseException:
        listener.close()
        raise
    return listener
