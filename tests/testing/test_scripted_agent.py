"""The scripted agent says what it is told to, to whom it is told to."""

import asyncio
from typing import Any

import pytest

from rampart.core.adapter import AgentAdapter, Session
from rampart.core.manifest import AppManifest
from rampart.core.types import ObservabilityLevel, Payload, Request, Response, SideEffect, ToolCall, Turn
from rampart.testing import HANG, ScriptedAgent, ScriptExhaustedError


async def say(agent: ScriptedAgent, *prompts: str) -> list[Any]:
    async with await agent.create_session_async() as session:
        return [await session.send_async(Request(prompt=prompt)) for prompt in prompts]


def texts(responses: list[Any]) -> list[str]:
    return [response.text for response in responses]


def test_it_is_an_adapter_with_sessions() -> None:
    agent = ScriptedAgent(["a"])
    assert isinstance(agent, AgentAdapter)
    assert isinstance(asyncio.run(agent.create_session_async()), Session)


async def test_replies_come_in_order_within_a_session() -> None:
    agent = ScriptedAgent(["a", "b"])
    assert texts(await say(agent, "1", "2")) == ["a", "b"]
    assert agent.prompts == ["1", "2"]
    assert (agent.opened, agent.closed) == (1, 1)


async def test_s40_sessions_continue_one_script() -> None:
    agent = ScriptedAgent(["ok", "no", "ok"])
    replies = [texts(await say(agent, "x"))[0] for _ in range(3)]
    assert replies == ["ok", "no", "ok"]
    assert (agent.opened, agent.closed) == (3, 3)


async def test_sessions_of_several_turns_continue_one_script() -> None:
    agent = ScriptedAgent(["a", "b", "c", "d"])
    assert texts(await say(agent, "1", "2")) == ["a", "b"]
    assert texts(await say(agent, "3", "4")) == ["c", "d"]


@pytest.mark.parametrize("script", [["ok", "no", "ok", "no", "ok"], ["a", "b", "c", "d", "e"]], ids=" ".join)
async def test_s62_concurrent_sessions_get_items_in_the_order_of_opening(script: list[str]) -> None:
    agent = ScriptedAgent(script)
    everybody_is_in = asyncio.Barrier(5)

    async def trial(delay: int) -> str:
        async with await agent.create_session_async() as session:
            await everybody_is_in.wait()
            for _ in range(delay):
                await asyncio.sleep(0)
            return (await session.send_async(Request(prompt="same"))).text

    # The later a session opened, the earlier it sends.
    assert await asyncio.gather(*(trial(10 - 2 * index) for index in range(5))) == script


async def test_a_session_that_says_nothing_uses_nothing() -> None:
    agent = ScriptedAgent(["a", "b"])
    assert await say(agent) == []
    assert texts(await say(agent, "1", "2")) == ["a", "b"]


async def test_an_unused_place_goes_to_the_next_in_line() -> None:
    agent = ScriptedAgent(["a", "b", "c"])
    first = await agent.create_session_async()
    second = await agent.create_session_async()
    await first.__aenter__()
    await second.__aenter__()
    await first.__aexit__(None, None, None)
    assert (await second.send_async(Request(prompt="1"))).text == "b"
    assert (await second.send_async(Request(prompt="2"))).text == "a"
    assert (await second.send_async(Request(prompt="3"))).text == "c"
    await second.__aexit__(None, None, None)


async def test_per_session_starts_over() -> None:
    agent = ScriptedAgent(["a", "b"], per_session=True)
    assert texts(await say(agent, "1", "2")) == ["a", "b"]
    assert texts(await say(agent, "1")) == ["a"]


async def test_a_list_per_session() -> None:
    agent = ScriptedAgent([["a", "b"], ["c"]])
    assert texts(await say(agent, "1", "2")) == ["a", "b"]
    assert texts(await say(agent, "1")) == ["c"]
    with pytest.raises(ScriptExhaustedError):
        await say(agent, "1")


async def test_repeat_last_never_runs_out() -> None:
    agent = ScriptedAgent(["a", "b"], repeat_last=True)
    assert texts(await say(agent, "1", "2", "3")) == ["a", "b", "b"]
    assert texts(await say(agent, "4")) == ["b"]


async def test_a_script_that_runs_out_says_so() -> None:
    agent = ScriptedAgent(["a"])
    with pytest.raises(
        ScriptExhaustedError, match=r"only 1 item, .*prompt 'more' \(request 2\); .*repeat_last=True"
    ):
        await say(agent, "1", "more")
    assert agent.closed == 1


@pytest.mark.parametrize("repeat_last", [False, True])
async def test_an_empty_script_answers_nothing(repeat_last: bool) -> None:
    with pytest.raises(ScriptExhaustedError, match="only 0 items"):
        await say(ScriptedAgent([], repeat_last=repeat_last), "1")


@pytest.mark.parametrize("item", [ConnectionError("down"), ConnectionError], ids=["instance", "class"])
async def test_exceptions_are_raised(item: Any) -> None:
    agent = ScriptedAgent([item])
    with pytest.raises(ConnectionError):
        await say(agent, "1")
    assert (agent.opened, agent.closed) == (1, 1)


