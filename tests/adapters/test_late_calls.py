"""Calls outside of turns: between them, after the last, after the session."""

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from tests.adapters.conversation import History, calls_of, reply_to, say
from tests.adapters.spied_tools import RESPONSE_ONLY, TOOL_ONLY, in_own_thread, send, send_async

from rampart.adapters import CallableAdapter, record_tools
from rampart.adapters.callable_session import CallableSession
from rampart.adapters.tool_log import ToolLog
from rampart.adapters.tool_warnings import LateToolCallWarning, UnattributedToolCallWarning
from rampart.core.types import Request


class TestCallsBetweenTurns:
    async def test_they_are_part_of_the_next_turn(self) -> None:
        tasks: list[asyncio.Task[str]] = []

        async def agent(prompt: str, history: History) -> str:
            if prompt == "one":
                tasks.append(asyncio.create_task(send_async("in the background")))
            return ""

        async with await CallableAdapter(agent).create_session_async() as session:
            first = await session.send_async(Request(prompt="one"))
            assert session.observability_profile is TOOL_ONLY
            await asyncio.gather(*tasks)
            assert session.observability_profile is RESPONSE_ONLY  # a call that no turn has reported
            second = await session.send_async(Request(prompt="two"))
            assert session.observability_profile is TOOL_ONLY
        assert first.tool_calls == []
        assert calls_of(second) == [("send_async", {"to": "in the background"})]

    async def test_after_the_last_turn_they_are_missing_and_it_says_so(self) -> None:
        tasks: list[asyncio.Task[str]] = []

        async def agent(prompt: str, history: History) -> str:
            tasks.append(asyncio.create_task(send_async("late")))
            return ""

        async def trial() -> None:
            async with await CallableAdapter(agent).create_session_async() as session:
                await session.send_async(Request(prompt="one"))
                await asyncio.gather(*tasks)
                assert session.observability_profile is RESPONSE_ONLY

        with pytest.warns(
            LateToolCallWarning, match="'send_async' of agent function 'agent' was called after"
        ):
            await trial()

    async def test_during_the_start_they_are_part_of_the_first_turn(self) -> None:
        def factory() -> Callable[[str, History], str]:
            send("at the start")
            return lambda prompt, _history: prompt

        replies = await say(CallableAdapter(session_factory=factory), "one", "two")
        assert [calls_of(reply) for reply in replies] == [[("send", {"to": "at the start"})], []]

    async def test_during_the_release_they_are_late(self) -> None:
        class Agent:
            async def reply(self, prompt: str, history: History) -> str:
                return ""

            async def aclose(self) -> None:
                await send_async("late")

        adapter = CallableAdapter(Agent.reply, session_factory=Agent, observability=TOOL_ONLY)
        async with await adapter.create_session_async() as other:
            with pytest.warns(LateToolCallWarning):
                await reply_to(adapter)
            assert other.observability_profile is TOOL_ONLY


class TestLateCalls:
    async def test_a_task_that_outlives_its_session_is_in_no_other(self) -> None:
        """It may be a straggler or a worker that serves all sessions: nobody can tell."""
        go_on = asyncio.Event()
        tasks: list[asyncio.Task[None]] = []

        async def straggler() -> None:
            await go_on.wait()
            send("late")

        async def agent(prompt: str, history: History) -> str:
            if prompt == "start":
                tasks.append(asyncio.create_task(straggler()))
            return ""

        adapter = CallableAdapter(agent, observability=TOOL_ONLY)
        await reply_to(adapter, "start")
        async with await adapter.create_session_async() as session:
            go_on.set()
            with pytest.warns(UnattributedToolCallWarning):
                await asyncio.gather(*tasks)
            reply = await session.send_async(Request(prompt="hello"))
            assert reply.tool_calls == []
            assert session.observability_profile is RESPONSE_ONLY

    async def test_a_task_that_outlives_all_sessions_is_warned_of_once(self) -> None:
        tasks: list[asyncio.Task[None]] = []

        async def straggler() -> None:
            for _ in range(3):
                await asyncio.sleep(0.01)
                send("late")

        async def agent(prompt: str, history: History) -> str:
            tasks.append(asyncio.create_task(straggler()))
            return ""

        await reply_to(CallableAdapter(agent))
        with pytest.warns(LateToolCallWarning) as caught:
            await asyncio.gather(*tasks)
        assert len(caught) == 1


@contextmanager
def opened(*logs: ToolLog) -> Iterator[None]:
    for log in logs:
        log.open()
    try:
        yield
    finally:
        for log in logs:
            log.close()


class TestToolLog:
    """A log is all that an adapter of one's own needs."""

    def test_what_it_takes_is_handed_over_once(self) -> None:
        log = ToolLog()
        with opened(log), log.recording():
            send("x")
            assert [call.arguments for call in log.peek()] == [{"to": "x"}]
            assert [call.arguments for call in log.take()] == [{"to": "x"}]
            assert log.take() == log.peek() == []

    def test_a_log_stands_in_for_a_session(self) -> None:
        first, second = ToolLog(), ToolLog()
        with opened(first, second):
            record_tools(send, session=second)("x")
            assert (first.has_pending, second.has_pending) == (False, True)

    def test_closing_twice_changes_nothing(self) -> None:
        log = ToolLog()
        with opened(log):
            pass
        log.close()
        assert not log.is_open


async def test_a_session_that_nobody_left_does_not_count_for_ever() -> None:
    async def agent(prompt: str, history: History) -> str:
        in_own_thread(lambda: send(prompt))
        return ""

    adapter = CallableAdapter(agent)
    forgotten = await adapter.create_session_async()
    await forgotten.__aenter__()
    del forgotten
    gc.collect()
    assert calls_of(await reply_to(adapter, "x")) == [("send", {"to": "x"})]


async def test_a_session_hands_out_its_log() -> None:
    session = await CallableAdapter(lambda prompt, _history: prompt).create_session_async()
    assert isinstance(session, CallableSession)
    assert isinstance(session.tool_log, ToolLog)
