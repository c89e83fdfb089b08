"""What spans of each convention, and of vendors with ways of their own, say."""

import json
from typing import Any

import pytest
from tests.integrations.otel.spans import span

from rampart.core.types import Usage
from rampart.integrations.otel.conventions import facts_of
from rampart.integrations.otel.span_facts import SpanFacts, SpanKind


def read(attributes: dict[str, Any], **more: Any) -> SpanFacts:
    facts = facts_of(span(1, attributes, **more))
    assert facts is not None
    return facts


TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "track"}
PLAIN = ("track", "c1", {"parcel": 17}, "Utrecht")


@pytest.mark.parametrize(
    "attributes",
    [
        TOOL
        | {
            "gen_ai.tool.call.id": "c1",
            "gen_ai.tool.call.arguments": {"parcel": 17},
            "gen_ai.tool.call.result": "Utrecht",
        },
        TOOL
        | {
            "gen_ai.tool.call.id": "c1",
            "gen_ai.tool.call.arguments": '{"parcel": 17}',
            "anthropic.tool_result.content": '[{"type": "text", "text": "Utrecht"}]',
        },
        {
            "openinference.span.kind": "TOOL",
            "tool.name": "track",
            "tool.id": "c1",
            "tool.parameters": '{"parcel": 17}',
            "output.value": "Utrecht",
        },
        {
            "openinference.span.kind": "tool",
            "tool.name": "track",
            "tool_call.id": "c1",
            "tool.parameters": '{"type": "object", "properties": {"parcel": {}}}',
            "input.value": '{"parcel": 17}',
            "output.value": "Utrecht",
        },
        {
            "traceloop.span.kind": "tool",
            "traceloop.entity.name": "track",
            "gen_ai.tool.call.id": "c1",
            "traceloop.entity.input": '{"args": [], "kwargs": {"parcel": 17}}',
            "traceloop.entity.output": "Utrecht",
        },
        {
            "traceloop.span.kind": "tool",
            "traceloop.entity.name": "track",
            "gen_ai.tool.call.id": "c1",
            "traceloop.entity.input": '{"input_str": "{}", "inputs": {"parcel": 17}}',
            "traceloop.entity.output": '{"output": "Utrecht", "kwargs": {}}',
        },
        {
            "langsmith.span.kind": "tool",
            "gen_ai.tool.name": "track",
            "gen_ai.prompt": '{"parcel": 17}',
            "gen_ai.completion": '{"output": {"content": "Utrecht", "tool_call_id": "c1"}}',
        },
    ],
    ids=["gen_ai", "anthropic", "openinference", "its schema", "traceloop", "its langchain", "langsmith"],
)
def test_a_call_of_a_tool(attributes: dict[str, Any]) -> None:
    facts = read(attributes)
    arguments = json.loads(facts.arguments) if isinstance(facts.arguments, str) else facts.arguments
    assert facts.kind is SpanKind.TOOL
    assert (facts.tool_name, facts.call_id, arguments, facts.result) == PLAIN
    assert facts.executed