async def test_functions_see_the_request_and_the_history() -> None:
    seen: list[tuple[Request, list[Turn]]] = []

    def sync(request: Request, history: list[Turn]) -> str:
        seen.append((request, history))
        return f"heard {request.prompt}"

    async def deferred(request: Request, history: list[Turn]) -> Response:
        seen.append((request, history))
        return Response(text=history[-1].response.text.upper())

    agent = ScriptedAgent([sync, deferred])
    assert texts(await say(agent, "one", "two")) == ["heard one", "HEARD ONE"]
    assert [request.prompt for request, _ in seen] == ["one", "two"]
    assert [turn.request.prompt for turn in seen[1][1]] == ["one"]
    assert seen[0][1] == []


async def test_a_function_may_return_what_no_adapter_should() -> None:
    assert await say(ScriptedAgent([lambda _request, _history: None]), "1") == [None]


async def test_hang_waits_until_it_is_cancelled() -> None:
    agent = ScriptedAgent([HANG])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await say(agent, "1")
    assert (agent.opened, agent.closed) == (1, 1)


async def test_a_response_is_copied_each_time() -> None:
    original = Response(
        text="t",
        tool_calls=[ToolCall(name="send", arguments={"to": "x"})],
        side_effects=[SideEffect(kind="mail", details={"to": "x"})],
        metadata={"k": 1},
    )
    agent = ScriptedAgent([original], repeat_last=True)
    first, second = await say(agent, "1", "2")
    assert first == second == original
    first.tool_calls[0].arguments["to"] = "changed"
    first.side_effects.clear()
    first.metadata.clear()
    assert second == original
    assert original.tool_calls[0].arguments == {"to": "x"}


async def test_attachments_reach_the_record() -> None:
    agent = ScriptedAgent(["a"])
    payload = Payload(content="hidden", id="p1")
    async with await agent.create_session_async() as session:
        await session.send_async(Request(attachments=[payload]))
    assert agent.prompts == [None]
    assert agent.requests[0].attachments == [payload]


async def test_closing_twice_counts_once() -> None:
    agent = ScriptedAgent(["a"])
    session = await agent.create_session_async()
    async with session:
        pass
    await session.__aexit__(None, None, None)
    assert agent.closed == 1


async def test_leaving_a_session_that_was_never_entered_counts_nothing() -> None:
    agent = ScriptedAgent(["a"])
    await (await agent.create_session_async()).__aexit__(None, None, None)
    assert agent.closed == 0


@pytest.mark.parametrize("when", ["before", "after"])
async def test_only_an_open_session_answers(when: str) -> None:
    agent = ScriptedAgent(["a"])
    session = await agent.create_session_async()
    if when == "after":
        async with session:
            pass
    with pytest.raises(RuntimeError, match="is not open"):
        await session.send_async(Request(prompt="1"))
    assert agent.prompts == []


async def test_hooks_run_and_may_fail() -> None:
    steps: list[str] = []

    async def on_open() -> None:
        steps.append(f"open, {agent.opened} opened")

    def on_close() -> None:
        steps.append(f"close, {agent.closed} closed")
        raise OSError("stuck")

    agent = ScriptedAgent(["a"], on_open=on_open, on_close=on_close)
    with pytest.raises(OSError, match="stuck"):
        await say(agent, "1")
    assert steps == ["open, 0 opened", "close, 1 closed"]


async def test_a_session_that_could_not_open_is_not_counted() -> None:
    def on_open() -> None:
        raise PermissionError

    agent = ScriptedAgent(["a"], on_open=on_open)
    with pytest.raises(PermissionError):
        await say(agent, "1")
    assert (agent.opened, agent.closed) == (0, 0)


def test_what_it_declares() -> None:
    manifest = AppManifest(name="mail agent")
    agent = ScriptedAgent(
        [], level=ObservabilityLevel.TOOL_ONLY, manifest=manifest, max_concurrent_sessions=3
    )
    assert agent.observability_profile is ObservabilityLevel.TOOL_ONLY
    assert agent.manifest is manifest
    assert agent.max_concurrent_sessions == 3


def test_what_it_declares_by_default() -> None:
    agent = ScriptedAgent([])
    assert agent.observability_profile is ObservabilityLevel.TOOL_AND_SIDE_EFFECTS
    assert agent.manifest.tools == []
    assert agent.max_concurrent_sessions is None


@pytest.mark.parametrize(
    ("script", "message"),
    [
        pytest.param("abc", "script must be a list of replies, got str", id="text"),
        pytest.param(iter(["a"]), "must be a list of replies, got list_iterator", id="iterator"),
        pytest.param(["a", 3], r"script\[1\] must be .*, got int", id="number"),
        pytest.param([None], r"script\[0\] must be .*, got NoneType", id="none"),
        pytest.param(["a", ["b"]], r"script\[1\] must be .*, got list", id="mixed"),
        pytest.param([["a"], ["b", 3]], r"script\[1\]\[1\] must be .*, got int", id="nested"),
    ],
)
def test_wrong_scripts_are_refused(script: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        ScriptedAgent(script)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(TypeError, match="level must be an ObservabilityLevel, got str"):
        ScriptedAgent([], level="tool_only")  # type: ignore[arg-type]  # the refusal is under test
    with pytest.raises(TypeError, match="per session already"):
        ScriptedAgent([["a"]], per_session=True)
