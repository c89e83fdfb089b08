"""The manifest that an adapter makes of recorded tools declares all of them or none."""

import functools
from typing import Any

import pytest
from tests.adapters.conversation import History

from rampart.adapters import CallableAdapter, record_tools
from rampart.adapters.tool_reach import reached_tools
from rampart.core.manifest import AppManifest, ToolDeclaration
from rampart.core.result import Result, SafetyStatus
from rampart.core.types import ObservabilityLevel, Request, ToolCall
from rampart.evaluators import ToolCalled
from rampart.probes import Probes


@record_tools
def refund(order: int, /, amount: float = 0, *, note: "str | None" = None) -> str:
    """Give money back.

    Not more than was paid.
    """
    return f"{amount} for {order} {note}"


@record_tools(name="mail.send", ignore=["ctx"])
def send(ctx: object, to: str, *parts: str, **headers: str) -> str:
    return to


def forgotten(order: int) -> str:
    return f"{order}"


def agent(prompt: str, history: History) -> str:
    tools: dict[str, Any] = {"refund": refund, "send": send, "forgotten": forgotten}
    return str(tools[prompt](7)) if prompt in tools else prompt


def plain(prompt: str, history: History) -> str:
    return prompt


def names(adapter: CallableAdapter) -> list[str]:
    return sorted(tool.name for tool in adapter.manifest.tools)


async def probe(adapter: CallableAdapter, evaluator: Any, *prompts: str) -> Result:
    return await Probes.behavior(prompts=prompts or ("hi",), evaluator=evaluator).execute_async(
        adapter=adapter
    )


def test_it_declares_what_the_function_reaches() -> None:
    manifest = CallableAdapter(agent).manifest
    assert manifest.name == "agent"
    assert manifest.get_tool("refund") == ToolDeclaration(
        name="refund",
        description="Give money back.",
        parameters={"order": "int", "amount": "float", "note": "str | None"},
    )
    assert manifest.get_tool("mail.send") == ToolDeclaration(
        name="mail.send", parameters={"to": "str", "parts": "str", "**headers": "str"}
    )
    assert not manifest.declares_tool("forgotten")


def test_it_is_one_object() -> None:
    adapter = CallableAdapter(agent)
    assert adapter.manifest is adapter.manifest


@pytest.mark.parametrize("level", [None, ObservabilityLevel.TOOL_ONLY], ids=["not-given", "tool-only"])
def test_a_level_that_reports_tools_declares_them(level: ObservabilityLevel | None) -> None:
    assert names(CallableAdapter(agent, observability=level)) == ["mail.send", "refund"]


@pytest.mark.parametrize(
    ("function", "options"),
    [
        pytest.param(plain, {}, id="no-recorded-tools"),
        pytest.param(agent, {"observability": ObservabilityLevel.RESPONSE_ONLY}, id="response-only"),
        pytest.param(agent, {"manifest": AppManifest(name="own")}, id="a-manifest-of-the-user"),
    ],
)
async def test_no_tools_are_declared(function: Any, options: dict[str, Any]) -> None:
    adapter = CallableAdapter(function, **options)
    assert names(adapter) == []
    await probe(adapter, ToolCalled("refund"), "refund")
    assert names(adapter) == []


@pytest.mark.parametrize("name", ["refnd", "forgotten"], ids=["misspelt", "its-recording-was-forgotten"])
async def test_a_tool_that_is_looked_for_in_vain_is_named(name: str) -> None:
    with pytest.warns(UserWarning, match=f"tool '{name}' is not declared; declared: .*'refund'"):
        result = await probe(CallableAdapter(agent), ~ToolCalled(name), "forgotten")
    assert f"part of the evaluation was undetermined: tool '{name}' is not declared" in result.summary


async def test_a_misspelt_argument_is_named() -> None:
    with pytest.warns(UserWarning, match="argument 'amuont' is not a parameter of 'refund'; parameters: 'am"):
        result = await probe(CallableAdapter(agent), ~ToolCalled("refund", amuont=50))
    assert "argument 'amuont' is not a parameter of 'refund'" in result.summary


async def test_a_tool_that_is_there_and_was_not_called_is_nothing_to_warn_of() -> None:
    result = await probe(CallableAdapter(agent), ~ToolCalled("refund", amount=50))
    assert result.status is SafetyStatus.SAFE
    assert "undetermined" not in result.summary


def made_in_the_session() -> Any:
    tools = record_tools({"refund": forgotten, "search": forgotten})
    return lambda prompt, _history: str(tools[prompt](1)) if prompt in tools else prompt


def over_module_tools() -> Any:
    """Has a tool that is found without running it, and one that is not."""
    later: Any = record_tools(lambda q: q, name="later")
    return lambda prompt, _history: refund(1) + str(later(prompt)) if prompt == "go" else prompt


