"""Agents used as tools, whose runs have no hooks of ours: they are watched by the hooks of the agents.

Each such agent gets hooks in front of its own while sessions that can reach it are open, and its own back
afterwards. Which turn a call belongs to is told by the context in which it runs; outside of turns nothing
is watched.
"""

from __future__ import annotations

import threading
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any

from rampart.adapters.framework_library import library

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.adapters.openai_agents_observer import AgentsObserver

watching: ContextVar[AgentsObserver | None] = ContextVar("rampart_openai_agents_turn", default=None)

_METHODS = ("on_start", "on_end", "on_handoff", "on_tool_start", "on_tool_end", "on_llm_start", "on_llm_end")
_WATCHED = frozenset({"on_tool_start", "on_tool_end", "on_llm_end"})
_lock = threading.Lock()
_watched: dict[int, list[Any]] = {}  # id of an agent -> the agent, its own hooks, sessions


def reachable(agent: Any) -> tuple[list[Any], list[Any], bool]:
    """The agents of a run, those used as tools, and whether all of the latter are known."""
    run: list[Any] = [agent]
    nested: list[Any] = []
    complete = True
    todo = [agent]
    for one in todo:  # grows
        for tool in getattr(one, "tools", None) or []:
            inner = getattr(tool, "_agent_instance", None)
            complete = complete and (inner is not None or not getattr(tool, "_is_agent_tool", False))
            if inner is not None and not _among(inner, nested):
                nested.append(inner)
                todo.append(inner)
        for given in getattr(one, "handoffs", None) or []:
            target = _target(given)
            if target is None:
                continue
            home = nested if _among(one, nested) else run
            if not _among(target, home):
                home.append(target)
                todo.append(target)
    return run, nested, complete


def _target(handoff: Any) -> Any:
    reference = getattr(handoff, "_agent_ref", None)
    if reference is None:
        return handoff if hasattr(handoff, "tools") else None
    return reference()


def _among(agent: Any, agents: list[Any]) -> bool:
    return any(one is agent for one in agents)


def watch(agents: list[Any]) -> None:
    """Put hooks in front of those that the agents have; once for each, whatever the number of sessions."""
    with _lock:
        for agent in agents:
            entry = _watched.setdefault(id(agent), [agent, agent.hooks, 0])
            if entry[2] == 0:
                agent.hooks = _router_class()(agent.hooks)
            entry[2] += 1


def unwatch(agents: list[Any]) -> None:
    """Give the agents their own hooks back, with the last session."""
    with _lock:
        for agent in agents:
            entry = _watched[id(agent)]
            entry[2] -= 1
            if entry[2] == 0:
                agent.hooks = entry[1]
                del _watched[id(agent)]


@cache
def _router_class() -> Any:
    base = library("agents.lifecycle", needed_by="OpenAIAgentsAdapter", extra="openai-agents").AgentHooksBase

    def remember(self: Any, own: Any) -> None:
        self.own = own

    methods = {name: _routed(name) for name in _METHODS}
    return type("RampartAgentHooks", (base,), {"__init__": remember, **methods})


def _routed(name: str) -> Callable[..., Any]:
    async def method(self: Any, *given: Any, **named: Any) -> None:
        turn = watching.get()
        if turn is not None and name in _WATCHED:
            await getattr(turn, name)(*given, **named)
        elif turn is not None and name == "on_handoff":
            context, to_agent, source = given
            await turn.on_handoff(context, source, to_agent)
        if self.own is not None:
            await getattr(self.own, name)(*given, **named)

    return method
