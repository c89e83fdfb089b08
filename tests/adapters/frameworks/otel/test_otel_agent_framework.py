"""The spans of Microsoft Agent Framework, which uses the global tracer provider."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.adapters.frameworks.brain import INPUT_TOKENS, OUTPUT_TOKENS, TOOLS, Calls, Say, next_step
from tests.adapters.frameworks.library import need
from tests.adapters.frameworks.otel.span_cases import Agent, SpanCases, observed

from rampart.integrations.otel import OtelCollector

need("agent_framework")
need("opentelemetry.sdk")
pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore::DeprecationWarning:agent_framework")]


@pytest.fixture
def collector() -> Iterator[OtelCollector]:
    with OtelCollector() as collector:
        yield collector


@pytest.fixture
def content(monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_framework.observability import OBSERVABILITY_SETTINGS

    monkeypatch.setattr(OBSERVABILITY_SETTINGS, "enable_sensitive_data", True)


@pytest.fixture
def bare_agent() -> Agent:
    import agent_framework as af
    from agent_framework.observability import ChatTelemetryLayer

    class Model(af.FunctionInvocationLayer, ChatTelemetryLayer, af.BaseChatClient):  # type: ignore[misc]  # untyped here
        OTEL_PROVIDER_NAME = "fake"

        def _inner_get_response(self, *, messages: Any, **_: Any) -> Any:
            async def answer() -> Any:
                contents = [content for message in messages for content in message.contents]
                prompts = [message.text for message in messages if str(message.role) == "user"]
                results = [content for content in contents if content.type == "function_result"]
                step = next_step(prompts, results)
                said = [af.Content.from_text(step.text)] if isinstance(step, Say) else []
                if isinstance(step, Calls):
                    said = [
                        af.Content.from_function_call(ask.id, ask.name, arguments=ask.arguments)
                        for ask in step.asked
                    ]
                usage = {"input_token_count": INPUT_TOKENS, "output_token_count": OUTPUT_TOKENS}
                return af.ChatResponse(messages=[af.Message("assistant", said)], usage_details=usage)

            return answer()

    tools = [af.tool(tool, approval_mode="never_require") for tool in TOOLS]
    agent: Any = af.Agent(Model(), name="brain", tools=tools)
    return agent.run  # type: ignore[no-any-return]  # the agent is of a library that may be missing


@pytest.fixture
def agent(bare_agent: Agent, content: None) -> Agent:
    return bare_agent


class TestSpans(SpanCases):
    pass


async def test_hidden_contents_are_said_to_be(collector: OtelCollector, bare_agent: Agent) -> None:
    observation = await observed(collector, bare_agent, "Mail marigold.")
    assert [call.name for call in observation.tool_calls] == ["send_email"]
    assert "enable_sensitive_telemetry" in observation.missing
