"""The cases pass on the smallest agent loop there is, so that a failure elsewhere is the adapter's."""

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from tests.adapters.frameworks.agent_cases import AgentCases
from tests.adapters.frameworks.brain import (
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    TOOLS,
    Ask,
    Fail,
    Hang,
    Say,
    next_step,
)

from rampart import ObservabilityLevel, Request, Usage
from rampart.adapters.agent_session import AgentSession
from rampart.adapters.declared_tools import declared_tool
from rampart.adapters.framework_adapter import FrameworkAdapter
from rampart.adapters.turn_log import TurnLog
from rampart.core.manifest import AppManifest

_TOOLS = {tool.__name__: tool for tool in TOOLS}


class StatusError(Exception):
    def __init__(self, status_code: int) -> None:
        super().__init__(f"status {status_code}")
        self.status_code = status_code


class LoopSession(AgentSession):
    """Asks the brain and runs tools until there is a reply."""

    raises: ClassVar[bool] = False

    async def open_async(self) -> None:
        await asyncio.sleep(0)
        self._prompts: list[str] = []

    async def answer_async(self, request: Request, turn: TurnLog, /) -> None:
        self._prompts.append(request.prompt or "")
        results: list[str] = []
        while True:
            await asyncio.sleep(0)
            step = next_step(self._prompts, results)
            if isinstance(step, Fail):
                raise StatusError(step.status)
            if isinstance(step, Hang):
                await asyncio.Event().wait()
                return
            turn.count(Usage(input_tokens=INPUT_TOKENS, output_tokens=OUTPUT_TOKENS))
            if isinstance(step, Say):
                turn.text = step.text
                return
            for ask in step.asked:
                turn.asked(ask.name, ask.arguments, id=ask.id)
            results += [self._run(ask, turn) for ask in step.asked]

    def _run(self, ask: Ask, turn: TurnLog) -> str:
        call = turn.find(ask.id)
        assert call is not None
        if ask.name not in _TOOLS or isinstance(ask.arguments, str):
            call.never_ran("not valid")
            return "not valid"
        call = turn.begun(ask.name, ask.arguments, id=ask.id)
        try:
            result = _TOOLS[ask.name](**ask.arguments)
        except RuntimeError as error:
            call.failed(error)
            if self.raises:
                raise
            return "it failed"
        call.returned(result)
        return result


class RaisingLoopSession(LoopSession):
    raises = True


class LoopAdapter(FrameworkAdapter):
    def __init__(self, session: type[LoopSession], **options: Any) -> None:
        super().__init__(name="loop", framework="loop", level=ObservabilityLevel.TOOL_ONLY, **options)
        self._session = session

    async def create_session_async(self) -> LoopSession:
        return self._session(label=self.label, level=self._level, timeout_s=self._timeout_s)

    def declared(self) -> AppManifest:
        schema = {"properties": {"to": {"type": "string"}}}
        return AppManifest(name="loop", tools=[declared_tool(name, schema=schema) for name in _TOOLS])


class TestALoop(AgentCases):
    @pytest.fixture
    def make_adapter(self) -> Callable[..., Any]:
        return lambda **options: LoopAdapter(LoopSession, **options)


class TestALoopThatLetsErrorsThrough(AgentCases):
    raising_tool = "ends the turn"

    @pytest.fixture
    def make_adapter(self) -> Callable[..., Any]:
        return lambda **options: LoopAdapter(RaisingLoopSession, **options)
