"""What a proxy saw of one session of an agent."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

from rampart.core.tool_source import Observation
from rampart.core.types import ToolCall
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.servers.mcp.calls import McpCall
    from rampart.servers.mcp.proxy import McpProxy
    from rampart.servers.mcp.route import McpRoute
    from rampart.servers.mcp.watches import Watches

_AFTER_REPLY_S = 2.0
_AFTER_FAILURE_S = 0.3
_LOOK_EVERY_S = 0.02


class McpWatch:
    """Takes the calls over the routes of one session; `McpProxy.watch_async` makes it.

    Args:
        proxy: The proxy.
        routes: The routes that the session's agent may use; the first is its address.
        shared: The route that everybody shares.
        owned: Whether nobody else uses the routes, so that they end with the watch.
        watches: What knows the other watches.
    """

    def __init__(
        self, proxy: McpProxy, routes: list[McpRoute], *, shared: McpRoute, owned: bool, watches: Watches
    ) -> None:
        self._proxy = proxy
        self._routes = routes
        self._shared = shared
        self._owned = owned
        self._watches = watches
        self._taken = {route.token: len(route.calls) for route in (*routes, shared)}
        self._patience_s = 0.0

    @property
    def address(self) -> McpRoute:
        """The route: its `url` or its `command` is what the agent is given in place of the server's."""
        return self._routes[0]

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Note how a turn ends: what comes in over the route belongs to the session whenever it comes."""
        self._patience_s = _AFTER_FAILURE_S
        yield
        self._patience_s = _AFTER_REPLY_S

    async def take_async(self) -> Observation:
        """The calls since the last time; those of a turn that still run are waited for, up to 2 s.

        After a turn that failed it is 0.3 s, and outside of a turn nothing. A call that is not over by then
        is reported without a result. `executed` is True for a call that the server answered, False for a
        tool that it does not list, and None for a call whose end nobody saw.
        """
        loop = asyncio.get_running_loop()
        patience, self._patience_s = self._patience_s, 0.0
        until = loop.time() + patience
        fresh = self._fresh()
        while loop.time() < until and not _all_finished(fresh):
            await asyncio.sleep(_LOOK_EVERY_S)
            fresh = self._fresh()
        calls = sorted(chain.from_iterable(fresh.values()), key=lambda call: call.timestamp)
        is_doubtful = any(call.is_error or call.error is not None for call in calls)
        listed = await self._listed_async(patience) if is_doubtful else None
        for token, taken in fresh.items():
            self._taken[token] += len(taken)
        return Observation(
            tool_calls=[_tool_call(call, listed) for call in calls], missing="; ".join(self._gaps())
        )

    async def close_async(self) -> None:
        """Watch no longer, and close the route if it is the session's own."""
        self._watches.end(self)
        if self._owned:
            self._proxy.close_route(self.address)

    def _fresh(self) -> dict[str, list[McpCall]]:
        return {route.token: route.calls[self._taken[route.token] :] for route in self._routes}

    def _gaps(self) -> list[str]:
        """Why there may be calls of the session that were not seen here."""
        gaps = []
        if self._proxy.failure:
            gaps.append(f"{self._proxy.label} is gone: {self._proxy.failure}")
        elif not self._proxy.running:
            gaps.append(f"the proxy of {self._proxy.label} was stopped")
        if self._shared in self._routes or self._watches.has(self._shared):
            return gaps
        strays = len(self._shared.calls) - self._taken[self._shared.token]
        if strays:
            self._taken[self._shared.token] += strays
            gaps.append(
                f"calls came in at the address of {self._proxy.label} that everybody shares ({strays}), and "
                "nobody knows of which session; give the agent the route that the function given to "
                "with_tools_from gets"
            )
        return gaps

    async def _listed_async(self, seconds: float) -> set[str] | None:
        """The tools that the server lists; None if it does not say in time."""
        names: set[str] = set()
        cursor: str | None = None
        try:
            async with asyncio.timeout(seconds):
                while True:
                    params = {"cursor": cursor} if cursor else None
                    answer = await self._proxy.request_async("tools/list", params)
                    names |= {str(tool.get("name")) for tool in answer.get("tools", [])}
                    following = answer.get("nextCursor")
                    if not following or following == cursor:
                        return names
                    cursor = str(following)
        except Exception:  # a server that ended or refuses; what it listed is then unknown
            return None


def _all_finished(calls: dict[str, list[McpCall]]) -> bool:
    return all(call.finished for some in calls.values() for call in some)


def _tool_call(call: McpCall, listed: set[str] | None) -> ToolCall:
    failed = call.is_error or call.error is not None
    executed: bool | None = True if call.finished and call.error is None else None
    if failed and listed is None:
        executed = None  # servers report a tool that they do not have as one that failed
    elif failed and listed is not None and call.tool not in listed:
        executed = False
    return ToolCall(
        name=call.tool,
        arguments=call.arguments,
        result=_result(call),
        error=call.error or (quote(_text(call), 2000) or "the tool reported an error" if failed else None),
        executed=executed,
        timestamp=call.timestamp,
    )


def _result(call: McpCall) -> Any:
    """The text of the result; with what else there is of it where that is not the same."""
    if not call.finished or call.error is not None:
        return None
    text = _text(call)
    plain = all(block.get("type") == "text" for block in call.content)
    structured = call.structured_content
    if plain and (structured is None or structured == {"result": text}):
        return text
    return {"content": text if plain else call.content, "structured_content": structured}


def _text(call: McpCall) -> str:
    return "\n".join(str(block.get("text", "")) for block in call.content if block.get("type") == "text")
