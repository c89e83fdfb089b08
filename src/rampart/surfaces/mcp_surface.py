"""The answers of an MCP server as a place for payloads."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from rampart.core.errors import ConfigurationError
from rampart.servers.mcp.proxy import McpProxy
from rampart.surfaces.handle import repeatable
from rampart.surfaces.mcp_address import current_address
from rampart.surfaces.mcp_handle import McpHandle
from rampart.surfaces.mcp_place import McpPlace, McpSpot
from rampart.surfaces.tool_result_text import Mode, checked_mode, checked_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.types import Payload

_OF_TOOLS = (McpPlace.RESULT, McpPlace.DESCRIPTION, McpPlace.CHANGED_DESCRIPTION)


class McpSurface:
    """Plants payloads in what an agent gets from an MCP server, by a proxy in front of it.

    The server itself is left as it is. Each trial has an address of its own, at which its agent gets
    poisoned answers, so trials overlap; all of them share the one connection, or the one process, that the
    proxy has. The agent learns its address from `url` or `command` of this object when its session begins.
    An agent whose address is fixed uses that of the proxy; then `shared=True` plants there, and trials wait
    for each other.

    Args:
        proxy: The proxy in front of the server. It is started for the first handle if it does not run yet.
        target: The server, in place of a proxy: what `McpProxy(target=...)` takes.
        tool: The tool whose result or description carries the payload.
        resource: In place of a tool, the URI of a resource whose contents carry it.
        prompt: In place of a tool, the name of a prompt whose messages carry it.
        where: `"result"`, `"description"`, or `"changed description"`: only from the second listing on, of
            which clients are told. With `resource` or `prompt` it says nothing new.
        mode: `"append"` puts the payload after what the server says, `"replace"` in its place.
        at: Where in a tool's structured content the payload goes: a key, or a list of keys and positions. By
            default the longest string that the tool's output schema lets be changed.
        shared: Whether everybody who uses the proxy's own address gets poisoned answers.
        name: What reports call this place; by default `MCP tool <name>` and the like.

    Raises:
        ConfigurationError: If the extra `mcp` is not installed.
        TypeError: If not exactly one of `proxy` and `target`, or of `tool`, `resource` and `prompt` is given.
        ValueError: If `where`, `mode` or `at` do not go with the rest.
    """

    def __init__(
        self,
        *,
        proxy: McpProxy | None = None,
        target: object = None,
        tool: str | None = None,
        resource: str | None = None,
        prompt: str | None = None,
        where: McpPlace | str | None = None,
        mode: Mode = "append",
        at: str | Sequence[str | int] | None = None,
        shared: bool = False,
        name: str | None = None,
    ) -> None:
        if (proxy is None) == (target is None):
            msg = "give either proxy= (a McpProxy) or target= (a command as a list, a URL, a server object)"
            raise TypeError(msg)
        place, place_name = _place(tool, resource, prompt, where)
        path = checked_path(at)
        if path is not None and place is not McpPlace.RESULT:
            msg = f"at is for the structured content of a tool's result, and where is {place.value!r}"
            raise ValueError(msg)
        self._spot = McpSpot(place=place, name=place_name, mode=checked_mode(mode), at=path)
        self._proxy = McpProxy(target=target) if proxy is None else proxy
        self._shared = shared
        self._name = name or _default_name(self._spot)

    @property
    def proxy(self) -> McpProxy:
        """The proxy in front of the server."""
        return self._proxy

    @property
    def url(self) -> str:
        """Where the agent of the running trial finds the server, over streamable HTTP.

        Read it when a session begins: in the session factory, or in the agent itself. With nothing planted
        in this context, as in a control arm, it is the proxy's own address, which gives plain answers.

        Raises:
            ConfigurationError: If nothing is planted and the proxy does not run.
        """
        address = current_address(self._proxy)
        return self._running_proxy().url if address is None else address.route.url

    @property
    def command(self) -> list[str]:
        """What the agent of the running trial starts to find it on standard input and output; else as `url`.

        Raises:
            ConfigurationError: If nothing is planted and the proxy does not run.
        """
        address = current_address(self._proxy)
        return self._running_proxy().command if address is None else list(address.route.command)

    def inject(self, *, payload: Payload) -> McpHandle:
        """Prepare to plant `payload`; nothing starts before the handle is entered."""
        return repeatable(self._handle, payload)

    def _handle(self, payload: Payload) -> McpHandle:
        # Whoever uses the shared address reads all that is planted there.
        key = f"mcp proxy {id(self._proxy):x}" if self._shared else f"mcp route {uuid.uuid4().hex}"
        return McpHandle(
            payload=payload,
            proxy=self._proxy,
            spot=self._spot,
            shared=self._shared,
            surface_name=self._name,
            isolation_key=key,
        )

    def _running_proxy(self) -> McpProxy:
        if not self._proxy.running:
            msg = (
                f"{self._name}: nothing is planted in this context, and the proxy does not run, so there is "
                "no address; read url and command inside a session, or keep the proxy running around the "
                "test: with McpProxy(...) as proxy"
            )
            raise ConfigurationError(msg)
        return self._proxy


def _place(
    tool: str | None, resource: str | None, prompt: str | None, where: McpPlace | str | None
) -> tuple[McpPlace, str]:
    given = [(kind, one) for kind, one in (("tool", tool), ("resource", resource), ("prompt", prompt)) if one]
    if len(given) != 1:
        msg = f"give exactly one of tool, resource and prompt, got {', '.join(k for k, _ in given) or 'none'}"
        raise TypeError(msg)
    [(kind, name)] = given
    fitting = _OF_TOOLS if kind == "tool" else (McpPlace(kind),)
    for place in fitting:
        if where is None or place == where:
            return place, name
    msg = f"where={str(where)!r} is no place of a {kind}; use {' or '.join(repr(p.value) for p in fitting)}"
    raise ValueError(msg)


def _default_name(spot: McpSpot) -> str:
    match spot.place:
        case McpPlace.RESOURCE:
            return f"MCP resource {spot.name}"
        case McpPlace.PROMPT:
            return f"MCP prompt {spot.name}"
        case McpPlace.RESULT:
            return f"MCP tool {spot.name}"
        case _:
            return f"description of MCP tool {spot.name}"
