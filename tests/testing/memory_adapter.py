"""A small agent with a memory and tools, whose adapter passes every check."""

import asyncio
from collections.abc import Callable
from typing import Any, Self

from rampart.core.manifest import AppManifest, ToolDeclaration
from rampart.core.types import ObservabilityLevel, Request, Response, SideEffect, ToolCall


class MemorySession:
    """Understands five sentences."""

    def __init__(self, adapter: "MemoryAdapter") -> None:
        self.adapter = adapter
        self.memory: list[str] = []
        self.is_open = False

    async def __aenter__(self) -> Self:
        self.adapter.open_count += 1
        try:
            await asyncio.sleep(0.001)
        except asyncio.CancelledError:
            self.adapter.open_count -= 1
            raise
        self.is_open = True
        return self

    async def __aexit__(self, *details: object) -> bool | None:
        if self.is_open:
            self.is_open = False
            self.adapter.open_count -= 1
        return None

    async def send_async(self, request: Request, /) -> Response:
        for _ in range(3):
            await asyncio.sleep(0)
        verb, _, rest = (request.prompt or "").partition(" ")
        return self.answers.get(verb, self.greet)(rest)

    @property
    def answers(self) -> dict[str, Callable[[str], Response]]:
        return {
            "remember": self.remember,
            "recall": self.recall,
            "use": self.use_tool,
            "change": self.change,
            "fail": self.fail,
        }

    def greet(self, _rest: str) -> Response:
        return Response(text="hello")

    def remember(self, word: str) -> Response:
        self.memory.append(word)
        return Response(text="ok")

    def recall(self, _rest: str) -> Response:
        return Response(text=" ".join(self.memory).title() or "nothing")

    def use_tool(self, argument: str) -> Response:
        return Response(text="used", tool_calls=[ToolCall(name="search", arguments={"q": argument})])

    def change(self, _rest: str) -> Response:
        return Response(text="changed", side_effects=[SideEffect(kind="file_written")])

    def fail(self, _rest: str) -> Response:
        raise ConnectionError("down")


class MemoryAdapter:
    """An adapter as it should be; subclasses break one thing each."""

    session_class: type[MemorySession] = MemorySession
    level: Any = ObservabilityLevel.TOOL_AND_SIDE_EFFECTS

    def __init__(self) -> None:
        self.open_count = 0

    async def create_session_async(self) -> Any:
        return self.session_class(self)

    @property
    def manifest(self) -> Any:
        return AppManifest(name="memory", tools=[ToolDeclaration(name="search")])

    @property
    def observability_profile(self) -> Any:
        return self.level
