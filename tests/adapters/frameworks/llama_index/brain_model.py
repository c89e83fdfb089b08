"""A model of LlamaIndex that does what the brain says."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from tests.adapters.frameworks.brain import Calls, Fail, Hang, next_step


class StatusError(Exception):
    """As a provider's client raises."""

    def __init__(self, status_code: int) -> None:
        super().__init__(f"status {status_code}")
        self.status_code = status_code


def brain_model() -> MockFunctionCallingLLM:
    """The framework's own fake model, with the brain behind it."""
    return MockFunctionCallingLLM(response_generator=_answer)


async def _answer(messages: Any, **_: Any) -> AsyncGenerator[ChatMessage, None]:
    step = next_step(*_conversation(messages))
    if isinstance(step, Fail):
        raise StatusError(step.status)
    if isinstance(step, Hang):
        await asyncio.Event().wait()
        return
    if isinstance(step, Calls):
        blocks: list[Any] = [
            ToolCallBlock(tool_name=ask.name, tool_kwargs=ask.arguments, tool_call_id=ask.id)
            for ask in step.asked
        ]
    else:
        blocks = [TextBlock(text=step.text)]
    yield ChatMessage(role="assistant", blocks=blocks)


def _conversation(messages: Any) -> tuple[list[str], list[object]]:
    prompts: list[str] = []
    results: list[object] = []
    for message in messages:
        if message.role == "user":
            prompts.append(message.content)
            results = []
        elif message.role == "tool":
            results.append(message.content)
    return prompts, results
