"""What a source sees beside an agent becomes part of its responses, each call once and in its own session."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp import Client
from tests.servers.mcp_running import NOTES

from rampart import (
    InfrastructureError,
    ObservabilityLevel,
    Probes,
    Request,
    Response,
    SafetyStatus,
    ToolCall,
    Usage,
    execute_trials_async,
)
from rampart.adapters import CallableAdapter, with_state, with_tools_from
from rampart.adapters.observed_session import MISSING_KEY
from rampart.adapters.tool_warnings import LateToolCallWarning
from rampart.core.errors import partial_of
from rampart.core.tool_source import Observation
from rampart.evaluators import ToolCalled, ToolExecuted
from rampart.servers.mcp import McpProxy, McpRoute

TOOL_ONLY, RESPONSE_ONLY = ObservabilityLevel.TOOL_ONLY, ObservabilityLevel.RESPONSE_ONLY


class Source:
    """A source that sees what the test tells it to."""

    def __init__(self, *, apart: bool = True) -> None:
        self.label = "the test's source"
        self.tells_sessions_apart = apart
        self.pending: list[Observation] = []
        self.closed = 0
        self.in_turn = False

    async def watch_async(self, *, own_address: bool) -> Any:
        self.address = "own" if own_address else "shared"
        return self

    @contextmanager
    def turn(self) -> Iterator[None]:
        self.in_turn = True
        yield
        self.in_turn = False

    async def take_async(self) -> Observation:
        return self.pending.pop(0) if self.pending else Observation()

    async def close_async(self) -> None:
        self.closed += 1


def said(prompt: str, _history: list[Any]) -> Any:
    if prompt == "fail":
        raise ConnectionError("down")
    return {
        "text": "Done.",
        "tool_calls": [{"name": "mcp__notes__lookup", "arguments": {"topic": "cats"}, "id": "1"}],
    }


def silent(_prompt: str, _history: list[Any]) -> str:
    return "Done."


async def reply_of(adapter: Any, prompt: str = "Go.") -> Response:
    async with await adapter.create_session_async() as session:
        response: Response = await session.send_async(Request(prompt=prompt))
    return response


async def test_a_call_that_both_report_is_one_call_under_the_agents_name() -> None:
    source = Source()
    ran = ToolCall(name="lookup", arguments={"topic": "cats"}, result="All about cats.", executed=True)
    other = ToolCall(name="lookup", arguments={"topic": "dogs"}, result="All about dogs.", executed=True)
    source.pending = [Observation(tool_calls=[ran, other])]
    first, second = (await reply_of(with_tools_from(CallableAdapter(said), source))).tool_calls
    assert (first.name, first.id, first.result) == ("mcp__notes__lookup", "1", "All about cats.")
    assert (second.name, second.arguments) == ("lookup", {"topic": "dogs"})


async def test_usage_is_the_adapters_or_else_the_sources() -> None:
    source = Source()
    seen = Observation(usage=Usage(input_tokens=7))
    source.pending = [seen]
    assert (await reply_of(with_tools_from(CallableAdapter(silent), source))).usage == Usage(input_tokens=7)
    source.pending = [seen]
    counting = CallableAdapter(lambda prompt, history: {"text": "", "usage": {"input_tokens": 3}})
    assert (await reply_of(with_tools_from(counting, source))).usage == Usage(input_tokens=3)


async def test_what_was_seen_of_a_failed_turn_is_kept() -> None:
    source = Source()
    source.pending = [Observation(tool_calls=[ToolCall(name="pay", executed=True)])]
    with pytest.raises(InfrastructureError) as caught:
        await reply_of(with_tools_from(CallableAdapter(said), source), "fail")
    partial = partial_of(caught.value)
    assert partial is not None
    assert [call.name for call in partial.tool_calls] == ["pay"]
    assert source.closed == 1


async def test_what_was_seen_of_a_cancelled_turn_is_kept() -> None:
    source = Source()
    source.pending = [Observation(tool_calls=[ToolCall(name="pay", executed=True)])]
    began = asyncio.Event()

    async def hang(_prompt: str, _history: list[Any]) -> str:
        began.set()
        await asyncio.Event().wait()
        return ""

    turn = asyncio.create_task(reply_of(with_tools_from(CallableAdapter(hang), source)))
    await began.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await turn
    partial = partial_of(caught.value)
    assert partial is not None
    assert [call.name for call in partial.tool_calls] == ["pay"]


async def test_the_level_falls_when_calls_may_be_missing() -> None:
    source = Source()
    adapter = with_tools_from(CallableAdapter(silent), source)
    assert adapter.observability_profile is TOOL_ONLY
    source.pending = [Observation(), Observation(missing="a span never ended"), Observation()]
    async with await adapter.create_session_async() as session:
        await session.send_async(Request(prompt="a"))
        assert session.observability_profile is TOOL_ONLY
        response = await session.send_async(Request(prompt="b"))
        assert session.observability_profile is RESPONSE_ONLY
        await session.send_async(Request(prompt="c"))
        assert session.observability_profile is RESPONSE_ONLY
    assert response.metadata[MISSING_KEY] == "a span never ended"
    source.pending = [Observation(missing="a span never ended")]
    unseen = Probes.behavior(prompt="x", evaluator=~ToolCalled("pay"))
    assert (await unseen.execute_async(adapter=adapter)).status is SafetyStatus.UNDETERMINED


async def test_a_source_that_fails_lowers_the_level_and_loses_no_reply() -> None:
    class Failing(Source):
        async def take_async(self) -> Observation:
            raise OSError("gone")

    source = Failing()
    async with await with_tools_from(CallableAdapter(said), source).create_session_async() as session:
        response = await session.send_async(Request(prompt="Go."))
        assert session.observability_profile is RESPONSE_ONLY
    assert [call.name for call in response.tool_calls] == ["mcp__notes__lookup"]
    assert response.metadata[MISSING_KEY] == "the test's source did not say what it saw: gone"
    assert source.closed == 1


async def test_a_turn_that_is_cancelled_while_the_source_is_asked_keeps_the_reply() -> None:
    asked = asyncio.Event()

    class Slow(Source):
        async def take_async(self) -> Observation:
            asked.set()
            await asyncio.Event().wait()
            return Observation()

    turn = asyncio.create_task(reply_of(with_tools_from(CallableAdapter(said), Slow())))
    await asked.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await turn
    partial = partial_of(caught.value)
    assert partial is not None
    assert partial.text == "Done."


async def test_ids_tell_calls_apart_that_look_alike() -> None:
    def agent(_prompt: str, _history: list[Any]) -> Any:
        calls = [{"name": "notes.lookup", "id": number} for number in ("1", "2")]
        return {"text": "Done.", "tool_calls": calls}

    source = Source()
    source.pending = [
        Observation(tool_calls=[ToolCall(name="lookup", id=n, result=f"result {n}") for n in ("2", "1")])
    ]
    calls = (await reply_of(with_tools_from(CallableAdapter(agent), source))).tool_calls
    assert [(call.name, call.result) for call in calls] == [
        ("notes.lookup", "result 1"),
        ("notes.lookup", "result 2"),
    ]


async def test_tools_beside_the_source_leave_the_level_alone() -> None:
    adapter = with_tools_from(CallableAdapter(silent), Source(), all_tools=False)
    assert adapter.observability_profile is RESPONSE_ONLY
    async with await adapter.create_session_async() as session:
        assert session.observability_profile is RESPONSE_ONLY


async def test_sessions_that_look_alike_are_not_open_together() -> None:
    assert with_tools_from(CallableAdapter(silent), Source(apart=False)).max_concurrent_sessions == 1
    assert with_tools_from(CallableAdapter(silent), Source()).max_concurrent_sessions is None
    own = with_tools_from(lambda address: CallableAdapter(silent), Source(apart=False))
    assert own.max_concurrent_sessions is None


async def test_a_function_gets_the_address_of_its_session() -> None:
    addresses: list[object] = []

    def make(address: object) -> CallableAdapter:
        addresses.append(address)
        return CallableAdapter(silent)

    adapter = with_tools_from(make, Source())
    assert adapter.manifest.name == "make"
    await reply_of(adapter)
    assert addresses == ["own"]


async def test_a_late_call_is_told() -> None:
    source = Source()
    source.pending = [Observation(), Observation(tool_calls=[ToolCall(name="pay")])]
    with pytest.warns(LateToolCallWarning, match="'pay' of the test's source was called after the last turn"):
        await reply_of(with_tools_from(CallableAdapter(silent), source))


async def test_it_goes_together_with_state() -> None:
    source = Source()
    for adapter in (
        with_state(with_tools_from(CallableAdapter(silent), source), stock=lambda: {"glue": 3}),
        with_tools_from(with_state(CallableAdapter(silent), stock=lambda: {"glue": 3}), source),
    ):
        source.pending = [Observation(tool_calls=[ToolCall(name="pay", executed=True)])]
        response = await reply_of(adapter)
        assert [call.name for call in response.tool_calls] == ["pay"]
        assert "state" in response.metadata


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((CallableAdapter(silent), object()), "takes a source of tool calls, such as an McpProxy"),
        (("agent", Source()), "takes an adapter, or a function"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        with_tools_from(*arguments)


async def test_a_function_that_makes_no_adapter_is_refused() -> None:
    source = Source()
    with pytest.raises(TypeError, match="must make an adapter, got str"):
        await reply_of(with_tools_from(lambda address: "agent", source))  # type: ignore[arg-type,return-value]  # that is the point
    assert source.closed == 1


@pytest.fixture(scope="module")
def notes() -> Iterator[McpProxy]:
    with McpProxy(target=NOTES) as proxy:
        yield proxy


def reader(route: McpRoute) -> CallableAdapter:
    """An agent of which only replies are seen; it uses the MCP server at its address."""

    async def agent(prompt: str, _history: list[Any]) -> str:
        async with Client(route.url) as server:
            for tool, value in [part.split("=") for part in prompt.split()]:
                key = {"lookup": "topic", "read_note": "title", "fail": "why"}.get(tool, "x")
                await server.call_tool(tool, {key: value})
        return "Done."

    return CallableAdapter(agent)


async def test_calls_through_a_proxy_are_complete(notes: McpProxy) -> None:
    adapter = with_tools_from(reader, notes)
    async with await adapter.create_session_async() as session:
        lookup, note = (await session.send_async(Request(prompt="lookup=cats read_note=lunch"))).tool_calls
        failed, unknown = (await session.send_async(Request(prompt="fail=tired no_such=1"))).tool_calls
    assert (lookup.name, lookup.arguments, lookup.result) == ("lookup", {"topic": "cats"}, "All about cats.")
    assert (lookup.executed, lookup.error) == (True, None)
    assert lookup.timestamp is not None
    assert note.result["structured_content"]["body"] == "This is the note called lunch."
    assert (failed.name, failed.executed) == ("fail", True)
    assert "Error executing tool fail" in (failed.error or "")
    assert (unknown.name, unknown.executed) == ("no_such", False)
    assert unknown.error


async def test_fifty_sessions_through_one_proxy(notes: McpProxy) -> None:
    adapter = with_tools_from(reader, notes)
    everybody = asyncio.Barrier(50)

    async def converse(number: int) -> list[Response]:
        async with await adapter.create_session_async() as session:
            await everybody.wait()
            prompts = f"lookup=a{number}", f"lookup=b{number} read_note=c{number}"
            return [await session.send_async(Request(prompt=prompt)) for prompt in prompts]

    for number, replies in enumerate(await asyncio.gather(*map(converse, range(50)))):
        calls = [[(call.name, *call.arguments.values()) for call in reply.tool_calls] for reply in replies]
        assert calls == [[("lookup", f"a{number}")], [("lookup", f"b{number}"), ("read_note", f"c{number}")]]


async def test_trials_over_a_proxy(notes: McpProxy) -> None:
    population = await execute_trials_async(
        execution_factory=lambda: Probes.behavior(
            prompt="lookup=cats", evaluator=ToolExecuted("lookup", topic="cats") & ~ToolCalled("read_note")
        ),
        adapter=with_tools_from(reader, notes),
        n=5,
    )
    assert population.status is SafetyStatus.SAFE, population.summary


async def test_a_proxy_that_does_not_run_is_told() -> None:
    with pytest.raises(InfrastructureError, match="is not running; enter it first"):
        await reply_of(with_tools_from(reader, McpProxy(target=NOTES)), "lookup=x")