@pytest.mark.parametrize(
    "attributes",
    [
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.usage.prompt_tokens": 10,
            "gen_ai.usage.completion_tokens": 5,
            "gen_ai.output.messages": [
                {
                    "role": "assistant",
                    "parts": [{"type": "tool_call", "id": "c1", "name": "track", "arguments": {}}],
                }
            ],
        },
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 5,
            "gen_ai.output.messages": '[{"toolUse": {"toolUseId": "c1", "name": "track", "input": {}}}]',
        },
        {
            "openinference.span.kind": "LLM",
            "llm.token_count.prompt": 10,
            "llm.token_count.completion": 5,
            "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "track",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{}",
        },
        {
            "llm.request.type": "chat",
            "gen_ai.usage.prompt_tokens": 10,
            "gen_ai.usage.completion_tokens": 5,
            "gen_ai.completion.0.tool_calls.0.id": "c1",
            "gen_ai.completion.0.tool_calls.0.name": "track",
            "gen_ai.completion.0.tool_calls.0.arguments": "{}",
        },
        {
            "langsmith.span.kind": "llm",
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 5,
            "gen_ai.completion": '{"message": {"tool_calls": [{"name": "track", "args": {}, "id": "c1"}]}}',
        },
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 5,
            "gen_ai.completion": '[{"tool_calls": [{"id": "c1", "type": "function", "function": '
            '{"name": "track", "arguments": "{}"}}]}]',
        },
    ],
    ids=["gen_ai", "bedrock", "openinference", "traceloop", "langsmith", "openai"],
)
def test_a_model_that_asks_for_a_tool(attributes: dict[str, Any]) -> None:
    facts = read(attributes)
    assert facts.kind is SpanKind.MODEL
    assert [
        (one.name, one.id, one.arguments or {}) in [("track", "c1", {}), ("track", "c1", "{}")]
        for one in facts.asked
    ] == [True]
    assert facts.usage == Usage(input_tokens=10, output_tokens=5)
    assert not facts.hides_reply


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.operation.name": "chat"},
        {"openinference.span.kind": "LLM"},
        {"llm.request.type": "chat"},
    ],
)
def test_a_model_whose_reply_is_hidden(attributes: dict[str, Any]) -> None:
    assert read(attributes).hides_reply


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"gen_ai.operation.name": "embeddings"},
        {"gen_ai.operation.name": ["chat"]},
        {"openinference.span.kind": "CHAIN"},
        {"openinference.span.kind": 7},
        {"traceloop.span.kind": "task"},
        TOOL | {"gen_ai.tool.name": "(merged tools)"},
    ],
)
def test_spans_about_something_else(attributes: dict[str, Any]) -> None:
    assert facts_of(span(1, attributes)) is None


class TestVendors:
    def test_agent_framework_writes_no_arguments_as_text(self) -> None:
        assert read(TOOL | {"gen_ai.tool.call.arguments": "None"}).arguments == {}

    def test_anthropic_tells_an_error_as_the_result(self) -> None:
        failed = {"error.type": "tool_error", "anthropic.tool_result.content": "RuntimeError('kaboom')"}
        assert read(TOOL | failed, failed=True).error == "RuntimeError('kaboom')"

    def test_adk_has_an_id_that_is_none(self) -> None:
        assert read(TOOL | {"gen_ai.tool.call.id": "<not specified>"}).call_id is None

    def test_adk_says_that_there_is_no_such_tool(self) -> None:
        unknown = TOOL | {"gen_ai.tool.description": "Tool not found", "error.type": "ValueError"}
        assert not read(unknown, failed=True).executed

    def test_strands_says_so_as_well_and_tells_contents_in_events(self) -> None:
        made = span(1, TOOL, failed=True, status_text="Unknown tool: track")
        made.add_event("gen_ai.tool.message", {"content": '{"parcel": 17}'}.items())
        made.add_event("gen_ai.choice", {"message": '[{"text": "Unknown tool: track"}]'}.items())
        facts = facts_of(made)
        assert facts is not None
        assert (facts.executed, facts.arguments) == (False, '{"parcel": 17}')
        assert facts.result == "Unknown tool: track"

    def test_a_message_in_an_event(self) -> None:
        made = span(1, {"gen_ai.operation.name": "chat"})
        made.add_event(
            "gen_ai.choice",
            {
                "finish_reason": "tool_use",
                "message": '[{"toolUse": {"toolUseId": "c1", "name": "track", "input": {}}}]',
            }.items(),
        )
        facts = facts_of(made)
        assert facts is not None
        assert (facts.wants_tools, [one.id for one in facts.asked]) == (True, ["c1"])


@pytest.mark.parametrize("tokens", [-1, "10", True, float("nan"), None])
def test_what_is_no_count_is_not_known(tokens: object) -> None:
    assert read({"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": tokens}).usage is None
