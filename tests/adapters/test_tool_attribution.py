"""A tool call is in the record of the session that made it, or in none."""

import asyncio
import contextvars
import logging
import threading
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

import anyio
import anyio.to_thread
import pytest
from tests.adapters.conversation import calls_of, reply_to, say

from rampart.adapters import CallableAdapter, record_tools
from rampart.adapters.callable_session import CallableSession
from rampart.adapters.tool_log import LateToolCallWarning, ToolLog, UnattributedToolCallWarning
from rampart.core.types import ObservabilityLevel, Request

History = list[dict[str, str]]
Work = Callable[[str], Awaitable[None]]
RESPONSE_ONLY, TOOL_ONLY = ObservabilityLevel.RESPONSE_ONLY, ObservabilityLevel.TOOL_ONLY


@record_tools
def send(to: str) -> str:
    return f"sent to {to}"


@record_tools
async def send_async(to: str) -> str:
    await asyncio.sleep(0)
    return f"sent to {to}"


def in_own_thread(work: Callable[[], object]) -> None:
    """Run `work` in a thread that knows nothing of the session, as an agent might."""
    thread = threading.Thread(target=contextvars.Context().run, args=(work,))
    thread.start()
    thread.join()


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


def own_tools() -> Callable[[str, History], str]:
    """An agent that has tools of its own and calls them in threads that know nothing."""

    def note(text: str) -> str:
        return f"noted {text}"

    tool = record_tools(note)

    def agent(prompt: str, history: History) -> str:
        results: list[str] = []
        in_own_thread(lambda: results.append(tool(prompt)))
        return results[0]

    return agent


