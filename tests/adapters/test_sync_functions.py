"""Sync agents overlap, see the context, can be cancelled, and do not disturb the session after them."""

import asyncio
import contextvars
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.adapters.conversation import History, calls_of, reply_to, say

from rampart.adapters import CallableAdapter, record_tools
from rampart.adapters.tool_warnings import LateToolCallWarning
from rampart.core.errors import InfrastructureError, partial_of
from rampart.core.types import Request

language: contextvars.ContextVar[str] = contextvars.ContextVar("language", default="none")


@record_tools
def note(text: str) -> str:
    return f"noted {text}"


async def test_as_many_run_at_once_as_sessions_are_open() -> None:
    everybody_is_in = threading.Barrier(200)

    def agent(prompt: str, history: History) -> str:
        everybody_is_in.wait(timeout=30)
        return prompt

    adapter = CallableAdapter(agent)
    replies = await asyncio.gather(*(reply_to(adapter, str(index)) for index in range(200)))
    assert [reply.text for reply in replies] == [str(index) for index in range(200)]


async def test_context_variables_are_seen_and_not_changed() -> None:
    def agent(prompt: str, history: History) -> str:
        seen = language.get()
        language.set("changed")
        return seen

    language.set("nl")
    assert (await reply_to(CallableAdapter(agent))).text == "nl"
    assert language.get() == "nl"


async def test_the_thread_has_one_context_and_follows_the_caller() -> None:
    own: contextvars.ContextVar[str] = contextvars.ContextVar("own", default="unset")

    def agent(prompt: str, history: History) -> str:
        seen = f"{language.get()} {own.get()}"
        own.set(prompt)
        return seen

    async with await CallableAdapter(agent).create_session_async() as session:
        replies = []
        for spoken in ("nl", "nl", "fr"):
            language.set(spoken)
            replies.append((await session.send_async(Request(prompt=f"after {spoken}"))).text)
    assert replies == ["nl unset", "nl after nl", "fr after nl"]
    assert own.get() == "unset"


async def test_a_manager_leaves_the_context_that_it_entered() -> None:
    @contextmanager
    def speaking_greek() -> Iterator[str]:
        token = language.set("el")
        yield "agent"
        language.reset(token)

    def agent(made: str, prompt: str, history: History) -> str:
        return language.get()

    language.set("nl")
    assert (await reply_to(CallableAdapter(agent, session_factory=speaking_greek))).text == "el"
    assert language.get() == "nl"


async def test_one_session_has_one_thread_and_each_session_another() -> None:
    def agent(prompt: str, history: History) -> str:
        return str(threading.get_ident())

    async def identities() -> set[str]:
        return {reply.text for reply in await say(CallableAdapter(agent), "one", "two", "three")}

    first, second = await asyncio.gather(identities(), identities())
    assert len(first) == len(second) == 1


async def test_nothing_in_thread_local_storage_reaches_the_next_session() -> None:
    storage = threading.local()

    def agent(prompt: str, history: History) -> str:
        storage.count = getattr(storage, "count", 0) + 1
        return str(storage.count)

    adapter = CallableAdapter(agent)
    assert [reply.text for reply in await say(adapter, "one", "two")] == ["1", "2"]
    assert [reply.text for reply in await say(adapter, "one")] == ["1"]


async def test_threads_end_with_their_sessions() -> None:
    before = set(threading.enumerate())
    await asyncio.gather(*(reply_to(CallableAdapter(lambda prompt, _history: prompt)) for _ in range(10)))
    for thread in set(threading.enumerate()) - before:
        if thread.name.startswith("rampart agent function"):
            await asyncio.to_thread(thread.join, 30)
            assert not thread.is_alive()


async def test_sessions_of_async_functions_need_no_thread() -> None:
    async def agent(prompt: str, history: History) -> str:
        return str(threading.active_count())

    before = threading.active_count()
    assert (await reply_to(CallableAdapter(agent))).text == str(before)


class Stuck:
    """A sync agent that notes something and then waits until it is told to go on."""

    def __init__(self) -> None:
        self.inside = threading.Event()
        self.go_on = threading.Event()
        self.done = threading.Event()

    def reply(self, prompt: str, history: History) -> str:
        if prompt != "hang":
            return "fine"
        note("before")
        self.inside.set()
        self.go_on.wait(timeout=30)
        note("after")
        self.done.set()
        return "too late"

    def finish(self) -> None:
        self.go_on.set()
        assert self.done.wait(30)


async def wait_for(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, 30)


async def test_cancelling_returns_at_once_and_carries_the_calls_so_far() -> None:
    agent = Stuck()
    session = await CallableAdapter(agent.reply).create_session_async()
    async with session:
        sending = asyncio.create_task(session.send_async(Request(prompt="hang")))
        await wait_for(agent.inside)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await sending
        assert not agent.done.is_set()
        partial = partial_of(caught.value)
        assert partial is not None
        assert calls_of(partial) == [("note", {"text": "before"})]
        with pytest.raises(RuntimeError, match="failed in an earlier turn"):
            await session.send_async(Request(prompt="again"))
    with pytest.warns(LateToolCallWarning, match="'note' of agent function 'Stuck.reply' was called after"):
        await asyncio.to_thread(agent.finish)


async def test_a_late_call_lands_in_no_other_session() -> None:
    agent = Stuck()
    adapter = CallableAdapter(agent.reply)
    with pytest.raises(TimeoutError):
        async with await adapter.create_session_async() as session, asyncio.timeout(0.05):
            await session.send_async(Request(prompt="hang"))
    async with await adapter.create_session_async() as other:
        await other.send_async(Request(prompt="hello"))
        with pytest.warns(LateToolCallWarning):
            await asyncio.to_thread(agent.finish)
        reply = await other.send_async(Request(prompt="hello again"))
        assert reply.tool_calls == []
        assert other.observability_profile == adapter.observability_profile


async def test_an_interrupt_raised_in_the_thread_is_one_here() -> None:
    def agent(prompt: str, history: History) -> str:
        raise pytest.skip.Exception("no key")

    with pytest.raises(pytest.skip.Exception, match="no key"):
        await reply_to(CallableAdapter(agent))


async def test_a_stray_stop_iteration_is_an_error_like_others() -> None:
    def agent(prompt: str, history: History) -> str:
        raise StopIteration

    with pytest.raises(InfrastructureError, match="StopIteration"):
        await reply_to(CallableAdapter(agent))


def test_a_hanging_agent_does_not_keep_the_process_alive() -> None:
    script = """
    import asyncio, threading
    from rampart import Request
    from rampart.adapters import CallableAdapter

    def agent(prompt, history):
        threading.Event().wait()

    async def main():
        async with await CallableAdapter(agent).create_session_async() as session:
            try:
                async with asyncio.timeout(0.1):
                    await session.send_async(Request(prompt="hang"))
            except TimeoutError:
                print("timed out")

    asyncio.run(main())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "timed out\n"
    assert done.stderr == ""


def test_a_call_that_outlives_its_loop_harms_nothing() -> None:
    agent = Stuck()

    async def main() -> None:
        async with await CallableAdapter(agent.reply).create_session_async() as session:
            async with asyncio.timeout(0.05):
                await session.send_async(Request(prompt="hang"))

    with pytest.raises(TimeoutError):
        asyncio.run(main())
    with pytest.warns(LateToolCallWarning):
        agent.finish()
