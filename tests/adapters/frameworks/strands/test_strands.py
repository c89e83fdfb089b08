"""What users of Strands meet: agents as tools, interrupts, cancelled and repeated calls, shared agents."""

from typing import Any

import pytest
from tests.adapters.frameworks.brain import TOOLS
from tests.adapters.frameworks.library import need

need("strands")

from strands import Agent, tool  # noqa: E402 - only where it is installed
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent  # noqa: E402 - likewise
from tests.adapters.frameworks.strands.brain_model import BrainModel  # noqa: E402 - likewise

from rampart import (  # noqa: E402 - below what may skip the file
    ConfigurationError,
    ObservabilityLevel,
    Request,
    Response,
)
from rampart.adapters import StrandsAdapter  # noqa: E402 - likewise

pytestmark = pytest.mark.framework

_TOOLS = [tool(function) for function in TOOLS]


def clerk(*, tools: Any = _TOOLS, model: type[BrainModel] = BrainModel, **options: Any) -> Agent:
    return Agent(model=model(), tools=tools, callback_handler=None, retry_strategy=None, **options)


async def answer(make: Any, prompt: str = "Mail ada.") -> Response:
    async with await StrandsAdapter(make).create_session_async() as session:
        return await session.send_async(Request(prompt=prompt))


def test_an_agent_object_is_refused() -> None:
    with pytest.raises(TypeError, match="sessions cannot share one; pass a function"):
        StrandsAdapter(clerk())


async def test_an_agent_of_an_earlier_session_is_refused() -> None:
    agent = clerk()
    adapter = StrandsAdapter(lambda: agent)
    async with await adapter.create_session_async():
        pass
    with pytest.raises(ConfigurationError, match="make a new one at each call"):
        async with await adapter.create_session_async():
            pass


async def test_a_call_that_a_hook_cancels_never_ran() -> None:
    def cancel(event: BeforeToolCallEvent) -> None:
        event.cancel_tool = "not allowed"

    [call] = (await answer(lambda: clerk(hooks=[cancel]))).tool_calls
    assert (call.name, call.executed, call.error) == ("send_email", False, "cancelled: not allowed")


async def test_a_call_that_a_hook_interrupts_is_not_said_to_have_run() -> None:
    def ask(event: BeforeToolCallEvent) -> None:
        event.interrupt("approval", reason="may I?")

    response = await answer(lambda: clerk(hooks=[ask]))
    [call] = response.tool_calls
    assert (call.name, call.executed) == ("send_email", None)
    assert (response.text, response.metadata) == (
        "",
        {"stop_reason": "interrupt", "interrupts": ["approval"]},
    )


async def test_a_call_that_a_hook_repeats_is_there_twice() -> None:
    done: list[str] = []

    def repeat(event: AfterToolCallEvent) -> None:
        done.append(event.tool_use["name"])
        event.retry = len(done) == 1

    calls = (await answer(lambda: clerk(hooks=[repeat]))).tool_calls
    assert [(call.name, call.executed) for call in calls] == [("send_email", True), ("send_email", True)]


async def test_arguments_that_a_hook_changes_are_those_that_count() -> None:
    def change(event: BeforeToolCallEvent) -> None:
        event.tool_use = {**event.tool_use, "input": {"to": "bob@example.com"}}

    [call] = (await answer(lambda: clerk(hooks=[change]))).tool_calls
    assert (call.arguments, call.result) == ({"to": "bob@example.com"}, "sent to bob@example.com")


async def test_a_tool_that_raises_what_strands_raises_for_bad_arguments_has_run() -> None:
    @tool  # type: ignore[untyped-decorator]  # untyped where development happens
    def send_email(to: str) -> str:
        """Send."""
        raise ValueError(f"Validation failed for input parameters: {to}")

    [call] = (await answer(lambda: clerk(tools=[send_email]))).tool_calls
    assert call.executed is True
    assert "ada@example.com" in (call.error or "")


async def test_calls_of_agents_used_as_tools_are_not_claimed_to_be_seen() -> None:
    async def level(*tools: Any) -> ObservabilityLevel:
        adapter = StrandsAdapter(lambda: clerk(tools=list(tools)))
        async with await adapter.create_session_async() as session:
            return session.observability_profile

    assert await level(clerk(name="helper").as_tool()) is ObservabilityLevel.RESPONSE_ONLY
    assert await level(*_TOOLS) is ObservabilityLevel.TOOL_ONLY


async def test_usage_that_a_model_does_not_count_is_unknown() -> None:
    class Uncounted(BrainModel):
        counts = False

    usage = (await answer(lambda: clerk(model=Uncounted))).usage
    assert usage is None or (usage.input_tokens, usage.output_tokens) == (None, None)