class TestToolsOfASessionFactory:
    async def test_they_are_unknown_before_and_known_when_the_trace_is_judged(self) -> None:
        adapter = CallableAdapter(session_factory=made_in_the_session)
        read_before = adapter.manifest
        assert read_before.tools == []
        result = await probe(adapter, ~ToolCalled("search"))
        assert result.summary.endswith("(negated)")
        assert names(adapter) == ["refund", "search"]
        assert adapter.manifest is read_before

    async def test_a_misspelt_one_is_named_in_the_first_session(self) -> None:
        adapter = CallableAdapter(session_factory=made_in_the_session)
        with pytest.warns(UserWarning, match="'serch' is not declared; declared: 'search', 'refund'"):
            await probe(adapter, ~ToolCalled("serch"))

    async def test_those_found_before_do_not_hide_those_made_later(self) -> None:
        adapter = CallableAdapter(session_factory=over_module_tools)
        assert names(adapter) == ["refund"]
        result = await probe(adapter, ~ToolCalled("later"))
        assert "undetermined" not in result.summary
        assert names(adapter) == ["later", "refund"]

    async def test_what_it_made_is_searched(self) -> None:
        hidden = {"tools": [refund, send]}

        class Agent:
            def __init__(self) -> None:
                self.tools = hidden_tools()

            def reply(self, prompt: str, history: History) -> str:
                return str(self.tools[0](1))

        hidden_tools = functools.partial(eval, "hidden['tools']", {"hidden": hidden})
        adapter = CallableAdapter(Agent.reply, session_factory=lambda: opaque(Agent))
        opaque = functools.partial(lambda kind: kind())
        await probe(adapter, ToolCalled("refund"))
        assert names(adapter) == ["mail.send", "refund"]

    async def test_sessions_that_record_the_same_do_not_add_up(self) -> None:
        adapter = CallableAdapter(session_factory=made_in_the_session)
        for _ in range(3):
            await probe(adapter, ToolCalled("refund"), "refund")
        assert names(adapter) == ["refund", "search"]


class TestToolsThatNobodyFound:
    async def test_a_recorded_one_that_is_called_ends_the_declaration(self) -> None:
        def looks_up(prompt: str, history: History) -> str:
            refund(1)
            return str(globals()[prompt]("x", "y")) if prompt == "send" else prompt

        adapter = CallableAdapter(looks_up)
        assert names(adapter) == ["refund"]
        result = await probe(adapter, ToolCalled("other"), "send")
        assert names(adapter) == []
        assert result.final_trace_evaluation is not None
        assert result.final_trace_evaluation.undetermined_operands == []

    @pytest.mark.parametrize(
        ("executed", "left"), [(True, []), (None, []), (False, ["refund"])], ids=["ran", "unknown", "refused"]
    )
    async def test_one_that_a_reply_reports_does_too(self, executed: bool | None, left: list[str]) -> None:
        def reports(prompt: str, history: History) -> dict[str, Any]:
            refund(1)
            return {"text": "", "tool_calls": [ToolCall(name="web_search", executed=executed)]}

        adapter = CallableAdapter(reports)
        await probe(adapter, ToolCalled("refund"))
        assert names(adapter) == left

    async def test_a_failing_turn_tells_as_well(self) -> None:
        def fails(prompt: str, history: History) -> str:
            refund(1)
            globals()["send"]("x", "y")
            raise ConnectionError

        adapter = CallableAdapter(fails)
        await probe(adapter, ToolCalled("refund"))
        assert names(adapter) == []

    def test_a_search_that_was_cut_declares_nothing(self) -> None:
        wide = [[[object()] for _ in range(1000)] for _ in range(20)]

        def reaches_much(prompt: str, history: History) -> str:
            return refund(1) + str(wide)

        adapter = CallableAdapter(reaches_much)
        assert adapter.observability_profile is ObservabilityLevel.TOOL_ONLY
        assert names(adapter) == []

    async def test_one_recorded_during_a_turn_is_added(self) -> None:
        def records(prompt: str, history: History) -> str:
            tool: Any = record_tools(forgotten, name="late")
            return str(tool(1)) if prompt == "late" else refund(1)

        adapter = CallableAdapter(records)
        assert names(adapter) == ["refund"]
        async with await adapter.create_session_async() as session:
            await session.send_async(Request(prompt="hi"))
        assert names(adapter) == ["late", "refund"]


class Methods:
    @record_tools
    def one(self, a: int) -> int:
        return a

    @record_tools
    def two(self, b: int) -> int:
        return b

    def by_name(self, prompt: str, history: History) -> str:
        return str(getattr(self, prompt)(self.one(1)))

    def by_hand(self, prompt: str, history: History) -> str:
        return str(self.one(1))


def test_methods_that_are_looked_up_by_name_count() -> None:
    assert names(CallableAdapter(Methods().by_name)) == ["one", "two"]
    assert names(CallableAdapter(Methods().by_hand)) == ["one"]
    found = CallableAdapter(Methods().by_hand).manifest.get_tool("one")
    assert found is not None
    assert found.parameters == {"a": "int"}


def test_two_tools_of_one_name_declare_no_parameters() -> None:
    first: Any = record_tools(lambda a: a, name="f")
    second: Any = record_tools(lambda b: b, name="f")
    adapter = CallableAdapter(lambda prompt, _history: first(prompt) + second(prompt))
    assert adapter.manifest.tools == [ToolDeclaration(name="f")]


def test_nothing_is_searched_where_no_tool_is_found() -> None:
    assert reached_tools(plain) == []
