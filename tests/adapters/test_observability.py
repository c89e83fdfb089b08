"""An adapter claims what it knows, and each session no more than it has seen."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.adapters.conversation import History, reply_to

from rampart.adapters import CallableAdapter, record_tools
from rampart.core.errors import InfrastructureError
from rampart.core.types import ObservabilityLevel, Request, Response, ToolCall

TEXT, TOOLS, FULL = (
    ObservabilityLevel.RESPONSE_ONLY,
    ObservabilityLevel.TOOL_ONLY,
    ObservabilityLevel.TOOL_AND_SIDE_EFFECTS,
)


@record_tools
def send(to: str) -> str:
    return f"sent to {to}"


def plain(prompt: str, history: History) -> str:
    return prompt


def with_tool(prompt: str, history: History) -> str:
    return send(prompt) if prompt == "send" else prompt


async def levels(adapter: CallableAdapter, *prompts: str) -> list[ObservabilityLevel]:
    """The level of one session at its start and after each turn."""
    async with await adapter.create_session_async() as session:
        seen = [session.observability_profile]
        for prompt in prompts:
            await session.send_async(Request(prompt=prompt))
            seen.append(session.observability_profile)
        return seen


class TestWithoutADeclaration:
    async def test_a_function_alone_reports_its_replies(self) -> None:
        adapter = CallableAdapter(plain)
        assert adapter.observability_profile is TEXT
        assert await levels(adapter, "one") == [TEXT, TEXT]

    async def test_a_function_with_recorded_tools_reports_them_even_when_it_calls_none(self) -> None:
        adapter = CallableAdapter(with_tool)
        assert adapter.observability_profile is TOOLS
        assert await levels(adapter, "one", "send") == [TOOLS, TOOLS, TOOLS]

    async def test_calls_in_a_reply_alone_prove_nothing(self) -> None:
        adapter = CallableAdapter(
            lambda _prompt, _history: Response(text="", tool_calls=[ToolCall(name="f")])
        )
        assert await levels(adapter, "one") == [TEXT, TEXT]

    async def test_a_recorded_call_that_nobody_foresaw_is_learned_from(self) -> None:
        hidden = SimpleNamespace()
        tools: dict[str, Any] = {}

        def agent(prompt: str, history: History) -> str:
            return str(getattr(hidden, "tools", tools)["send"](prompt)) if prompt == "send" else prompt

        adapter = CallableAdapter(agent)
        assert adapter.observability_profile is TEXT
        tools["send"] = send
        assert await levels(adapter, "one", "send", "one") == [TEXT, TEXT, TOOLS, TOOLS]
        assert adapter.observability_profile is TOOLS

    async def test_tools_that_a_factory_records_count_before_any_call(self) -> None:
        def factory() -> Any:
            tool: Any = record_tools(lambda to: to)
            return lambda prompt, _history: tool(prompt) if prompt == "send" else prompt

        adapter = CallableAdapter(session_factory=factory)
        assert await levels(adapter, "one") == [TOOLS, TOOLS]
        assert adapter.observability_profile is TOOLS


def declares(*values: object) -> CallableAdapter:
    """An agent whose k-th reply declares the k-th value; None declares nothing."""

    def agent(prompt: str, history: History) -> Response:
        value = values[len(history) // 2]
        return Response(text="", metadata={} if value is None else {"observability": value})

    return CallableAdapter(agent)


class TestRepliesThatDeclare:
    @pytest.mark.parametrize("value", [TOOLS, "tool_only"], ids=["member", "value"])
    async def test_one_reply(self, value: object) -> None:
        adapter = declares(value)
        assert adapter.observability_profile is TEXT
        assert await levels(adapter, "one") == [TEXT, TOOLS]
        assert adapter.observability_profile is TOOLS

    async def test_a_dict_can_declare_too(self) -> None:
        adapter = CallableAdapter(
            lambda _prompt, _history: {"text": "", "metadata": {"observability": "tool_and_side_effects"}}
        )
        assert await levels(adapter, "one") == [TEXT, FULL]

    async def test_the_lowest_turn_decides(self) -> None:
        assert await levels(declares(FULL, TOOLS, FULL), "1", "2", "3") == [TEXT, FULL, TOOLS, TOOLS]

    async def test_a_reply_that_declares_nothing_reports_only_itself(self) -> None:
        assert await levels(declares(TOOLS, None, TOOLS), "1", "2", "3") == [TEXT, TOOLS, TEXT, TEXT]

    async def test_a_reply_can_declare_less_than_the_recorded_tools_promise(self) -> None:
        def agent(prompt: str, history: History) -> Response:
            return Response(text=with_tool(prompt, history), metadata={"observability": TEXT})

        assert await levels(CallableAdapter(agent), "one") == [TOOLS, TEXT]

    async def test_the_declaration_stays_in_the_record(self) -> None:
        assert (await reply_to(declares(TOOLS))).metadata == {"observability": TOOLS}


class TestADeclaredAdapter:
    @pytest.mark.parametrize("level", list(ObservabilityLevel), ids=lambda level: level.value)
    async def test_it_is_believed(self, level: ObservabilityLevel) -> None:
        adapter = CallableAdapter(with_tool, observability=level)
        assert adapter.observability_profile is level
        assert await levels(adapter, "one", "send") == [level] * 3

    @pytest.mark.parametrize(
        ("declared", "reply", "expected"),
        [(TOOLS, FULL, TOOLS), (TOOLS, TEXT, TEXT), (TEXT, TOOLS, TEXT), (FULL, TOOLS, TOOLS)],
    )
    async def test_a_reply_can_only_lower_it(
        self, declared: ObservabilityLevel, reply: ObservabilityLevel, expected: ObservabilityLevel
    ) -> None:
        def agent(prompt: str, history: History) -> Response:
            return Response(text="", metadata={"observability": reply})

        adapter = CallableAdapter(agent, observability=declared)
        assert await levels(adapter, "one") == [declared, expected]
        assert adapter.observability_profile is declared


async def test_a_failed_turn_declares_nothing() -> None:
    def agent(prompt: str, history: History) -> Response:
        if prompt == "fail":
            raise ValueError
        return Response(text="", metadata={"observability": TOOLS})

    async with await CallableAdapter(agent).create_session_async() as session:
        await session.send_async(Request(prompt="one"))
        assert session.observability_profile is TOOLS
        with pytest.raises(InfrastructureError):
            await session.send_async(Request(prompt="fail"))
        assert session.observability_profile is TEXT
