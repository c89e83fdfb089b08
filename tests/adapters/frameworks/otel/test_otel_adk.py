"""The spans of Google's ADK, which uses the global tracer provider."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.adapters.frameworks.brain import INPUT_TOKENS, OUTPUT_TOKENS, TOOLS, Calls, Say, next_step
from tests.adapters.frameworks.library import need
from tests.adapters.frameworks.otel.span_cases import Agent, SpanCases

from rampart.integrations.otel import OtelCollector

need("google.adk")
need("opentelemetry.sdk")
pytestmark = [
    pytest.mark.framework,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtelCollector]:
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY")
    monkeypatch.setenv("OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental")
    with OtelCollector() as collector:
        yield collector


@pytest.fixture
def agent() -> Agent:
    from google.adk.agents import LlmAgent
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    class Brain(BaseLlm):  # type: ignore[misc]  # untyped here
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            parts = [part for content in llm_request.contents for part in content.parts]
            step = next_step(
                [part.text for part in parts if part.text], [part for part in parts if part.function_response]
            )
            said = [types.Part(text=step.text)] if isinstance(step, Say) else []
            if isinstance(step, Calls):
                calls = [types.FunctionCall(id=a.id, name=a.name, args=a.arguments) for a in step.asked]
                said = [types.Part(function_call=call) for call in calls]
            yield LlmResponse(
                content=types.Content(role="model", parts=said),
                usage_metadata=types.GenerateContentResponseUsageMetadata(
                    prompt_token_count=INPUT_TOKENS,
                    candidates_token_count=OUTPUT_TOKENS,
                    total_token_count=15,
                ),
            )

    runner = InMemoryRunner(LlmAgent(name="brain", model=Brain(model="brain"), tools=list(TOOLS)))

    async def answer(prompt: str) -> object:
        session = await runner.session_service.create_session(app_name=runner.app_name, user_id="u")
        message = types.Content(role="user", parts=[types.Part(text=prompt)])
        events = runner.run_async(user_id="u", session_id=session.id, new_message=message)
        return [event async for event in events]

    return answer


class TestSpans(SpanCases):
    raising_tool_ends_the_turn = True
