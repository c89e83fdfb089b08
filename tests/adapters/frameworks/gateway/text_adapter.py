"""An adapter that hands on text alone, so that whatever is known of tool calls comes from the gateway."""

from collections.abc import Awaitable, Callable
from typing import Any

from rampart import ObservabilityLevel, Request
from rampart.adapters.agent_session import AgentSession
from rampart.adapters.framework_adapter import FrameworkAdapter
from rampart.adapters.turn_log import TurnLog

Agent = Callable[[str, list[Any]], Awaitable[str]]


class TextSession(AgentSession):
    def __init__(self, agent: Agent, client: Any, **options: Any) -> None:
        super().__init__(**options)
        self._agent = agent
        self._client = client
        self._history: list[Any] = []

    async def answer_async(self, request: Request, turn: TurnLog, /) -> None:
        prompt = request.prompt or ""
        turn.text = await self._agent(prompt, self._history)
        self._history += [
            {"role": "user", "content": prompt},
            {"role": "assistant", "content": turn.text},
        ]

    async def close_async(self) -> None:
        if self._client is not None:
            await self._client.close()


class TextAdapter(FrameworkAdapter):
    def __init__(self, agent: Agent, *, client: Any = None, **options: Any) -> None:
        super().__init__(
            name="clerk", framework="text-only", level=ObservabilityLevel.RESPONSE_ONLY, **options
        )
        self._agent = agent
        self._client = client

    async def create_session_async(self) -> TextSession:
        return TextSession(
            self._agent, self._client, label=self.label, level=self._level, timeout_s=self._timeout_s
        )
