"""Agents of Strands."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from rampart.adapters.agent_source import AgentSource
from rampart.adapters.declared_tools import declared_tool
from rampart.adapters.framework_adapter import FrameworkAdapter
from rampart.adapters.strands_session import StrandsSession
from rampart.core.manifest import AppManifest
from rampart.core.types import ObservabilityLevel

if TYPE_CHECKING:
    from collections.abc import Callable

_EXPECTED = "a Strands Agent"


class StrandsAdapter(FrameworkAdapter):
    """Runs `strands.Agent`s, each session one of its own, and watches them by hooks.

    Args:
        agent: A function without parameters, sync or async, that makes a new agent. An agent keeps its
            conversation in itself and answers one message at a time, so that sessions cannot share one.
        manifest: What the application declares; by default the tools of an agent made for this by a sync
            function, and of none where the function is async.
        timeout_s: Seconds that one message may take; None for no limit of the adapter's own.
        max_concurrent_sessions: The most sessions that trials keep open at once; None for no cap.

    Raises:
        TypeError: If `agent` is an agent or no function, or an option is of a wrong type.
        ValueError: If a number is out of range.
    """

    def __init__(
        self,
        agent: Callable[[], Any],
        *,
        manifest: AppManifest | None = None,
        timeout_s: float | None = None,
        max_concurrent_sessions: int | None = None,
    ) -> None:
        if is_agent(agent):
            msg = (
                "a Strands Agent keeps its conversation in itself, so sessions cannot share one; pass a "
                "function that makes it: StrandsAdapter(lambda: Agent(...))"
            )
            raise TypeError(msg)
        self._make = agent
        self._source = AgentSource(agent, is_agent=is_agent, expected=_EXPECTED)
        self._used: WeakSet[Any] = WeakSet()
        super().__init__(
            name=self._source.name,
            framework="Strands",
            level=ObservabilityLevel.TOOL_ONLY,
            manifest=manifest,
            timeout_s=timeout_s,
            max_concurrent_sessions=max_concurrent_sessions,
        )

    async def create_session_async(self) -> StrandsSession:
        """A session with an agent of its own, made when the session is entered."""
        return StrandsSession(
            source=self._source,
            used=self._used,
            label=self.label,
            level=self._level,
            timeout_s=self._timeout_s,
        )

    def declared(self) -> AppManifest:
        """The tools of an agent that is made for this; none if the function that makes it is async."""
        made: Any = None if inspect.iscoroutinefunction(self._make) else self._make()
        if inspect.iscoroutine(made):
            made.close()
        if not is_agent(made):
            return AppManifest(name=self._name)
        tools = [
            declared_tool(
                spec["name"],
                description=spec.get("description"),
                schema=(spec.get("inputSchema") or {}).get("json"),
            )
            for spec in made.tool_registry.get_all_tool_specs()
        ]
        return AppManifest(name=self._name, tools=tools)


def is_agent(value: object) -> bool:
    """Whether it is an agent of Strands."""
    return any(
        kind.__name__ == "Agent" and kind.__module__.partition(".")[0] == "strands"
        for kind in type(value).__mro__
    )
