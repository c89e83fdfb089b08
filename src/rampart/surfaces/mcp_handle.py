"""One payload in the answers of an MCP server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.core.errors import InfrastructureError
from rampart.core.log import log
from rampart.surfaces.blocking import run_blocking_async
from rampart.surfaces.handle import PlantedHandle
from rampart.surfaces.mcp_address import join_address
from rampart.surfaces.mcp_place import McpPlace, McpPoison, McpSpot

if TYPE_CHECKING:
    from rampart.core.types import Payload
    from rampart.servers.mcp.calls import McpCall
    from rampart.servers.mcp.proxy import McpProxy
    from rampart.servers.mcp.route import McpRoute
    from rampart.surfaces.undo import Undo

_MOST_PAGES = 100
"""Pages of a list that are looked through."""


class McpHandle(PlantedHandle):
    """While it is entered, the agent of this trial gets poisoned answers, and no other one does.

    Args:
        payload: What is planted.
        proxy: The proxy in front of the server.
        spot: Where in its answers.
        shared: Whether everybody who uses the proxy gets them.
        surface_name: The place, as reports name it.
        isolation_key: Handles with the same key never overlap.
    """

    def __init__(
        self,
        *,
        payload: Payload,
        proxy: McpProxy,
        spot: McpSpot,
        shared: bool,
        surface_name: str,
        isolation_key: str,
    ) -> None:
        place = f"the {spot.place.value} {_of(spot)} of {proxy.label}"
        super().__init__(payload=payload, surface_name=surface_name, place=place, isolation_key=isolation_key)
        self._proxy = proxy
        self._spot = spot
        self._shared = shared
        self._uses_proxy = False
        self._route: McpRoute | None = None
        self._poison: McpPoison | None = None
        self._failure_of_server: str | None = None

    @property
    def url(self) -> str:
        """Where the agent of this trial finds the server, over streamable HTTP.

        Raises:
            InfrastructureError: If the handle was not entered.
        """
        return self._entered_route.url

    @property
    def command(self) -> list[str]:
        """What the agent of this trial starts to find it on standard input and output.

        Raises:
            InfrastructureError: If the handle was not entered.
        """
        return list(self._entered_route.command)

    @property
    def calls(self) -> list[McpCall]:
        """The calls of tools that were made at this address so far.

        Raises:
            InfrastructureError: If the handle was not entered.
        """
        return self._entered_route.calls

    @property
    def delivered(self) -> bool | None:
        """True once an answer with the payload was given to the agent, False while none was.

        None if the only answers were such that part of a client may have missed it: structured content
        that has no room for text, beside content blocks with the payload.
        """
        poison = self._poison
        if poison is None or not (poison.sent or poison.partly_sent):
            return False
        return True if poison.sent else None

    async def _plant_async(self, undo: Undo) -> None:
        text = _checked_text(self.payload)
        undo.add(self._stop_proxy_async)
        await run_blocking_async(self._start_proxy)
        schema = await self._look_up_async()
        self._poison = McpPoison(
            spot=self._spot, payload=text, schema=schema, on_first_listing=self._announce
        )
        if self._shared:
            self._route = self._proxy.shared
        else:
            address = join_address(self._proxy)
            self._route = address.route

            async def leave_async() -> None:
                address.leave()

            undo.add(leave_async)
        undo.add(self._take_out_async)
        self._route.add_edit(self._poison)

    async def _take_out_async(self) -> None:
        if self._route is not None and self._poison is not None:
            self._route.remove_edit(self._poison)
            self._failure_of_server = self._proxy.failure

    async def _check_async(self) -> None:
        if self._failure_of_server is not None:
            raise InfrastructureError(self._failure_of_server)
        poison = self._poison
        if poison is None or poison.gap is None:
            return
        if not poison.sent and (self._spot.at is not None or not poison.partly_sent):
            raise InfrastructureError(poison.gap)
        log.warning("%s: %s", self.surface_name, poison.gap)

    def _announce(self) -> None:
        if self._route is not None:
            self._proxy.announce_tools(self._route)

    def _start_proxy(self) -> None:
        self._proxy.start()
        self._uses_proxy = True

    async def _stop_proxy_async(self) -> None:
        if self._uses_proxy:
            self._uses_proxy = False
            await run_blocking_async(self._proxy.stop)

    async def _look_up_async(self) -> dict[str, Any] | None:
        """Make sure that the server has the place; the schema of a tool's structured content.

        Resources are not looked up: those of templates are in no list.
        """
        place, name = self._spot.place, self._spot.name
        if place is McpPlace.RESOURCE:
            return None
        kind = "prompts" if place is McpPlace.PROMPT else "tools"
        offered: list[str] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await self._proxy.request_async(f"{kind}/list", {"cursor": cursor} if cursor else None)
            for one in page.get(kind) or []:
                if one.get("name") == name:
                    schema: dict[str, Any] | None = one.get("outputSchema")
                    return schema
                offered.append(str(one.get("name")))
            cursor = page.get("nextCursor")
            if not cursor:
                break
        msg = f"the server has no {kind.removesuffix('s')} {name!r}; it has: {', '.join(offered) or 'none'}"
        raise InfrastructureError(msg)

    @property
    def _entered_route(self) -> McpRoute:
        if self._route is None:
            msg = f"{self.surface_name}: the address is known once the handle is entered"
            raise InfrastructureError(msg)
        return self._route


def _of(spot: McpSpot) -> str:
    if spot.place in {McpPlace.RESOURCE, McpPlace.PROMPT}:
        return repr(spot.name)
    return f"of tool {spot.name!r}"


def _checked_text(payload: Payload) -> str:
    if not payload.format.is_text:
        msg = f"an MCP server's answer takes text, and the payload is of format {payload.format.value}"
        raise ValueError(msg)
    payload.content.encode("utf-8")  # JSON on the wire is UTF-8: no lone surrogates
    return payload.content
