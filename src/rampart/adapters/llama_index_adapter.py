"""Agents of LlamaIndex."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_source import AgentSource
from rampart.adapters.declared_tools import declared_tool
from rampart.adapters.framework_adapter import FrameworkAdapter
from rampart.adapters.llama_index_session import LlamaIndexSession
from rampart.core.manifest import AppManifest
from rampart.core.types import ObservabilityLevel

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXPECTED = "a FunctionAgent, ReActAgent or AgentWorkflow of LlamaIndex"


class LlamaIndexAdapter(FrameworkAdapter):
    """Runs agents of `llama_index.core.agent.workflow`, and watches their calls by the events they stream.

    Args:
        agent: The agent, which all sessions share, each with a `Context` of its own, or a function, sync or
            async, that makes one for each.
        manifest: What the application declares; by default the tools of the agent and of those it hands off
            to, and none of an agent that a function makes.
        timeout_s: Seconds that one message may take; None for no limit of the adapter's own.
        max_concurrent_sessions: The most sessions that trials keep open at once; None for no cap.

    Raises:
        TypeError: If the agent is none, or an option is of a wrong type.
        ValueError: If a number is out of range.
    """

    def __init__(
        self,
        agent: object,
        *,
        manifest: AppManifest | None = None,
        timeout_s: float | None = None,
        max_concurrent_sessions: int | None = None,
    ) -> None:
        self._source = AgentSource(agent, is_agent=is_agent, expected=_EXPECTED)
        super().__init__(
            name=self._source.name,
            framework="LlamaIndex",
            level=ObservabilityLevel.TOOL_ONLY,
            manifest=manifest,
            timeout_s=timeout_s,
            max_concurrent_sessions=max_concurrent_sessions,
        )

    async def create_session_async(self) -> LlamaIndexSession:
        """A session with a context of its own."""
        return LlamaIndexSession(
            source=self._source, label=self.label, level=self._level, timeout_s=self._timeout_s
        )

    def declared(self) -> AppManifest:
        """The tools that the agents have; those that are retrieved for each message are not known."""
        tools = {tool.name: tool for agent in _agents(self._source.agent) for tool in _tools(agent)}
        return AppManifest(name=self._name, tools=list(tools.values()))


def is_agent(value: object) -> bool:
    """Whether it is an agent of LlamaIndex, or a workflow of several."""
    return any(
        kind.__name__ in {"BaseWorkflowAgent", "AgentWorkflow"}
        and kind.__module__.partition(".")[0] == "llama_index"
        for kind in type(value).__mro__
    )


def _agents(agent: Any) -> list[Any]:
    several = getattr(agent, "agents", None)
    return list(several.values()) if isinstance(several, dict) else [agent]


def _tools(agent: Any) -> Iterator[Any]:
    for tool in getattr(agent, "tools", None) or []:
        about = getattr(tool, "metadata", None)
        if about is not None:
            schema = about.get_parameters_dict()
            yield declared_tool(about.name, description=about.description, schema=schema)
