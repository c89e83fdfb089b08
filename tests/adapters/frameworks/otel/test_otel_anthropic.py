"""The spans of Anthropic's client and its runner of tools."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.adapters.frameworks.brain import INPUT_TOKENS, OUTPUT_TOKENS, TOOLS, Calls, Say, next_step
from tests.adapters.frameworks.library import need
from tests.adapters.frameworks.otel.span_cases import Agent, SpanCases, observed

from rampart.integrations.otel import OtelCollector

need("anthropic.lib._tracing")
need("opentelemetry.sdk")
pytestmark = [
    pytest.mark.framework,
    pytest.mark.filterwarnings("ignore:Tool .no_such_tool. not found in tool runner:UserWarning"),
]


@pytest.fixture
def provider() -> Any:
    from opentelemetry.sdk.trace import TracerProvider

    return TracerProvider(shutdown_on_exit=False)


@pytest.fixture
def collector(provider: Any) -> Iterator[OtelCollector]:
    with OtelCollector(tracer_provider=provider) as collector:
        yield collector


def answer(body: Any, threads: dict[str, list[Any]]) -> dict[str, Any]:
    """What the endpoint replies, which keeps the threads that the runner goes on with."""
    before = threads.get(str((body.get("thread") or {}).get("previous_message_id")), [])
    body["messages"] = before + body["messages"]
    texts = [m["content"] for m in body["messages"] if isinstance(m["content"], str)]
    blocks = [
        block | {"role": m["role"]}
        for m in body["messages"]
        if not isinstance(m["content"], str)
        for block in m["content"]
    ]
    prompts = texts + [
        block["text"] for block in blocks if block["type"] == "text" and block["role"] == "user"
    ]
    step = next_step(prompts, [block for block in blocks if block["type"] == "tool_result"])
    said: list[Any] = [{"type": "text", "text": step.text}] if isinstance(step, Say) else []
    if isinstance(step, Calls):
        said = [{"type": "tool_use", "id": a.id, "name": a.name, "input": a.arguments} for a in step.asked]
    id_ = f"m{len(threads)}"
    threads[id_] = [*body["messages"], {"role": "assistant", "content": said}]
    return {
        "id": id_,
        "type": "message",
        "role": "assistant",
        "model": "brain",
        "content": said,
        "stop_reason": "tool_use" if isinstance(step, Calls) else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
    }


def made_agent(provider: Any, *, content: bool) -> Agent:
    import anthropic
    import httpx2

    threads: dict[str, list[Any]] = {}

    def reply(request: Any) -> Any:
        return httpx2.Response(200, json=answer(json.loads(request.content), threads))

    told: dict[str, Any] = {"tracer_provider": provider}
    if content:
        told["traces"] = {"content_mode": "content"}
    client = anthropic.AsyncAnthropic(
        api_key="of-nobody",
        max_retries=0,
        http_client=httpx2.AsyncClient(transport=httpx2.MockTransport(reply)),
        open_telemetry=told,
    )
    tools = [anthropic.beta_async_tool(in_loop(tool)) for tool in TOOLS]

    async def run(prompt: str) -> object:
        message = {"role": "user", "content": prompt}
        runner = client.beta.messages.tool_runner(
            model="brain", max_tokens=100, tools=tools, messages=[message]
        )
        return await runner.until_done()

    return run


def in_loop(tool: Any) -> Any:
    import functools

    @functools.wraps(tool)
    async def asynchronous(**arguments: Any) -> Any:
        return tool(**arguments)

    return asynchronous


@pytest.fixture
def agent(provider: Any) -> Agent:
    return made_agent(provider, content=True)


class TestSpans(SpanCases):
    async def test_an_unknown_tool_did_not_run(self, collector: OtelCollector, agent: Agent) -> None:
        """The spans do not tell what the model was offered: it stays unknown whether the tool ran."""
        (call,) = (await observed(collector, agent, "Use the unknown tool.")).tool_calls
        assert (call.name, call.arguments, call.executed) == ("no_such_tool", {"x": 1}, None)
        assert call.result == "Error: Tool 'no_such_tool' not found"


async def test_hidden_contents_are_said_to_be(provider: Any, collector: OtelCollector) -> None:
    observation = await observed(collector, made_agent(provider, content=False), "Mail marigold.")
    assert [call.name for call in observation.tool_calls] == ["send_email"]
    assert "content_mode" in observation.missing
