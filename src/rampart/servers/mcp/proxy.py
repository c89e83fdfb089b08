"""A proxy in front of any MCP server."""

from __future__ import annotations

import asyncio
import secrets
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from rampart.core.errors import InfrastructureError
from rampart.servers.mcp import stdio_bridge
from rampart.servers.mcp.calls import CallLog, McpCall
from rampart.servers.mcp.extra import require_mcp
from rampart.servers.mcp.http_endpoint import path_of
from rampart.servers.mcp.route import Edit, McpRoute
from rampart.servers.mcp.running import RunningProxy
from rampart.servers.mcp.target import McpTarget
from rampart.servers.mcp.watches import Watches
from rampart.text.leaves import leaf_lines

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from rampart.servers.mcp.watch import McpWatch


class McpProxy:
    """Stands between agents and an MCP server, records what they call and may alter what they get.

    The agent is pointed at `url` (streamable HTTP, on the loopback interface) or starts `command` (standard
    input and output) in place of the real server; it finds the same tools, resources, prompts, completions
    and instructions there. Both ways lead to the same proxy, which has one connection to the real server,
    and if that is a command, one process of it. It runs in a thread of its own, so that an agent that blocks
    its event loop is served too.

    Clients of any version of the protocol are served, whichever one the server speaks. Requests of the
    server to the agent (sampling, elicitation, roots) are passed on only in the form of 2026-07-28, where
    they are part of a result; in the older form they are refused, since the connection is shared.

    It is a context manager, and may be entered several times at once: it starts with the first user and
    stops when the last one leaves. Entering blocks until the server answers; the proxy of a server that runs
    in the same event loop must be entered in another thread.

    Args:
        target: The real server: a command with its arguments as a list; a URL of a server that speaks
            streamable HTTP; or a server object of the `mcp` package, which then runs in the proxy's thread.
        env: Environment variables for a command, besides the few that the `mcp` package passes on.
        cwd: The folder in which a command runs.
        headers: HTTP headers for a URL, such as `Authorization`.
        edit: How answers at `url` and `command` are altered, None to pass them on.
        start_timeout_s: Seconds that the server has to answer for the first time.

    Raises:
        ConfigurationError: If the extra `mcp` is not installed.
        TypeError: If `target` is none of the three.
        ValueError: If an option does not go with the target.
    """

    def __init__(
        self,
        *,
        target: object,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        headers: Mapping[str, str] | None = None,
        edit: Edit | None = None,
        start_timeout_s: float = 30.0,
    ) -> None:
        require_mcp()
        self._target = McpTarget(target, env=env, cwd=cwd, headers=headers)
        self._edit = edit
        self._start_timeout_s = start_timeout_s
        self._lock = threading.Lock()
        self._users = 0
        self._running: RunningProxy | None = None
        self._shared: McpRoute | None = None
        self._log = CallLog()
        self._watches = Watches(self, edit=edit)

    @property
    def label(self) -> str:
        """The real server, as messages name it."""
        return self._target.label

    @property
    def running(self) -> bool:
        """Whether somebody uses the proxy."""
        return self._running is not None

    @property
    def shared(self) -> McpRoute:
        """The route that everybody shares; it is another one each time the proxy starts.

        Raises:
            InfrastructureError: If the proxy is not running.
        """
        if self._shared is None:
            msg = f"the proxy of {self.label} is not running; enter it first: with McpProxy(...) as proxy"
            raise InfrastructureError(msg)
        return self._shared

    @property
    def url(self) -> str:
        """Where agents that speak streamable HTTP find the server."""
        return self.shared.url

    @property
    def command(self) -> list[str]:
        """What agents start that want a server on standard input and output: program and arguments."""
        return list(self.shared.command)

    @property
    def calls(self) -> list[McpCall]:
        """The calls of tools so far, over all routes, in the order in which they were made."""
        return self._log.copies()

    @property
    def failure(self) -> str | None:
        """Why the real server is no longer there; None while it is, as far as the proxy has noticed."""
        running = self._running
        return None if running is None else running.failure

    def start(self) -> None:
        """Count one user more, and start with the first.

        Raises:
            InfrastructureError: If the real server cannot be reached in time.
        """
        with self._lock:
            if self._users == 0:
                running = RunningProxy(self._target, timeout_s=self._start_timeout_s)
                try:
                    self._shared = self._route(running, self._edit)
                except BaseException:
                    running.stop()
                    raise
                self._running = running
            self._users += 1

    def stop(self) -> None:
        """Count one user less; with the last one everything that was started ends."""
        with self._lock:
            if self._users == 0:
                return
            self._users -= 1
            if self._users:
                return
            running, self._running, self._shared = self._running, None, None
        if running is not None:
            running.stop()

    def open_route(self, *, edit: Edit | None = None) -> McpRoute:
        """An address of its own, with its own record of calls: for one session of an agent, for one trial.

        Args:
            edit: How answers there are altered, None to pass them on.

        Raises:
            InfrastructureError: If the proxy is not running.
        """
        running = self._required()
        return self._route(running, edit)

    @property
    def tells_sessions_apart(self) -> bool:
        """False: sessions that share an address look alike; `watch_async` gives each its own on request."""
        return False

    async def watch_async(self, *, own_address: bool) -> McpWatch:
        """Begin to watch a session of an agent, for `with_tools_from`.

        Args:
            own_address: Whether the session gets a route of its own, or uses the shared one.

        Raises:
            ConfigurationError: If another session is watched at the same address.
            InfrastructureError: If the proxy is not running.
        """
        return self._watches.begin(own_address=own_address)

    def close_route(self, route: McpRoute) -> None:
        """Serve it no more; its record stays. Closing it again does nothing."""
        route.closed = True
        running = self._running
        if running is not None:
            running.remove(route)

    def announce_tools(self, route: McpRoute) -> None:
        """Tell the agents at a route that the list of tools has changed, without waiting for it."""
        running = self._running
        if running is not None:
            running.announce_tools(route)

    async def request_async(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask the real server something on one's own account; nothing is recorded or altered.

        Raises:
            InfrastructureError: If the server refuses or has ended, or the proxy is not running.
        """
        asked = self._required().request(method, params)
        try:
            return await asyncio.wrap_future(asked)
        except Exception as error:
            if isinstance(error, InfrastructureError):
                raise
            msg = f"the MCP server {self.label} did not answer {method}: {leaf_lines(error)}"
            raise InfrastructureError(msg) from error

    def _required(self) -> RunningProxy:
        running = self._running
        if running is None:
            msg = f"the proxy of {self.label} is not running; enter it first: with McpProxy(...) as proxy"
            raise InfrastructureError(msg)
        return running

    def _route(self, running: RunningProxy, edit: Edit | None) -> McpRoute:
        # Whoever works on the same machine finds the port, and must not use the tools behind it.
        token = secrets.token_urlsafe(16)
        bridge = str(Path(stdio_bridge.__file__).resolve())
        route = McpRoute(
            token=token,
            url=f"http://127.0.0.1:{running.http_port}{path_of(token)}",
            # Isolated: the agent's folder and variables do not change what the bridge imports.
            command=[sys.executable, "-I", bridge, str(running.pipe_port), token],
            edit=edit,
            shared_log=self._log,
        )
        running.add(route)
        return route

    def __enter__(self) -> Self:
        """Start, or count one user more."""
        self.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop, or count one user less."""
        self.stop()
