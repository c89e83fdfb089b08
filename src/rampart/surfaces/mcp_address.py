"""Which address of a proxy the agent of the running trial is to use."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from rampart.servers.mcp.trial_route import set_trial_route

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.servers.mcp.proxy import McpProxy
    from rampart.servers.mcp.route import McpRoute

_addresses: ContextVar[Mapping[int, TrialAddress]] = ContextVar("rampart_mcp_addresses")


class TrialAddress:
    """A route that the injections of one trial share, since one agent reads from all of them.

    Args:
        proxy: The proxy.
        route: The route.
    """

    def __init__(self, proxy: McpProxy, route: McpRoute) -> None:
        self._proxy = proxy
        self.route = route
        self._users = 1

    def join(self) -> TrialAddress:
        """One injection more uses it."""
        self._users += 1
        return self

    def leave(self) -> None:
        """One less; with the last one it ends."""
        self._users -= 1
        if self._users == 0:
            self._proxy.close_route(self.route)

    @property
    def open(self) -> bool:
        """Whether an injection uses it."""
        return self._users > 0


def current_address(proxy: McpProxy) -> TrialAddress | None:
    """The address for what runs in this context, None if no injection is active in it."""
    address = _addresses.get({}).get(id(proxy))
    return address if address is not None and address.open else None


def join_address(proxy: McpProxy) -> TrialAddress:
    """The address of this context, a new one if there is none yet."""
    address = current_address(proxy)
    if address is not None:
        return address.join()
    address = TrialAddress(proxy, proxy.open_route())
    others = {key: one for key, one in _addresses.get({}).items() if one.open}
    _addresses.set({**others, id(proxy): address})
    set_trial_route(proxy, address.route)
    return address
