"""The spans that LangSmith's client makes of LangGraph's runs, after the fact and without a network."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from tests.adapters.frameworks.brain import INPUT_TOKENS, OUTPUT_TOKENS, TOOLS, Calls, Say, next_step
from tests.adapters.frameworks.library import need
from tests.adapters.frameworks.otel.span_cases import Agent, SpanCases, observed

from rampart.integrations.otel import OtelCollector

need("langchain.agents")
need("opentelemetry.sdk")
pytestmark = pytest.mark.framework


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtelCollector]:
    from langchain_core.tracers import langchain as tracers

    utils = import_module("langsmith.utils")
    for name in ("TRACING", "OTEL_ENABLED", "OTEL_ONLY"):
        monkeypatch.setenv(f"LANGSMITH_{name}", "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "of-nobody")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", "http://127.0.0.1:9")
    utils.get_env_var.cache_clear()
    monkeypatch.setattr(tracers, "_CLIENT", None, raising=False)
    with OtelCollector(grace_s=20) as collector:
        yield collector
    tracers.wait_for_all_tracers()
    monkeypatch.undo()
    utils.get_env_var.cache_clear()


@pytest.fixture
def agent() -> Agent:
    from langchain.agents import create_agent
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class Brain(BaseChatModel):  # type: ignore[misc]  # untyped here
        @property
        def _llm_type(self) -> str:
            return "brain"

        def bind_tools(self, *_: Any, **__: Any) -> Any:
            return self

        def _generate(self, messages: list[Any], *_: Any, **__: Any) -> Any:
            prompts = [str(message.content) for message in messages if message.type == "human"]
            step = next_step(prompts, [message for message in messages if message.type == "tool"])
            usage = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS, "total_tokens": 15}
            calls: list[Any] = []
            if isinstance(step, Calls):
                calls = [{"name": a.name, "args": a.arguments, "id": a.id} for a in step.asked]
            text = step.text if isinstance(step, Say) else ""
            message = AIMessage(text, tool_calls=calls, usage_metadata=usage)
            return ChatResult(generations=[ChatGeneration(message=message)])

    graph = create_agent(Brain(), list(TOOLS))

    async def answer(prompt: str) -> object:
        return await graph.ainvoke({"messages": [("user", prompt)]})

    return answer


class TestSpans(SpanCases):
    raising_tool_ends_the_turn = True

    async def test_an_unknown_tool_did_not_run(self, collector: OtelCollector, agent: Agent) -> None:
        """LangSmith does not tell what the model was offered: it stays unknown whether the tool ran."""
        (call,) = (await observed(collector, agent, "Use the unknown tool.")).tool_calls
        assert (call.name, call.arguments, call.executed) == ("no_such_tool", {"x": 1}, None)
