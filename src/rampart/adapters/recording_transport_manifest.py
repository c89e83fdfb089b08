"""The manifest of a loop around a client: the tools that it says it has, or that it offers to models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.adapters.declared_tools import declared_tool
from rampart.core.manifest import AppManifest
from rampart.servers.llm_wire.anthropic_messages import read_request as read_messages
from rampart.servers.llm_wire.chat_completions import read_request as read_chat
from rampart.servers.llm_wire.response_items import offered_tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rampart.core.manifest import ToolDeclaration
    from rampart.core.types import ToolCall
    from rampart.servers.llm_wire.items import OfferedTool
    from rampart.servers.llm_wire.traffic import LlmTraffic


class TrafficManifest:
    """One manifest for all sessions of an adapter, which grows with what they show.

    Args:
        name: The application's name.
        tools: The tools as the SDK takes them; None to learn them from the first requests.

    Raises:
        TypeError: If a tool is no dict with a name.
    """

    def __init__(self, *, name: str, tools: Sequence[Any] | None) -> None:
        self.manifest = AppManifest(name=name, tools=[_declared(tool) for tool in tools or ()])

    def learn(self, traffic: LlmTraffic, calls: Iterable[ToolCall]) -> None:
        """Add the tools that a session's requests offered, and those that the provider ran."""
        for tool in list(traffic.offered.values()):
            self._add(declared_tool(tool.name, description=tool.description, schema=tool.schema))
        for call in calls:
            if call.name in traffic.provider_tools:
                self._add(declared_tool(call.name))

    def _add(self, tool: ToolDeclaration) -> None:
        if not self.manifest.declares_tool(tool.name):
            self.manifest.tools.append(tool)


def _declared(tool: Any) -> ToolDeclaration:
    found = _offered(tool) if isinstance(tool, dict) else []
    if not found:
        msg = (
            f"tools must be a list of dicts as the SDK takes them, got a {type(tool).__name__} without a name"
        )
        raise TypeError(msg)
    return declared_tool(found[0].name, description=found[0].description, schema=found[0].schema)


def _offered(tool: dict[str, Any]) -> list[OfferedTool]:
    """The tool, in whichever of the three forms it is."""
    if isinstance(tool.get("function") or tool.get("custom"), dict):
        return read_chat({"tools": [tool]}).tools
    if "input_schema" in tool:
        return read_messages({"tools": [tool]}).tools
    return offered_tools([tool]) or read_messages({"tools": [tool]}).tools
