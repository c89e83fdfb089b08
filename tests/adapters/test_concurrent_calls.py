"""A tool call is in the record of the session that made it, or in none."""

import asyncio
import contextvars
import logging
import threading
import warnings
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import anyio
import anyio.to_thread
import pytest
from tests.adapters.conversation import History, calls_of, reply_to
from tests.adapters.spied_tools import RESPONSE_ONLY, TOOL_ONLY, Work, in_own_thread, send, send_async

from rampart.adapters import CallableAdapter
from rampart.adapters.tool_warnings import UnattributedToolCallWarning
from rampart.core.types import ObservabilityLevel, Request


async def directly(to: str) -> None:
    send(to)


async def awaited(to: str) -> None:
    await send_async(to)


async def in_task(to: str) -> None:
    await asyncio.create_task(send_async(to))


async def in_task_group(to: str) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(send_async, to)


async def in_asyncio_thread(to: str) -> None:
    await asyncio.to_thread(send, to)


async def in_anyio_thread(to: str) -> None:
    await anyio.to_thread.run_sync(send, to)


async def in_task_in_thread(to: str) -> None:
    await asyncio.to_thread(lambda: asyncio.run(send_async(to)))


async def in_thread_with_context(to: str) -> None:
    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(send, to))
    thread.start()
    await asyncio.to_thread(thread.join)


WORK = [directly, awaited, in_task, in_task_group, in_asyncio_thread, in_anyio_thread, in_task_in_thread]


def all_at_once(count: int) -> Callable[[Work], CallableAdapter]:
    """An adapter whose sessions wait for each other in the middle of their turns."""

    def adapter(work: Work) -> CallableAdapter:
        everybody_is_in = asyncio.Barrier(count)

        async def agent(prompt: str, history: History) -> str:
            await everybody_is_in.wait()
            for part in ("first", "second"):
                await work(f"{prompt} {part}")
                await asyncio.sleep(0)
            return ""

        return CallableAdapter(agent)

    return adapter


class TestConcurrentSessions:
    @pytest.mark.parametrize("work", [*WORK, in_thread_with_context], ids=lambda work: work.__name__)
    async def test_calls_stay_with_their_session(self, work: Work) -> None:
        adapter = all_at_once(20)(work)
        replies = await asyncio.gather(*(reply_to(adapter, str(index)) for index in range(20)))
        name = (
            "send"
            if work in {directly, in_asyncio_thread, in_anyio_thread, in_thread_with_context}
            else "send_async"
        )
        for index, reply in enumerate(replies):
            assert calls_of(reply) == [(name, {"to": f"{index} {part}"}) for part in ("first", "second")]

    async def test_calls_of_sync_agents_stay_with_their_session(self) -> None:
        everybody_is_in = threading.Barrier(20)

        def agent(prompt: str, history: History) -> str:
            everybody_is_in.wait(30)
            send(prompt)
            everybody_is_in.wait(30)
            return send(prompt)

        adapter = CallableAdapter(agent)
        replies = await asyncio.gather(*(reply_to(adapter, str(index)) for index in range(20)))
        for index, reply in enumerate(replies):
            assert calls_of(reply) == [("send", {"to": str(index)})] * 2

    async def test_sessions_of_two_adapters(self) -> None:
        both_are_in = asyncio.Barrier(2)

        def agent_of(mark: str) -> Any:
            async def agent(prompt: str, history: History) -> str:
                await both_are_in.wait()
                send(mark)
                await both_are_in.wait()
                return ""

            return agent

        replies = await asyncio.gather(*(reply_to(CallableAdapter(agent_of(mark))) for mark in "ab"))
        assert [calls_of(reply) for reply in replies] == [[("send", {"to": mark})] for mark in "ab"]

    async def test_a_session_within_a_session_has_its_own_calls(self) -> None:
        async def helper(prompt: str, history: History) -> str:
            send("inner")
            return ""

        async def agent(prompt: str, history: History) -> str:
            send("before")
            inner = await reply_to(CallableAdapter(helper))
            send("after")
            return repr(calls_of(inner))

        reply = await reply_to(CallableAdapter(agent))
        assert calls_of(reply) == [("send", {"to": "before"}), ("send", {"to": "after"})]
        assert reply.text == "[('send', {'to': 'inner'})]"


class TestThreadsWithoutContext:
    async def test_the_only_session_that_is_open_made_the_call(self) -> None:
        async def agent(prompt: str, history: History) -> str:
            in_own_thread(lambda: send(prompt))
            return ""

        adapter = CallableAdapter(agent)
        async with await adapter.create_session_async() as session:
            reply = await session.send_async(Request(prompt="x"))
            assert calls_of(reply) == [("send", {"to": "x"})]
            assert session.observability_profile is TOOL_ONLY

    async def test_among_several_it_is_recorded_nowhere_and_all_say_so(self) -> None:
        async def agent(prompt: str, history: History) -> str:
            if prompt == "hidden":
                in_own_thread(lambda: send(prompt))
            return ""

        adapter = CallableAdapter(agent)
        later = await adapter.create_session_async()
        async with AsyncExitStack() as stack:
            sessions = [
                await stack.enter_async_context(await adapter.create_session_async()) for _ in range(3)
            ]
            assert [session.observability_profile for session in sessions] == [TOOL_ONLY] * 3
            with pytest.warns(UnattributedToolCallWarning) as caught:
                replies = [await sessions[0].send_async(Request(prompt="hidden")) for _ in range(2)]
            (warning,) = caught  # one, although it happened twice
            assert "tool 'send'" in str(warning.message)
            assert "3 sessions were open" in str(warning.message)
            assert [reply.tool_calls for reply in replies] == [[], []]
            assert [session.observability_profile for session in sessions] == [RESPONSE_ONLY] * 3
            await stack.enter_async_context(later)
            assert later.observability_profile is TOOL_ONLY
        assert adapter.observability_profile is TOOL_ONLY
        async with await adapter.create_session_async() as session:
            assert session.observability_profile is TOOL_ONLY

    async def test_a_declared_level_is_lowered_too(self) -> None:
        async def agent(prompt: str, history: History) -> str:
            in_own_thread(lambda: send(prompt))
            return ""

        adapter = CallableAdapter(agent, observability=ObservabilityLevel.TOOL_AND_SIDE_EFFECTS)
        async with (
            await adapter.create_session_async() as session,
            await adapter.create_session_async() as other,
        ):
            with pytest.warns(UnattributedToolCallWarning):
                await session.send_async(Request(prompt="x"))
            assert session.observability_profile is other.observability_profile is RESPONSE_ONLY

    async def test_warnings_as_errors_do_not_reach_the_agent(self, caplog: pytest.LogCaptureFixture) -> None:
        async def agent(prompt: str, history: History) -> str:
            results: list[str] = []
            in_own_thread(lambda: results.append(send(prompt)))
            return results[0]

        adapter = CallableAdapter(agent)
        with warnings.catch_warnings(), caplog.at_level(logging.WARNING, logger="rampart"):
            warnings.simplefilter("error")
            async with await adapter.create_session_async() as session, await adapter.create_session_async():
                reply = await session.send_async(Request(prompt="x"))
                assert reply.text == "sent to x"
                assert session.observability_profile is RESPONSE_ONLY
        assert "tool 'send' was called where nothing tells its session" in caplog.text

    async def test_outside_of_all_sessions_nothing_is_recorded(self) -> None:
        in_own_thread(lambda: send("x"))
        assert (await reply_to(CallableAdapter(lambda prompt, _history: prompt))).tool_calls == []
