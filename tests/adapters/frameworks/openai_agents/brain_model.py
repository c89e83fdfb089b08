"""A model of the OpenAI Agents SDK that does what `brain.next_step` says."""

import asyncio
import json
from typing import Any

import httpx2
import openai
from agents import Model, ModelResponse, Usage
from agents.testing import assistant_message, function_call
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


class BrainModel(Model):  # type: ignore[misc]  # untyped where development happens
    """Asks the brain."""

    async def get_response(self, system_instructions: Any, input: Any, *given: Any, **more: Any) -> Any:  # noqa: A002 - the SDK's name
        await asyncio.sleep(0)
        step = self.step_after(input)
        if isinstance(step, Hang):
            await asyncio.Event().wait()
        return response_of(step)

    def stream_response(self, *given: Any, **more: Any) -> Any:
        raise NotImplementedError

    def step_after(self, items: Any) -> Step:
        return next_step(*conversation(items))


def conversation(items: Any) -> tuple[list[str], list[object]]:
    """The user's messages, and the results since the last."""
    prompts: list[str] = []
    results: list[object] = []
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        if item.get("role") == "user":
            prompts, results = [*prompts, item["content"]], []
        elif item.get("type") == "function_call_output":
            results.append(item["output"])
    return prompts, results


def response_of(step: Step) -> ModelResponse:
    if isinstance(step, Fail):
        raise api_error(step.status)
    if isinstance(step, Say):
        return reply(assistant_message(step.text))
    assert isinstance(step, Calls)
    return reply(*(function_call(ask.name, ask.arguments, call_id=ask.id) for ask in step.asked))


def reply(*output: Any) -> ModelResponse:
    usage = Usage(
        requests=1,
        input_tokens=INPUT_TOKENS,
        output_tokens=OUTPUT_TOKENS,
        total_tokens=INPUT_TOKENS + OUTPUT_TOKENS,
    )
    return ModelResponse(output=list(output), usage=usage, response_id=None)


def api_error(status: int) -> Exception:
    """What the client of the model raises, with the response that it got."""
    request = httpx2.Request("POST", "https://models.example/v1/responses")
    response = httpx2.Response(status, request=request, content=json.dumps({"error": {"code": status}}))
    return _ERRORS[status](f"status {status}", response=response, body=None)
