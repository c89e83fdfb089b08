"""What a proxy saw of one session of an agent."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from rampart.core.tool_source import Observation
from rampart.core.types import ToolCall
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rampart.servers.mcp.calls import McpCall
    from rampart.servers.mcp.proxy import McpProxy
    from rampart.servers.mcp.route import McpRoute

_GRACE_S = 2.0
_LOOK_EVERY_S = 0.02


class McpWatch:
    """Takes the calls over one route; `McpProxy.watch_async` makes it.

    Args:
        proxy: The proxy.
        route: The route that the session's agent uses.
        owned: Whether nobody else uses the route, so that it ends with the watch.
    """

    def __init__(self, proxy: McpProxy, route: McpRoute, *, owned: bool) -> None:
        self._proxy = proxy
        self._route = route
        self._owned = owned
        self._taken = len(route.calls)

    @property
    def address(self) -> McpRoute:
        """The route: its `url` or its `command` is what the agent is given in place of the server's."""
        return self._route

    def turn(self) -> AbstractContextManager[None]:
        """Nothing: what comes in over the route belongs to the session."""
        return nullcontext()

    async def take_async(self) -> Observation:
        """The calls since the last time; calls that still run are waited for, up to 2 s.

        One that is not over by then is reported without a result. `executed` is True for a call that the
        server answered, False for a tool that it does not list, and None for a call whose end nobody saw.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + _GRACE_S
        while (calls := self._route.calls[self._taken :]) and not all(call.finished for call in calls):
            if loop.time() >= until:
                break
            await asyncio.sleep(_LOOK_EVERY_S)
        self._taken += len(calls)
        doubtful = [call.tool for call in calls if call.is_error or call.error is not None]
        listed = await self._listed_async() if doubtful else None
        failure = self._proxy.failure
        return Observation(
            tool_calls=[_tool_call(call, listed) for call in calls],
            missing=f"{self._proxy.label} is gone: {failure}" if failure else "",
        )

    async def close_async(self) -> None:
        """Close the route, if it is the session's own."""
        if self._owned:
            self._proxy.close_route(self._route)

    async def _listed_async(self) -> set[str] | None:
        """The tools that the server lists; None if it does not say."""
        names: set[str] = set()
        cursor: str | None = None
        try:
            while True:
                answer = await self._proxy.request_async("tools/list", {"cursor": cursor} if cursor else None)
                names |= {str(tool.get("name")) for tool in answer.get("tools", [])}
                following = answer.get("nextCursor")
                if not following or following == cursor:
                    return names
                cursor = str(following)
        except Exception:  # a server that ended or refuses; what it listed is then unknown
            return None


def _tool_call(call: McpCall, listed: set[str] | None) -> ToolCall:
    failed = call.is_error or call.error is not None
    executed: bool | None = True if call.finished and call.error is None else None
    if failed and listed is not None and call.tool not in listed:
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
