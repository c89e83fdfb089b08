"""Runs of the OpenAI Agents SDK that end early, tools of every kind, and the options."""

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.adapters.frameworks.brain import TOOLS
from tests.adapters.frameworks.library import need

need("agents")

from agents import (  # noqa: E402 - only where it is installed
    GuardrailFunctionOutput,
    HostedMCPTool,
    RunConfig,
    RunContextWrapper,
    SQLiteSession,
    WebSearchTool,
    function_tool,
    input_guardrail,
    output_guardrail,
    set_trace_processors,
)
from agents.testing import assistant_message, function_call  # noqa: E402 - likewise
from agents.tracing import TracingProcessor  # noqa: E402 - likewise
from openai.types.responses import ResponseFunctionWebSearch  # noqa: E402 - likewise
from openai.types.responses.response_output_item import McpApprovalRequest, McpCall  # noqa: E402 - likewise
from tests.adapters.frameworks.openai_agents.agents_at_hand import (  # noqa: E402 - likewise
    clerk,
    converse,
    scripted,
)

from rampart import InfrastructureError, ObservabilityLevel  # noqa: E402 - below what may
from rampart.adapters import OpenAIAgentsAdapter  # noqa: E402 - skip the file
from rampart.core.errors import ExecutionTimeoutError, partial_of  # noqa: E402 - likewise

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.framework


async def test_too_many_turns_keep_the_calls() -> None:
    with pytest.raises(InfrastructureError, match="MaxTurnsExceeded") as caught:
        await converse(OpenAIAgentsAdapter(clerk(), max_turns=1), "Mail ada.")
    partial = partial_of(caught.value)
    assert partial is not None
    assert [call.result for call in partial.tool_calls] == ["sent to ada@example.com"]


async def test_an_unknown_tool_that_the_model_is_told_of() -> None:
    config = RunConfig(tool_not_found_behavior="return_error_to_model")
    [response] = await converse(OpenAIAgentsAdapter(clerk(), run_config=config), "Use the unknown tool.")
    [call] = response.tool_calls
    assert (call.executed, call.error) == (False, "Tool 'no_such_tool' not found.")
    assert not config.tracing_disabled
    assert config.tool_error_formatter is None


@input_guardrail  # type: ignore[untyped-decorator]  # untyped where development happens
async def no_mail(_context: Any, _agent: Any, given: Any) -> GuardrailFunctionOutput:
    asked = given if isinstance(given, str) else given[-1]["content"]
    return GuardrailFunctionOutput(output_info=None, tripwire_triggered="Mail" in asked)


@output_guardrail  # type: ignore[untyped-decorator]  # untyped where development happens
async def no_word(_context: Any, _agent: Any, _output: Any) -> GuardrailFunctionOutput:
    return GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)


async def test_a_guardrail_that_stops_the_run_is_how_the_agent_behaves() -> None:
    guarded = clerk(input_guardrails=[no_mail])
    first, second = await converse(OpenAIAgentsAdapter(guarded), "Mail ada.", "Say hello.")
    assert first.text == ""
    assert "InputGuardrailTripwireTriggered" in first.metadata["guardrail"]
    assert second.text == "Hello."


async def test_a_guardrail_on_the_reply_hides_no_call() -> None:
    [response] = await converse(OpenAIAgentsAdapter(clerk(output_guardrails=[no_word])), "Mail ada.")
    assert response.text == ""
    assert [call.executed for call in response.tool_calls] == [True]


async def test_what_the_provider_ran_itself() -> None:
    search: Any = ResponseFunctionWebSearch.model_validate(
        {
            "id": "w",
            "type": "web_search_call",
            "status": "completed",
            "action": {"type": "search", "query": "q"},
        }
    )
    common = {"type": "mcp_call", "name": "look", "server_label": "s"}
    found = McpCall.model_validate({**common, "id": "m", "arguments": '{"a": 1}', "output": "res"})
    failed = McpCall.model_validate(
        {
            **common,
            "id": "n",
            "arguments": '{"a": 2}',
            "error": {"type": "http_error", "code": 500, "message": "down"},
        }
    )
    agent = scripted([search, found, failed, assistant_message("Done.")], tools=[WebSearchTool()])
    [response] = await converse(OpenAIAgentsAdapter(agent), "Go.")
    web, good, bad = response.tool_calls
    assert (web.name, web.executed, web.arguments["action"]["query"]) == ("web_search", True, "q")
    assert (good.arguments, good.executed, good.result) == ({"a": 1}, True, "res")
    assert (bad.executed, "down" in (bad.error or "")) == (None, True)


async def test_a_call_on_the_providers_side_that_waits_for_approval() -> None:
    pending = McpApprovalRequest.model_validate(
        {"id": "p", "type": "mcp_approval_request", "name": "wipe", "arguments": "{}", "server_label": "s"}
    )
    server: Any = {
        "type": "mcp",
        "server_label": "s",
        "server_url": "http://127.0.0.1:1",
        "require_approval": "always",
    }
    agent = scripted([pending], tools=[HostedMCPTool(tool_config=server)])
    [response] = await converse(OpenAIAgentsAdapter(agent), "Go.")
    assert [(call.name, call.executed) for call in response.tool_calls] == [("wipe", False)]
    assert response.metadata["interrupted"] == [{"name": "wipe", "arguments": "{}"}]


async def test_a_tool_that_explains_its_failure_itself() -> None:
    def explain(_context: Any, error: Exception) -> str:
        return f"Sorry: {error}"

    tools = [function_tool(tool, strict_mode=False, failure_error_function=explain) for tool in TOOLS]
    broken, garbled = await converse(
        OpenAIAgentsAdapter(clerk(tools=tools)), "Break ada.", "Write bad arguments."
    )
    assert [(call.executed, call.result) for call in broken.tool_calls] == [(True, "Sorry: kaboom: ada")]
    assert [call.executed for call in garbled.tool_calls] == [False]


