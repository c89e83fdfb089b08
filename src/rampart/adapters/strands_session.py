"""One conversation with a Strands agent."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_session import AgentSession
from rampart.adapters.strands_observer import StrandsObserver
from rampart.core.errors import ConfigurationError
from rampart.core.types import ObservabilityLevel

if TYPE_CHECKING:
    from collections.abc import Callable
    from weakref import WeakSet

    from rampart.adapters.agent_source import AgentSource
    from rampart.adapters.turn_log import TurnLog
    from rampart.core.types import Request


class StrandsSession(AgentSession):
    """A session of a `StrandsAdapter`; the agent is the conversation.

    Args:
        source: Makes the agent.
        used: Agents that sessions of this adapter have had.
        options: `label`, `level` and `timeout_s` of every session.
    """

    def __init__(self, *, source: AgentSource, used: WeakSet[Any], **options: Any) -> None:
        super().__init__(**options)
        self._source = source
        self._used = used
        self._agent: Any = None
        self._observer = StrandsObserver()

    async def open_async(self) -> None:
        """Make the agent and add hooks to it.

        Raises:
            ConfigurationError: If another session has had the same agent.
        """
        agent = await self._source.make_async()
        if agent in self._used:
            msg = (
                f"{self._source.name} returned an agent that an earlier session has had, with its messages; "
                "make a new one at each call"
            )
            raise ConfigurationError(msg)
        self._used.add(agent)
        self._observer.attach(agent)
        if has_hidden_calls(agent):
            self._level = ObservabilityLevel.RESPONSE_ONLY
        self._agent = agent

    async def answer_async(self, request: Request, turn: TurnLog, /) -> None:
        """Run the agent, and log what its hooks and its stream tell."""
        self._observer.turn = turn
        result: Any = None
        try:
            async with aclosing(self._agent.stream_async(request.prompt or "")) as events:
                async for event in events:
                    self._observer.streamed(event)
                    if isinstance(event, dict) and "result" in event:
                        result = event["result"]
        finally:
            self._observer.turn = None
        if result is None:
            msg = f"{self._label} ended its turn without a result"
            raise RuntimeError(msg)
        turn.text = _text(result.message)
        turn.metadata["stop_reason"] = str(result.stop_reason)
        interrupts = [str(one.name) for one in getattr(result, "interrupts", None) or []]
        if interrupts:
            turn.metadata["interrupts"] = interrupts

    async def close_async(self) -> None:
        """Let go of the agent, and of the connections of its tools."""
        agent, self._agent = self._agent, None
        cleanup: Callable[[], object] | None = getattr(agent, "cleanup", None)
        if cleanup is not None:
            cleanup()


def has_hidden_calls(agent: Any) -> bool:
    """Whether calls are made that hooks of the agent do not tell of: those of agents used as tools."""
    tools = agent.tool_registry.registry.values()
    return getattr(agent, "_background_tasks", None) is not None or any(
        kind.__name__ == "_AgentAsTool" for tool in tools for kind in type(tool).__mro__
    )


def _text(message: Any) -> str:
    return "".join(
        block["text"] for block in message.get("content", []) if isinstance(block.get("text"), str)
    )
