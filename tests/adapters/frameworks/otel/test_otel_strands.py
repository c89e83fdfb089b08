"""The spans of Strands Agents, which uses the global tracer provider."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.adapters.frameworks.brain import INPUT_TOKENS, OUTPUT_TOKENS, TOOLS, Calls, Say, next_step
from tests.adapters.frameworks.library import need
from tests.adapters.frameworks.otel.span_cases import Agent, SpanCases

from rampart.integrations.otel import OtelCollector

need("strands")
need("opentelemetry.sdk")
pytestmark = pytest.mark.framework


@pytest.fixture
def collector() -> Iterator[OtelCollector]:
    with OtelCollector() as collector:
        yield collector


@pytest.fixture
def agent() -> Agent:
    from strands import Agent as StrandsAgent
    from strands import tool
    from strands.models import Model

    class Brain(Model):  # type: ignore[misc]  # untyped here
        def update_config(self, **_: Any) -> None: ...

        def get_config(self) -> dict[str, Any]:
            return {}

        async def structured_output(self, *_: Any, **__: Any) -> Any:
            yield {}

        async def stream(self, messages: Any, *_: Any, **__: Any) -> Any:
            blocks = [block for message in messages for block in message["content"]]
            prompts = [
                block["text"]
                for m in messages
                if m["role"] == "user"
                for block in m["content"]
                if "text" in block
            ]
            step = next_step(prompts, [block for block in blocks if "toolResult" in block])
            yield {"messageStart": {"role": "assistant"}}
            for ask in step.asked if isinstance(step, Calls) else ():
                yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": ask.id, "name": ask.name}}}}
                yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(ask.arguments)}}}}
                yield {"contentBlockStop": {}}
            if isinstance(step, Say):
                yield {"contentBlockStart": {"start": {}}}
                yield {"contentBlockDelta": {"delta": {"text": step.text}}}
                yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "tool_use" if isinstance(step, Calls) else "end_turn"}}
            counts = {"inputTokens": INPUT_TOKENS, "outputTokens": OUTPUT_TOKENS, "totalTokens": 15}
            yield {"metadata": {"usage": counts, "metrics": {"latencyMs": 1}}}

    async def answer(prompt: str) -> object:
        agent = StrandsAgent(model=Brain(), tools=[tool(one) for one in TOOLS], callback_handler=None)
        return await agent.invoke_async(prompt)

    return answer


class TestSpans(SpanCases):
    pass