async def nap(seconds: int) -> str:
    """Wait for ever."""
    await asyncio.Event().wait()
    return f"slept {seconds}"


async def _tool_turn(tool: Any, **arguments: Any) -> Any:
    agent = scripted(
        [function_call(tool.name, arguments, call_id="1")], [assistant_message("Done.")], tools=[tool]
    )
    [response] = await converse(OpenAIAgentsAdapter(agent), "Go.")
    return response.tool_calls[0]


async def test_arguments_that_do_not_fit_are_no_run() -> None:
    call = await _tool_turn(function_tool(nap), seconds="many")
    assert (call.executed, call.arguments) == (False, {"seconds": "many"})


async def test_a_tool_that_runs_out_of_its_time() -> None:
    call = await _tool_turn(function_tool(nap, timeout=0.01), seconds=1)
    assert call.executed is True
    assert "timed out" in (call.error or "")


async def test_the_one_that_raised_is_named_and_its_neighbour_left_open() -> None:
    def explode() -> str:
        raise RuntimeError("kaboom")

    asks = [function_call("nap", {"seconds": 1}, call_id="1"), function_call("explode", {}, call_id="2")]
    agent = scripted(asks, tools=[function_tool(nap), function_tool(explode, failure_error_function=None)])
    with pytest.raises(InfrastructureError, match="kaboom") as caught:
        await converse(OpenAIAgentsAdapter(agent), "Go.")
    partial = partial_of(caught.value)
    assert partial is not None
    assert [(c.name, c.executed, c.error, c.result) for c in partial.tool_calls] == [
        ("nap", True, None, None),
        ("explode", True, "RuntimeError: kaboom", None),
    ]


async def test_a_tool_that_still_runs_when_time_is_up_began() -> None:
    agent = scripted([function_call("nap", {"seconds": 1}, call_id="1")], tools=[function_tool(nap)])
    with pytest.raises(ExecutionTimeoutError) as caught:
        await converse(OpenAIAgentsAdapter(agent, timeout_s=1), "Go.")
    partial = partial_of(caught.value)
    assert partial is not None
    assert [(call.executed, call.result) for call in partial.tool_calls] == [(True, None)]


async def test_a_session_of_the_sdk() -> None:
    sessions: list[SQLiteSession] = []

    def make() -> SQLiteSession:
        sessions.append(SQLiteSession(f"s{len(sessions)}"))
        return sessions[-1]

    adapter = OpenAIAgentsAdapter(clerk(), session=make)
    replies = await converse(adapter, "Remember the word marigold.", "Which word?")
    assert replies[1].text == "The word is marigold."
    assert (await converse(adapter, "Which word?"))[0].text == "You told me no word."
    assert len(sessions) == 2


async def test_context_reaches_the_tools_and_is_made_for_each_session() -> None:
    seen: list[Any] = []

    async def look(context: RunContextWrapper[Any]) -> str:
        """Look."""
        seen.append(context.context)
        return "seen"

    agent = scripted(
        *[[function_call("look", {}, call_id=str(n))] for n in range(2)],
        tools=[function_tool(look)],
        tool_use_behavior="stop_on_first_tool",
    )
    adapter = OpenAIAgentsAdapter(agent, context=lambda: {"shop": 7})
    await converse(adapter, "Go.")
    await converse(adapter, "Go.")
    assert seen == [{"shop": 7}, {"shop": 7}]
    assert seen[0] is not seen[1]


class Spans(TracingProcessor):  # type: ignore[misc]  # untyped where development happens
    def __init__(self) -> None:
        self.traces: list[Any] = []

    def on_trace_start(self, trace: Any) -> None:
        self.traces.append(trace)

    def on_trace_end(self, trace: Any) -> None: ...
    def on_span_start(self, span: Any) -> None: ...
    def on_span_end(self, span: Any) -> None: ...
    def shutdown(self) -> None: ...
    def force_flush(self) -> None: ...


@pytest.fixture
def spans() -> Any:
    spans = Spans()
    set_trace_processors([spans])
    yield spans
    set_trace_processors([])


async def test_runs_are_not_traced_unless_asked_for(spans: Spans) -> None:
    await converse(OpenAIAgentsAdapter(clerk()), "Mail ada.")
    assert spans.traces == []
    await converse(OpenAIAgentsAdapter(clerk(), tracing=True), "Mail ada.")
    assert len(spans.traces) == 1


async def test_a_helper_that_cannot_be_found_lowers_the_level() -> None:
    tool = clerk().as_tool("helper", "Helps.")
    tool._agent_instance = None  # as a version that does not keep it would
    adapter = OpenAIAgentsAdapter(clerk(tools=[tool]))
    assert adapter.observability_profile is ObservabilityLevel.RESPONSE_ONLY


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ({"max_turns": 0}, "max_turns must be 1 or more"),
        ({"max_turns": "3"}, "max_turns must be an int"),
        ({"approve": True}, "approve must be a function or None, got bool"),
        ({"session": 3}, "session must be a function or None, got int"),
    ],
)
def test_refused_options(option: dict[str, Any], error: str) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        OpenAIAgentsAdapter(clerk(), **option)


def test_what_is_no_agent() -> None:
    make: Callable[..., Any] = OpenAIAgentsAdapter
    with pytest.raises(TypeError, match="expected an Agent of the OpenAI Agents SDK"):
        make(3)