class TestToolsOfASession:
    async def test_tools_made_by_the_factory_belong_to_its_session(self) -> None:
        adapter = CallableAdapter(session_factory=own_tools)
        everybody_is_in = asyncio.Barrier(20)

        async def trial(index: int) -> None:
            async with await adapter.create_session_async() as session:
                await everybody_is_in.wait()
                for prompt in (f"{index} one", f"{index} two"):
                    reply = await session.send_async(Request(prompt=prompt))
                    assert calls_of(reply) == [("note", {"text": prompt})]
                    assert session.observability_profile is TOOL_ONLY
                await everybody_is_in.wait()

        await asyncio.gather(*map(trial, range(20)))

    async def test_tools_recorded_again_by_the_factory_belong_to_its_session(self) -> None:
        def factory() -> Callable[[str, History], str]:
            (tool,) = record_tools([send])

            def agent(prompt: str, history: History) -> str:
                in_own_thread(lambda: tool(prompt))
                return ""

            return agent

        adapter = CallableAdapter(session_factory=factory)
        async with (
            await adapter.create_session_async() as first,
            await adapter.create_session_async() as second,
        ):
            assert calls_of(await first.send_async(Request(prompt="a"))) == [("send", {"to": "a"})]
            assert calls_of(await second.send_async(Request(prompt="b"))) == [("send", {"to": "b"})]

    async def test_tools_bound_to_a_session(self) -> None:
        tools: dict[str, Callable[[str], str]] = {}

        def agent(prompt: str, history: History) -> str:
            in_own_thread(lambda: tools[prompt]("x"))
            return ""

        adapter = CallableAdapter(agent)
        async with (
            await adapter.create_session_async() as first,
            await adapter.create_session_async() as second,
        ):
            tools |= {
                "first": record_tools(send, session=first),
                "second": record_tools(send, session=second),
            }
            assert calls_of(await first.send_async(Request(prompt="first"))) == [("send", {"to": "x"})]
            assert first.observability_profile is TOOL_ONLY
            # A binding counts for more than the context.
            assert (await second.send_async(Request(prompt="first"))).tool_calls == []
            assert calls_of(await first.send_async(Request(prompt="nothing" and "first"))) == [
                ("send", {"to": "x"}),
                ("send", {"to": "x"}),
            ]
        with pytest.warns(LateToolCallWarning):
            tools["first"]("too late")

    async def test_a_tool_of_another_open_session_is_nobodys(self) -> None:
        """Whether the tool or the context is right, nobody can tell."""
        borrowed: list[Callable[[str], str]] = []

        def factory() -> Any:
            borrowed.append(record_tools(lambda text: text, name="note"))

            async def agent(prompt: str, history: History) -> str:
                return borrowed[0](prompt)

            return agent

        adapter = CallableAdapter(session_factory=factory)
        async with (
            await adapter.create_session_async() as first,
            await adapter.create_session_async() as second,
        ):
            with pytest.warns(UnattributedToolCallWarning):
                reply = await second.send_async(Request(prompt="x"))
            assert reply.tool_calls == []
            assert first.observability_profile is second.observability_profile is RESPONSE_ONLY

    async def test_in_the_sessions_own_thread_there_is_no_doubt(self) -> None:
        borrowed: list[Callable[[str], str]] = []

        def factory() -> Callable[[str, History], str]:
            borrowed.append(record_tools(lambda text: text, name="note"))
            return lambda prompt, _history: borrowed[0](prompt)

        adapter = CallableAdapter(session_factory=factory)
        async with await adapter.create_session_async(), await adapter.create_session_async() as second:
            assert calls_of(await second.send_async(Request(prompt="x"))) == [("note", {"text": "x"})]

    async def test_tools_recorded_in_a_turn_belong_to_all(self) -> None:
        """An agent that is built by its first turn and kept serves every session."""
        kept: list[Callable[[str], str]] = []

        async def agent(prompt: str, history: History) -> str:
            if not kept:
                kept.append(record_tools(lambda text: text, name="note"))
            return kept[0](prompt)

        adapter = CallableAdapter(agent)
        async with (
            await adapter.create_session_async() as first,
            await adapter.create_session_async() as second,
        ):
            for session in (first, second):
                assert calls_of(await session.send_async(Request(prompt="x"))) == [("note", {"text": "x"})]
                assert session.observability_profile is TOOL_ONLY

    async def test_a_tool_of_a_closed_session_follows_the_context(self) -> None:
        kept: list[Callable[[str], str]] = []

        def factory() -> Callable[[str, History], str]:
            if not kept:
                kept.append(record_tools(lambda text: text, name="note"))
            return lambda prompt, _history: kept[0](prompt)

        adapter = CallableAdapter(session_factory=factory)
        for prompt in ("one", "two"):
            assert calls_of(await reply_to(adapter, prompt)) == [("note", {"text": prompt})]

    async def test_a_tool_of_a_closed_session_without_context_is_nobodys(self) -> None:
        kept: list[Callable[[str], str]] = []

        def factory() -> Callable[[str, History], str]:
            if not kept:
                kept.append(record_tools(lambda text: text, name="note"))

            def agent(prompt: str, history: History) -> str:
                in_own_thread(lambda: kept[0](prompt))
                return ""

            return agent

        adapter = CallableAdapter(session_factory=factory)
        assert calls_of(await reply_to(adapter, "one")) == [("note", {"text": "one"})]
        async with await adapter.create_session_async() as session:
            with pytest.warns(UnattributedToolCallWarning, match="1 session was open"):
                reply = await session.send_async(Request(prompt="two"))
            assert reply.tool_calls == []
            assert session.observability_profile is RESPONSE_ONLY

    async def test_a_module_that_a_session_imports_first_serves_all(
        self, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "tools_imported_late.py").write_text(
            "from rampart.adapters import record_tools\n\n@record_tools\ndef note(text):\n    return text\n"
        )
        monkeypatch.syspath_prepend(tmp_path)

        def factory() -> Any:
            from tools_imported_late import note  # type: ignore[import-not-found]  # written above

            async def agent(prompt: str, history: History) -> str:
                in_own_thread(lambda: note(prompt))
                return ""

            return agent

        adapter = CallableAdapter(session_factory=factory)
        for prompt in ("one", "two"):
            assert calls_of(await reply_to(adapter, prompt)) == [("note", {"text": prompt})]


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

        adapter = CallableAdapter(Agent.reply, session_factory=Agent)
        async with await adapter.create_session_async() as other:
            with pytest.warns(LateToolCallWarning):
                await reply_to(adapter)
            assert other.observability_profile is not RESPONSE_ONLY


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


async def test_a_session_hands_out_its_log() -> None:
    session = await CallableAdapter(lambda prompt, _history: prompt).create_session_async()
    assert isinstance(session, CallableSession)
    assert isinstance(session.tool_log, ToolLog)
