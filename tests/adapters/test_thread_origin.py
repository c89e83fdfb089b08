"""A call in a thread without context is credited only where one session alone can have begun the thread."""

import _thread
import asyncio
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue

import pytest
from tests.adapters.conversation import History, calls_of, reply_to
from tests.adapters.spied_tools import RESPONSE_ONLY, TOOL_ONLY, in_own_thread, send

from rampart.adapters import CallableAdapter, record_tools
from rampart.adapters.callable_session import CallableSession
from rampart.adapters.tool_log import ToolLog
from rampart.adapters.tool_warnings import LateToolCallWarning, UnattributedToolCallWarning
from rampart.core.types import Request

SENT_X = [("send", {"to": "x"})]


class Worker:
    """A thread that does what it is given, and has no context."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._done: SimpleQueue[None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def do(self, job: Callable[[], object]) -> None:
        self._jobs.put(job)
        self._done.get(timeout=30)

    def stop(self) -> None:
        self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
            self._done.put(None)


@contextmanager
def workers() -> Iterator[list[Worker]]:
    made: list[Worker] = []
    yield made
    for worker in made:
        worker.stop()


def sends_x() -> str:
    return send("x")


async def talks(prompt: str, history: History) -> str:
    return ""


TALKER = CallableAdapter(talks, observability=TOOL_ONLY)


async def assert_unattributed(session: CallableSession, call: Callable[[], object]) -> None:
    with pytest.warns(UnattributedToolCallWarning, match="'send' was called where nothing tells"):
        call()
    assert session.observability_profile is RESPONSE_ONLY
    assert (await session.send_async(Request(prompt="and then?"))).tool_calls == []


class TestThreadsThatWereThereBefore:
    async def test_of_an_earlier_session(self) -> None:
        with workers() as made:

            async def first(prompt: str, history: History) -> str:
                made.append(Worker())
                return ""

            await reply_to(CallableAdapter(first))
            async with await TALKER.create_session_async() as session:
                await assert_unattributed(session, lambda: made[0].do(sends_x))

    async def test_while_the_later_session_is_answering(self) -> None:
        with workers() as made:

            async def agent(prompt: str, history: History) -> str:
                if not made:
                    made.append(Worker())
                elif prompt == "call":
                    made[0].do(sends_x)
                return ""

            adapter = CallableAdapter(agent, observability=TOOL_ONLY)
            await reply_to(adapter, "start")
            async with await adapter.create_session_async() as session:
                with pytest.warns(UnattributedToolCallWarning):
                    reply = await session.send_async(Request(prompt="call"))
                assert reply.tool_calls == []
                assert session.observability_profile is RESPONSE_ONLY

    async def test_of_another_session_that_was_open_meanwhile(self) -> None:
        with workers() as made:

            async def starter(prompt: str, history: History) -> str:
                made.append(Worker())
                return ""

            async with await TALKER.create_session_async() as session:
                await reply_to(CallableAdapter(starter))
                await assert_unattributed(session, lambda: made[0].do(sends_x))

    async def test_of_its_own_once_another_session_may_have_used_it(self) -> None:
        with workers() as made:

            async def agent(prompt: str, history: History) -> str:
                if not made:
                    made.append(Worker())
                return ""

            async with await CallableAdapter(
                agent, observability=TOOL_ONLY
            ).create_session_async() as session:
                await session.send_async(Request(prompt="start"))
                await reply_to(TALKER)
                await assert_unattributed(session, lambda: made[0].do(sends_x))

    async def test_that_nobody_saw_begin(self) -> None:
        done: SimpleQueue[str] = SimpleQueue()

        async def agent(prompt: str, history: History) -> str:
            if prompt == "call":
                _thread.start_new_thread(lambda: done.put(send("x")), ())
                done.get(timeout=30)
            return ""

        async with await CallableAdapter(agent, observability=TOOL_ONLY).create_session_async() as session:
            with pytest.warns(UnattributedToolCallWarning):
                reply = await session.send_async(Request(prompt="call"))
            assert reply.tool_calls == []


class TestThreadsOfTheSession:
    async def test_begun_in_one_turn_and_used_in_the_next(self) -> None:
        with ThreadPoolExecutor(1) as pool:

            async def agent(prompt: str, history: History) -> str:
                return pool.submit(sends_x).result()

            async with await CallableAdapter(agent).create_session_async() as session:
                for prompt in ("one", "two"):
                    assert calls_of(await session.send_async(Request(prompt=prompt))) == SENT_X
                assert session.observability_profile is TOOL_ONLY

    async def test_used_between_turns(self) -> None:
        with workers() as made:

            async def agent(prompt: str, history: History) -> str:
                if not made:
                    made.append(Worker())
                return ""

            async with await CallableAdapter(
                agent, observability=TOOL_ONLY
            ).create_session_async() as session:
                await session.send_async(Request(prompt="start"))
                made[0].do(sends_x)
                assert session.observability_profile is RESPONSE_ONLY
                assert calls_of(await session.send_async(Request(prompt="next"))) == SENT_X
                assert session.observability_profile is TOOL_ONLY

    async def test_begun_by_the_factory(self) -> None:
        with workers() as made:

            def factory() -> Callable[[str, History], str]:
                made.append(Worker())

                def agent(prompt: str, history: History) -> str:
                    made[-1].do(sends_x)
                    return ""

                return agent

            adapter = CallableAdapter(session_factory=factory)
            for prompt in ("one", "two"):
                assert calls_of(await reply_to(adapter, prompt)) == SENT_X

    async def test_begun_after_the_other_session_was_left(self) -> None:
        other_is_gone = asyncio.Event()

        async def agent(prompt: str, history: History) -> str:
            await other_is_gone.wait()
            in_own_thread(sends_x)
            return ""

        async with await CallableAdapter(agent).create_session_async() as session:
            async with await TALKER.create_session_async():
                sending = asyncio.create_task(session.send_async(Request(prompt="x")))
                await asyncio.sleep(0)
            other_is_gone.set()
            assert calls_of(await sending) == SENT_X
            assert session.observability_profile is TOOL_ONLY

    async def test_begun_while_the_other_session_was_open(self) -> None:
        with workers() as made:
            inside, other_is_gone = asyncio.Event(), asyncio.Event()

            async def agent(prompt: str, history: History) -> str:
                made.append(Worker())
                inside.set()
                await other_is_gone.wait()
                made[0].do(sends_x)
                return ""

            adapter = CallableAdapter(agent, observability=TOOL_ONLY)
            async with await adapter.create_session_async() as session:
                async with await TALKER.create_session_async():
                    sending = asyncio.create_task(session.send_async(Request(prompt="x")))
                    await inside.wait()
                other_is_gone.set()
                with pytest.warns(UnattributedToolCallWarning):
                    assert (await sending).tool_calls == []


class TestCallsByTheTest:
    """Outside of `send_async` it is the test, an evaluator or a driver that calls."""

    async def test_a_tool_of_all(self) -> None:
        async with await TALKER.create_session_async() as session:
            await session.send_async(Request(prompt="hello"))
            await assert_unattributed(session, sends_x)

    async def test_a_tool_of_all_in_a_thread(self) -> None:
        async with await TALKER.create_session_async() as session:
            await session.send_async(Request(prompt="hello"))
            await assert_unattributed(session, lambda: in_own_thread(sends_x))

    async def test_a_tool_of_the_session(self) -> None:
        tools: list[Callable[[str], str]] = []

        def factory() -> Callable[[str, History], str]:
            tools.append(record_tools(send.__wrapped__))  # type: ignore[attr-defined]  # set by functools
            return lambda prompt, _history: tools[0](prompt) if prompt == "call" else ""

        async with await CallableAdapter(session_factory=factory).create_session_async() as session:
            assert calls_of(await session.send_async(Request(prompt="call"))) == [("send", {"to": "call"})]
            await assert_unattributed(session, lambda: tools[0]("x"))

    async def test_the_function_that_was_recorded_is_nobodys_business(self) -> None:
        async with await TALKER.create_session_async() as session:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert send.__wrapped__("x") == "sent to x"  # type: ignore[attr-defined]  # set by functools
            assert session.observability_profile is TOOL_ONLY


async def test_a_late_call_lowers_the_level_for_good() -> None:
    log = ToolLog()
    log.open()
    tool = record_tools(send.__wrapped__, session=log)  # type: ignore[attr-defined]  # set by functools
    log.close()
    assert log.reports_all
    with pytest.warns(LateToolCallWarning):
        tool("x")
    assert not log.reports_all
