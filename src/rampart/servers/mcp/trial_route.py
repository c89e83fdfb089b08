"""Which route of a proxy the agent of the running trial is meant to use, if the trial has one."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.servers.mcp.proxy import McpProxy
    from rampart.servers.mcp.route import McpRoute

_routes: ContextVar[Mapping[int, McpRoute]] = ContextVar("rampart_mcp_trial_routes")


def trial_route(proxy: McpProxy) -> McpRoute | None:
    """The route of the trial that runs in this context; None without one, or once it is closed."""
    route = _routes.get({}).get(id(proxy))
    return None if route is None or route.closed else route


def set_trial_route(proxy: McpProxy, route: McpRoute) -> None:
    """Note that agents of this context are to use a route; until it is closed."""
    others = {key: one for key, one in _routes.get({}).items() if not one.closed}
    _routes.set({**others, id(proxy): route})
