"""A model of ADK that does what the brain says, without a network."""

import asyncio
from typing import Any

from google.adk.models import BaseLlm, LlmResponse
from google.genai import types
from tests.adapters.frameworks.brain import INPUT_TOKENS, OUTPUT_TOKENS, Calls, Fail, Hang, Say, next_step


class BrainModel(BaseLlm):  # type: ignore[misc]  # untyped here
    """Says its failures as events, as ADK's models may."""

    model: str = "brain"

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        step = next_step(*_heard(llm_request.contents))
        if isinstance(step, Hang):
            await asyncio.Event().wait()
        if isinstance(step, Fail):
            yield self.failed(step.status)
        elif isinstance(step, Say):
            if stream:
                for word in step.text.split():
                    yield LlmResponse(content=_content(types.Part(text=word)), partial=True)
            yield answer(types.Part(text=step.text))
        elif isinstance(step, Calls):
            calls = [types.FunctionCall(id=a.id, name=a.name, args=a.arguments) for a in step.asked]
            yield answer(*[types.Part(function_call=call) for call in calls])

    def failed(self, status: int) -> LlmResponse:
        return LlmResponse(error_code=str(status), error_message="no")


class RaisingBrainModel(BrainModel):
    """Raises its failures, as the client of Gemini does."""

    def failed(self, status: int) -> LlmResponse:
        from google.genai.errors import ClientError

        raise ClientError(status, {"error": {"code": status, "message": "no", "status": "NO"}})


def answer(*parts: Any) -> LlmResponse:
    """A whole answer of a model, with what it used."""
    usage = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=INPUT_TOKENS,
        candidates_token_count=OUTPUT_TOKENS,
        total_token_count=INPUT_TOKENS + OUTPUT_TOKENS,
    )
    return LlmResponse(content=_content(*parts), usage_metadata=usage)


def _content(*parts: Any) -> Any:
    return types.Content(role="model", parts=list(parts))


def _heard(contents: Any) -> tuple[list[str], list[object]]:
    prompts: list[str] = []
    results: list[object] = []
    for content in contents:
        for part in content.parts:
            if part.text and content.role == "user":
                prompts.append(part.text)
                results = []
            if part.function_response is not None:
                told = part.function_response.response
                results.append(told.get("result", told))
    return prompts, results
