"""Agents of the OpenAI Agents SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_source import AgentSource
from rampart.adapters.declared_tools import declared_tool
from rampart.adapters.framework_adapter import FrameworkAdapter
from rampart.adapters.openai_agents_nested import reachable
from rampart.adapters.openai_agents_session import OpenAIAgentsOptions, OpenAIAgentsSession
from rampart.core.manifest import AppManifest
from rampart.core.types import ObservabilityLevel

if TYPE_CHECKING:
    from collections.abc import Callable

_EXPECTED = "an Agent of the OpenAI Agents SDK"


class OpenAIAgentsAdapter(FrameworkAdapter):
    """Runs an `agents.Agent`, and watches it by run hooks and items together.

    A session keeps the conversation's items, and after a handoff goes on with the agent that has the floor.
    Agents used as tools are watched too. Runs are not traced, unless you ask for it.

    Args:
        agent: The agent, which all sessions share, or a function, sync or async, that makes one for each.
        context: The context object of the runs, or a function without parameters that makes one per session.
        max_turns: The most calls of models in one turn; by default the SDK's own limit.
        run_config: A `RunConfig`, or its fields as a dict.
        session: A function that makes a session object of the SDK for each conversation, such as
            `lambda: SQLiteSession(uuid4().hex)`; by default the items are kept in memory.
        approve: Says whether a call that needs approval may run: a function of the tool's name and the
            arguments as the model wrote them. Without it such a call ends the turn, and the session.
        tracing: Whether runs are traced as `run_config` says; by default they are not.
        manifest: What the application declares; by default the tools of all agents that can be reached.
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
        context: Any = None,
        max_turns: int | None = None,
        run_config: Any = None,
        session: Callable[[], Any] | None = None,
        approve: Callable[[str, Any], bool] | None = None,
        tracing: bool = False,
        manifest: AppManifest | None = None,
        timeout_s: float | None = None,
        max_concurrent_sessions: int | None = None,
    ) -> None:
        for name, function in {"session": session, "approve": approve}.items():
            if function is not None and not callable(function):
                msg = f"{name} must be a function or None, got {type(function).__name__}"
                raise TypeError(msg)
        if max_turns is not None and (isinstance(max_turns, bool) or not isinstance(max_turns, int)):
            msg = f"max_turns must be an int or None, got {type(max_turns).__name__} {max_turns!r}"
            raise TypeError(msg)
        if max_turns is not None and max_turns < 1:
            msg = f"max_turns must be 1 or more, got {max_turns}"
            raise ValueError(msg)
        self._source = AgentSource(agent, is_agent=is_agent, expected=_EXPECTED)
        self._options = OpenAIAgentsOptions(
            context=context,
            max_turns=max_turns,
            run_config=run_config,
            session=session,
            approve=approve,
            tracing=tracing,
        )
        super().__init__(
            name=self._source.name,
            framework="OpenAI Agents",
            level=_level_of(self._source.agent),
            manifest=manifest,
            timeout_s=timeout_s,
            max_concurrent_sessions=max_concurrent_sessions,
        )

    async def create_session_async(self) -> OpenAIAgentsSession:
        """A session with a conversation of its own."""
        return OpenAIAgentsSession(
            source=self._source,
            options=self._options,
            label=self.label,
            level=self._level,
            timeout_s=self._timeout_s,
        )

    def declared(self) -> AppManifest:
        """The tools of the agent and of those it can reach; none of an agent that a function makes."""
        if self._source.agent is None:
            return AppManifest(name=self._name)
        run, nested, _ = reachable(self._source.agent)
        tools = {
            tool.name: declared_tool(
                tool.name,
                description=getattr(tool, "description", ""),
                schema=getattr(tool, "params_json_schema", None),
            )
            for agent in [*run, *nested]
            for tool in getattr(agent, "tools", None) or []
        }
        return AppManifest(name=self._name, tools=list(tools.values()))


def is_agent(value: object) -> bool:
    """Whether it is an agent that `Runner.run` takes."""
    return any(
        kind.__name__ == "Agent" and kind.__module__.partition(".")[0] == "agents"
        for kind in type(value).__mro__
    )


def _level_of(agent: Any) -> ObservabilityLevel:
    complete = agent is None or reachable(agent)[2]
    return ObservabilityLevel.TOOL_ONLY if complete else ObservabilityLevel.RESPONSE_ONLY
