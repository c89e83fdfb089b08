"""Agents of LangGraph and LangChain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_source import AgentSource
from rampart.adapters.framework_adapter import FrameworkAdapter, check_level
from rampart.adapters.langgraph_session import LangGraphOptions, LangGraphSession
from rampart.adapters.langgraph_tools import declared, graph_tools, is_graph
from rampart.core.manifest import AppManifest
from rampart.core.types import ObservabilityLevel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_EXPECTED = "a compiled LangGraph graph (create_agent(...) or StateGraph(...).compile())"


class LangGraphAdapter(FrameworkAdapter):
    """Talks to a compiled graph, such as `langchain.agents.create_agent` makes one.

    Models and tools are watched by LangChain's callbacks, which reach every node, subgraph and tool that is
    run in LangChain's way. Each session is a new thread if the graph has a checkpointer; otherwise it hands
    the messages of the last state on to the next turn.

    Args:
        agent: The graph, which all sessions share, or a function, sync or async, that makes one for each.
        input: What the graph is called with: a function of the prompt and of what the graph returned last
            (None in the first turn). By default the prompt as a message in `messages`.
        output: The reply, out of what the graph returned. By default the text of the last message.
        resume: Answers an interrupt with the next message: a function of the prompt and of the values that
            the graph waits with, giving the value for `Command(resume=...)`. Without it a session takes no
            message once its graph waits.
        config: A LangChain config for every call, such as `{"recursion_limit": 10}`.
        context: The graph's runtime context, or a function without parameters that makes one per session.
        observability: What sessions report completely, if you know better; by default tool calls. A session
            falls to RESPONSE_ONLY when a graph without tool nodes ran neither model nor tool of LangChain.
        manifest: What the application declares; by default the tools of the graph's tool nodes.
        timeout_s: Seconds that one message may take; None for no limit of the adapter's own.
        max_concurrent_sessions: The most sessions that trials keep open at once; None for no cap.

    Raises:
        TypeError: If the agent is no compiled graph, or an option is of a wrong type.
        ValueError: If a number is out of range, or the config names a thread, which sessions would share.
    """

    def __init__(
        self,
        agent: object,
        *,
        input: Callable[[str, Any], Any] | None = None,  # noqa: A002 - LangGraph's word for it
        output: Callable[[Any], str] | None = None,
        resume: Callable[[str, list[Any]], Any] | None = None,
        config: Mapping[str, Any] | None = None,
        context: Any = None,
        observability: ObservabilityLevel | None = None,
        manifest: AppManifest | None = None,
        timeout_s: float | None = None,
        max_concurrent_sessions: int | None = None,
    ) -> None:
        check_level(observability)
        _check_functions(input=input, output=output, resume=resume)
        self._source = AgentSource(agent, is_agent=is_graph, expected=_EXPECTED)
        self._options = LangGraphOptions(
            input=input,
            output=output,
            resume=resume,
            config=_checked_config(config),
            context=context,
            level_is_given=observability is not None,
        )
        super().__init__(
            name=self._source.name,
            framework="LangGraph",
            level=observability or ObservabilityLevel.TOOL_ONLY,
            manifest=manifest,
            timeout_s=timeout_s,
            max_concurrent_sessions=max_concurrent_sessions,
        )

    async def create_session_async(self) -> LangGraphSession:
        """A session with a thread, or messages, of its own."""
        return LangGraphSession(
            source=self._source,
            options=self._options,
            label=self.label,
            level=self._level,
            timeout_s=self._timeout_s,
        )

    def declared(self) -> AppManifest:
        """The tools of the graph's tool nodes; none of a graph that a function makes."""
        return AppManifest(
            name=self._name, tools=[declared(tool) for tool in graph_tools(self._source.agent).values()]
        )


def _check_functions(**given: object) -> None:
    for name, function in given.items():
        if function is not None and not callable(function):
            msg = f"{name} must be a function or None, got {type(function).__name__}"
            raise TypeError(msg)


def _checked_config(config: Mapping[str, Any] | None) -> dict[str, Any]:
    if config is None:
        return {}
    if not hasattr(config, "keys"):
        msg = f"config must be a dict as LangChain takes it, or None, got {type(config).__name__}"
        raise TypeError(msg)
    checked = dict(config)
    if "thread_id" in (checked.get("configurable") or {}):
        msg = "config names a thread_id, so that all sessions would share a thread; each gets one of its own"
        raise ValueError(msg)
    return checked
