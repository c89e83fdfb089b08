"""The spans of Pydantic AI."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.adapters.frameworks.brain import INPUT_TOKENS, OUTPUT_TOKENS, TOOLS, Calls, Say, next_step
from tests.adapters.frameworks.library import need
from tests.adapters.frameworks.otel.span_cases import Agent, SpanCases, observed

from rampart.integrations.otel import OtelCollector

need("pydantic_ai")
need("opentelemetry.sdk")
pytestmark = pytest.mark.framework


@pytest.fixture
def provider() -> Any:
    from opentelemetry.sdk.trace import TracerProvider

    return TracerProvider(shutdown_on_exit=False)


@pytest.fixture
def collector(provider: Any) -> Iterator[OtelCollector]:
    with OtelCollector(tracer_provider=provider) as collector:
        yield collector


def made_agent(provider: Any, *, content: bool) -> Agent:
    from pydantic_ai import Agent as PydanticAgent
    from pydantic_ai import RequestUsage
    from pydantic_ai.capabilities import Instrumentation
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.models.instrumented import InstrumentationSettings

    def model(messages: list[Any], _: object) -> ModelResponse:
        parts = [part for message in messages for part in message.parts]
        prompts = [str(part.content) for part in parts if part.part_kind == "user-prompt"]
        results = [part.content for part in parts if part.part_kind in {"tool-return", "retry-prompt"}]
        step = next_step(prompts, results)
        said: list[Any] = [TextPart(step.text)] if isinstance(step, Say) else []
        if isinstance(step, Calls):
            said = [ToolCallPart(ask.name, ask.arguments, tool_call_id=ask.id) for ask in step.asked]
        usage = RequestUsage(input_tokens=INPUT_TOKENS, output_tokens=OUTPUT_TOKENS)
        return ModelResponse(parts=said, usage=usage)

    settings = InstrumentationSettings(tracer_provider=provider, include_content=content)
    agent: Any = PydanticAgent(FunctionModel(model), tools=TOOLS, capabilities=[Instrumentation(settings)])
    return agent.run  # type: ignore[no-any-return]  # the agent is of a library that may be missing


@pytest.fixture
def agent(provider: Any) -> Agent:
    return made_agent(provider, content=True)


class TestSpans(SpanCases):
    raising_tool_ends_the_turn = True


async def test_hidden_contents_are_said_to_be(provider: Any, collector: OtelCollector) -> None:
    observation = await observed(collector, made_agent(provider, content=False), "Mail marigold.")
    assert [call.name for call in observation.tool_calls] == ["send_email"]
    assert "include_content=True" in observation.missing
