"""A proxy in front of any MCP server, which records what agents do there and may alter what they get."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.servers.mcp.calls import McpCall
    from rampart.servers.mcp.proxy import McpProxy
    from rampart.servers.mcp.route import McpRoute

_HOMES = {
    "McpCall": "rampart.servers.mcp.calls",
    "McpProxy": "rampart.servers.mcp.proxy",
    "McpRoute": "rampart.servers.mcp.route",
}

__all__ = ["McpCall", "McpProxy", "McpRoute"]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
