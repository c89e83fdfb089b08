"""What users of the OpenAI Agents SDK meet besides the shared cases, and where a verdict could lie."""

import asyncio
from typing import Any

import pytest
from tests.adapters.frameworks.library import need

need("agents")

from agents import (  # noqa: E402 - only where it is installed
    AgentHooks,
)
from agents.testing import assistant_message, function_call  # noqa: E402 - likewise
from tests.adapters.frameworks.openai_agents.agents_at_hand import (  # noqa: E402 - likewise
    careful,
    clerk,
    converse,
    scripted,
    with_helper,
)
from tests.adapters.frameworks.openai_agents.brain_model import BrainModel, reply  # noqa: E402 - likewise

from rampart import Request  # noqa: E402 - below what may
from rampart.adapters import OpenAIAgentsAdapter  # noqa: E402 - skip the file
from rampart.core.errors import ConfigurationError  # noqa: E402 - likewise

pytestmark = pytest.mark.framework


async def test_an_agent_as_a_tool_is_watched_too() -> None:
    helper = clerk()
    [response] = await converse(OpenAIAgentsAdapter(with_helper(helper)), "Go.")
    outer, *inner = response.tool_calls
    assert (outer.name, outer.executed) == ("helper", True)
    assert outer.result == "Done: ada is ada backwards / bob is bob backwards"
    assert [(call.name, call.result) for call in inner] == [
        ("lookup", "ada is ada backwards"),
        ("lookup", "bob is bob backwards"),
    ]
    assert helper.hooks is None


class OwnHooks(AgentHooks[Any]):  # type: ignore[misc]  # untyped where development happens
    def __init__(self) -> None:
        self.tools: list[str] = []

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        self.tools.append(tool.name)


async def test_an_agents_own_hooks_are_called_and_given_back() -> None:
    own = OwnHooks()
    helper = clerk(hooks=own)
    await converse(OpenAIAgentsAdapter(with_helper(helper)), "Go.")
    assert own.tools == ["lookup", "lookup"]
    assert helper.hooks is own


async def test_helpers_of_sessions_at_once_are_told_apart() -> None:
    helper = clerk()

    class Asking(BrainModel):
        async def get_response(self, system_instructions: Any, input: Any, *given: Any, **more: Any) -> Any:  # noqa: A002 - the SDK's name
            if input[-1].get("type") == "function_call_output":
                return reply(assistant_message("Done."))
            return reply(function_call("helper", {"input": input[-1]["content"]}, call_id="1"))

    adapter = OpenAIAgentsAdapter(clerk(model=Asking(), tools=[helper.as_tool("helper", "Helps.")]))
    replies = await asyncio.gather(*(converse(adapter, f"Mail a{number}.") for number in range(20)))
    for number, [response] in enumerate(replies):
        assert [call.arguments for call in response.tool_calls] == [
            {"input": f"Mail a{number}."},
            {"to": f"a{number}@example.com"},
        ]
    assert helper.hooks is None


async def test_an_agent_that_is_helper_and_successor_counts_once() -> None:
    helper = clerk()
    ask = [function_call("helper", {"input": "Mail ada."}, call_id="a")]
    hand = [function_call("transfer_to_clerk", {}, call_id="b")]
    first = scripted(ask, hand, tools=[helper.as_tool("helper", "Helps.")], handoffs=[helper])
    one, two = await converse(OpenAIAgentsAdapter(first), "Go.", "Mail bob.")
    assert [call.name for call in one.tool_calls] == ["helper", "send_email", "transfer_to_clerk"]
    assert [call.arguments for call in two.tool_calls] == [{"to": "bob@example.com"}]


async def test_a_handoff_is_a_call_and_the_successor_has_the_floor() -> None:
    successor = clerk(name="Refunds Desk")
    hand = [function_call("transfer_to_refunds_desk", {}, call_id="h")]
    adapter = OpenAIAgentsAdapter(scripted(hand, handoffs=[successor]))
    first, second = await converse(adapter, "Say hello.", "Mail ada.")
    [call] = first.tool_calls
    assert (call.name, call.executed) == ("transfer_to_refunds_desk", True)
    assert [(call.name, call.executed) for call in second.tool_calls] == [("send_email", True)]
    assert adapter.manifest.declares_tool("send_email")


async def test_a_call_that_waits_for_approval_did_not_run() -> None:
    async with await OpenAIAgentsAdapter(careful()).create_session_async() as session:
        response = await session.send_async(Request(prompt="Mail ada."))
        assert [(call.executed, call.error) for call in response.tool_calls] == [
            (False, "waits for approval")
        ]
        assert response.text == ""
        assert response.metadata["interrupted"][0]["name"] == "send_email"
        with pytest.raises(ConfigurationError, match=r"waits for approval of .*send_email.*Pass approve="):
            await session.send_async(Request(prompt="Say hello."))


@pytest.mark.parametrize(("answer", "executed"), [(True, True), (False, False)])
async def test_approval_within_the_turn(answer: bool, executed: bool) -> None:
    asked: list[Any] = []

    def approve(name: str, arguments: Any) -> bool:
        asked.append((name, arguments))
        return answer

    first, second = await converse(OpenAIAgentsAdapter(careful(), approve=approve), "Mail ada.", "Say hello.")
    assert [call.executed for call in first.tool_calls] == [executed]
    assert asked == [("send_email", '{"to":"ada@example.com"}')]
    assert second.tool_calls == []


async def test_approval_inside_a_helper() -> None:
    waiting = OpenAIAgentsAdapter(with_helper(careful(), "Mail ada."))
    [response] = await converse(waiting, "Go.")
    assert [(call.name, call.executed) for call in response.tool_calls] == [
        ("helper", True),
        ("send_email", False),
    ]
    agreed = OpenAIAgentsAdapter(with_helper(careful(), "Mail ada."), approve=lambda *_call: True)
    [response] = await converse(agreed, "Go.")
    assert [(call.name, call.executed) for call in response.tool_calls] == [
        ("helper", True),
        ("send_email", True),
    ]
