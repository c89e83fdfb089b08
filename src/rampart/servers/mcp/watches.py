"""Who watches which route of a proxy: each call belongs to one session, or is said to belong to none."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from rampart.core.errors import ConfigurationError
from rampart.servers.mcp.trial_route import trial_route
from rampart.servers.mcp.watch import McpWatch

if TYPE_CHECKING:
    from rampart.servers.mcp.proxy import McpProxy
    from rampart.servers.mcp.route import Edit, McpRoute


class Watches:
    """The watches over the routes of one proxy.

    Args:
        proxy: The proxy.
        edit: How answers over a route that is opened for a watch are altered.
    """

    def __init__(self, proxy: McpProxy, *, edit: Edit | None) -> None:
        self._proxy = proxy
        self._edit = edit
        self._open: dict[str, McpWatch] = {}
        self._lock = threading.Lock()

    def begin(self, *, own_address: bool) -> McpWatch:
        """Watch a session.

        Where the running trial has an address of its own, since something is planted there, it is the
        session's: its agent has to read what was planted. A session without an address of its own may use
        that of the trial or the shared one, and is seen at both.

        Raises:
            ConfigurationError: If another session is watched at the same address.
            InfrastructureError: If the proxy is not running.
        """
        shared, planted = self._proxy.shared, trial_route(self._proxy)
        if planted is not None:
            routes = [planted] if own_address else [planted, shared]
        else:
            routes = [self._proxy.open_route(edit=self._edit)] if own_address else [shared]
        watch = McpWatch(
            self._proxy, routes, shared=shared, owned=own_address and planted is None, watches=self
        )
        with self._lock:
            if any(route.token in self._open for route in routes):
                msg = (
                    f"another session is watched at the same address of {self._proxy.label}, and nothing "
                    "tells their calls apart; have one open at a time, or give with_tools_from a function "
                    "(route) that makes the adapter, so that each session has an address of its own"
                )
                raise ConfigurationError(msg)
            self._open |= {route.token: watch for route in routes}
        return watch

    def end(self, watch: McpWatch) -> None:
        """Forget a watch; doing so again does nothing."""
        with self._lock:
            self._open = {token: one for token, one in self._open.items() if one is not watch}

    def has(self, route: McpRoute) -> bool:
        """Whether somebody watches a route."""
        return route.token in self._open
