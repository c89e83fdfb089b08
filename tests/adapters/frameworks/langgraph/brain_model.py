"""A chat model of LangChain that does what `brain.next_step` says."""

import asyncio
from typing import Any

import httpx2
import openai
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from tests.adapters.frameworks.brain import (
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Calls,
    Fail,
    Hang,
    Say,
    Step,
    next_step,
)

_ERRORS = {401: openai.AuthenticationError, 429: openai.RateLimitError}
USAGE = {
    "input_tokens": INPUT_TOKENS,
    "output_tokens": OUTPUT_TOKENS,
    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
}


class BrainModel(BaseChatModel):  # type: ignore[misc]  # untyped where development happens
    """Asks the brain."""

    @property
    def _llm_type(self) -> str:
        return "brain"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any
    ) -> ChatResult:
        return result_of(step_after(messages))

    async def _agenerate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any
    ) -> ChatResult:
        await asyncio.sleep(0)
        step = step_after(messages)
        if isinstance(step, Hang):
            await asyncio.Event().wait()
        return result_of(step)


def step_after(messages: list[BaseMessage]) -> Step:
    prompts: list[str] = []
    results: list[object] = []
    for message in messages:
        if isinstance(message, HumanMessage):
            prompts, results = [*prompts, str(message.content)], []
        elif isinstance(message, ToolMessage):
            results.append(message.content)
        elif isinstance(message, AIMessage):
            results += ["bad arguments"] * len(message.invalid_tool_calls)
    return next_step(prompts, results)


def result_of(step: Step) -> ChatResult:
    return ChatResult(generations=[ChatGeneration(message=message_of(step))])


def message_of(step: Step) -> AIMessage:
    if isinstance(step, Fail):
        raise api_error(step.status)
    if isinstance(step, Say):
        return AIMessage(step.text, usage_metadata=USAGE)
    assert isinstance(step, Calls)
    calls = [ask for ask in step.asked if not isinstance(ask.arguments, str)]
    invalid = [ask for ask in step.asked if isinstance(ask.arguments, str)]
    return AIMessage(
        "",
        tool_calls=[{"name": a.name, "args": a.arguments, "id": a.id, "type": "tool_call"} for a in calls],
        invalid_tool_calls=[
            {"name": a.name, "args": a.arguments, "id": a.id, "error": "no JSON", "type": "invalid_tool_call"}
            for a in invalid
        ],
        usage_metadata=USAGE,
    )


def api_error(status: int) -> Exception:
    """What the client of the model raises, with the response that it got."""
    request = httpx2.Request("POST", "https://models.example/v1/chat/completions")
    response = httpx2.Response(status, request=request, json={"error": {"message": f"status {status}"}})
    return _ERRORS[status](f"status {status}", response=response, body=None)
