"""Each session gets what it needs, made for it and released with it."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Self

import pytest
from tests.adapters.conversation import reply_to, say

from rampart.adapters import CallableAdapter
from rampart.core.errors import InfrastructureError
from rampart.core.types import Request

History = list[dict[str, str]]


class Agent:
    """Counts what it is asked."""

    made = 0

    def __init__(self) -> None:
        Agent.made += 1
        self.asked = 0

    def reply(self, prompt: str, history: History) -> str:
        self.asked += 1
        return str(self.asked)

    async def reply_async(self, prompt: str, history: History) -> str:
        return self.reply(prompt, history)

    __call__ = reply


async def make_agent_async() -> Agent:
    await asyncio.sleep(0)
    return Agent()


class TestWhatTheFactoryMakes:
    @pytest.mark.parametrize(
        "adapter",
        [
            pytest.param(
                lambda: CallableAdapter(Agent.reply, session_factory=Agent), id="method-of-what-is-made"
            ),
            pytest.param(
                lambda: CallableAdapter(Agent.reply_async, session_factory=Agent), id="async-method"
            ),
            pytest.param(lambda: CallableAdapter(session_factory=Agent), id="makes-the-function"),
            pytest.param(lambda: CallableAdapter(session_factory=lambda: Agent().reply), id="makes-a-method"),
            pytest.param(
                lambda: CallableAdapter(session_factory=lambda: Agent().reply_async),
                id="makes-an-async-method",
            ),
            pytest.param(
                lambda: CallableAdapter(Agent.reply, session_factory=make_agent_async), id="async-factory"
            ),
            pytest.param(
                lambda: CallableAdapter(session_factory=make_agent_async), id="async-factory-of-the-function"
            ),
            pytest.param(
                lambda: CallableAdapter(session_factory=lambda: make_agent_async()), id="gives-a-coroutine"
            ),
            pytest.param(
                lambda: CallableAdapter(
                    lambda made, prompt, history: made.reply(prompt, history), session_factory=Agent
                ),
                id="function-of-three",
            ),
        ],
    )
    async def test_every_session_has_its_own(self, adapter: Callable[[], CallableAdapter]) -> None:
        made_before = Agent.made
        subject = adapter()
        assert Agent.made == made_before
        assert [reply.text for reply in await say(subject, "one", "two")] == ["1", "2"]
        assert [reply.text for reply in await say(subject, "one")] == ["1"]
        assert Agent.made == made_before + 2

    async def test_concurrent_sessions_have_their_own(self) -> None:
        adapter = CallableAdapter(Agent.reply, session_factory=Agent)
        replies = await asyncio.gather(*(say(adapter, "one", "two", "three") for _ in range(20)))
        assert {tuple(reply.text for reply in session) for session in replies} == {("1", "2", "3")}

    async def test_a_sync_agent_lives_in_one_thread(self) -> None:
        def ask(database: sqlite3.Connection, prompt: str, history: History) -> str:
            return str(database.execute("select 7").fetchone()[0])

        adapter = CallableAdapter(ask, session_factory=lambda: sqlite3.connect(":memory:"))
        assert (await reply_to(adapter)).text == "7"

    async def test_a_sync_factory_of_an_async_function_runs_on_the_loop(self) -> None:
        async def ask(loop: int, prompt: str, history: History) -> str:
            return str(loop == id(asyncio.get_running_loop()))

        adapter = CallableAdapter(ask, session_factory=lambda: id(asyncio.get_running_loop()))
        assert (await reply_to(adapter)).text == "True"

    async def test_attachments_reach_a_function_with_a_factory(self) -> None:
        from rampart.core.types import Payload

        def ask(agent: Agent, prompt: str, history: History, attachments: list[Payload]) -> str:
            return attachments[0].content

        async with await CallableAdapter(ask, session_factory=Agent).create_session_async() as session:
            request = Request(attachments=[Payload(content="hidden")])
            assert (await session.send_async(request)).text == "hidden"


def needs_an_argument(model: str) -> Agent:
    return Agent()


def yields() -> Iterator[Agent]:
    yield Agent()


async def yields_async() -> AsyncIterator[Agent]:
    yield Agent()


class TestRefusals:
    @pytest.mark.parametrize(
        ("factory", "message"),
        [
            pytest.param(
                needs_an_argument, r"'needs_an_argument' is called without arguments.*'model'", id="argument"
            ),
            pytest.param(yields, "'yields' yields; decorate it with contextlib", id="generator"),
            pytest.param(yields_async, "'yields_async' yields; decorate it", id="async-generator"),
            pytest.param("Agent", "session_factory must be callable, got str", id="text"),
        ],
    )
    def test_wrong_factories(self, factory: Any, message: str) -> None:
        with pytest.raises(TypeError, match=message):
            CallableAdapter(session_factory=factory)

    def test_a_function_needs_room_for_what_is_made(self) -> None:
        with pytest.raises(TypeError, match=r"must accept \(made, prompt, history\)"):
            CallableAdapter(lambda prompt, history: "", session_factory=Agent)

    async def test_what_is_made_must_be_a_function_if_there_is_none(self) -> None:
        released: list[str] = []

        class Closing:
            def close(self) -> None:
                released.append("closed")

        adapter = CallableAdapter(session_factory=Closing)
        with pytest.raises(
            TypeError, match=r"agent function made by session_factory '.*Closing' must be callable, got"
        ):
            await reply_to(adapter)
        assert released == ["closed"]

    async def test_a_factory_that_fails_is_named(self) -> None:
        def broken() -> Agent:
            raise ConnectionError("no server")

        with pytest.raises(
            InfrastructureError, match="session_factory 'broken' raised ConnectionError: no server"
        ):
            await reply_to(CallableAdapter(session_factory=broken))


class Resource:
    """Notes where it is opened and released."""

    def __init__(self, steps: list[str]) -> None:
        self.steps = steps
        self.steps.append(f"made {self._where()}")

    def _where(self) -> str:
        return "here" if threading.current_thread() is threading.main_thread() else "in the thread"

    def reply(self, prompt: str, history: History) -> str:
        if prompt == "fail":
            raise ValueError(prompt)
        return prompt

    async def reply_async(self, prompt: str, history: History) -> str:
        return self.reply(prompt, history)


class Closing(Resource):
    def close(self) -> None:
        self.steps.append(f"closed {self._where()}")


class AsyncClosing(Closing):
    async def aclose(self) -> None:
        self.steps.append(f"aclosed {self._where()}")


class ClosingLater(Resource):
    async def close(self) -> None:
        self.steps.append(f"closed {self._where()}")


class Entered(Closing):
    def __enter__(self) -> Self:
        self.steps.append(f"entered {self._where()}")
        return self

    def __exit__(self, *details: object) -> bool:
        self.steps.append(f"left {self._where()} {getattr(details[0], '__name__', '')}".strip())
        return True


class AsyncEntered(Entered):
    async def __aenter__(self) -> Self:
        self.steps.append(f"aentered {self._where()}")
        return self

    async def __aexit__(self, *details: object) -> None:
        self.steps.append(f"aleft {self._where()}")


class TestRelease:
    @pytest.mark.parametrize(
        ("kind", "steps"),
        [
            pytest.param(Resource, ["made in the thread"], id="nothing"),
            pytest.param(Closing, ["made in the thread", "closed in the thread"], id="close"),
            pytest.param(AsyncClosing, ["made in the thread", "aclosed here"], id="aclose"),
            pytest.param(ClosingLater, ["made in the thread", "closed here"], id="async-close"),
            pytest.param(
                Entered,
                ["made in the thread", "entered in the thread", "left in the thread"],
                id="sync-manager",
            ),
            pytest.param(
                AsyncEntered, ["made in the thread", "aentered here", "aleft here"], id="async-manager"
            ),
        ],
    )
    async def test_of_sync_agents(self, kind: type[Resource], steps: list[str]) -> None:
        seen: list[str] = []
        await reply_to(CallableAdapter(Resource.reply, session_factory=lambda: kind(seen)))
        assert seen == steps

    @pytest.mark.parametrize(
        ("kind", "steps"),
        [
            pytest.param(Closing, ["made here", "closed here"], id="close"),
            pytest.param(Entered, ["made here", "entered here", "left here"], id="sync-manager"),
            pytest.param(AsyncEntered, ["made here", "aentered here", "aleft here"], id="async-manager"),
        ],
    )
    async def test_of_async_agents(self, kind: type[Resource], steps: list[str]) -> None:
        seen: list[str] = []
        await reply_to(CallableAdapter(Resource.reply_async, session_factory=lambda: kind(seen)))
        assert seen == steps

    async def test_a_manager_gives_what_it_enters(self) -> None:
        steps: list[str] = []

        @contextmanager
        def sync() -> Iterator[Agent]:
            yield Agent()
            steps.append("sync")

        @asynccontextmanager
        async def deferred() -> AsyncIterator[Agent]:
            yield Agent()
            steps.append("async")

        for factory in (sync, deferred):
            assert (await reply_to(CallableAdapter(Agent.reply, session_factory=factory))).text == "1"
        assert steps == ["sync", "async"]

    async def test_it_happens_once(self) -> None:
        steps: list[str] = []
        adapter = CallableAdapter(Resource.reply, session_factory=lambda: Closing(steps))
        session = await adapter.create_session_async()
        async with session:
            pass
        await session.__aexit__(None, None, None)
        assert steps.count("closed in the thread") == 1

    async def test_after_a_failed_turn_and_an_error_that_is_not_swallowed(self) -> None:
        steps: list[str] = []
        adapter = CallableAdapter(Resource.reply, session_factory=lambda: Entered(steps))
        with pytest.raises(InfrastructureError):
            await reply_to(adapter, "fail")
        assert steps[-1] == "left in the thread InfrastructureError"

    async def test_after_a_cancelled_turn(self) -> None:
        steps: list[str] = []
        inside = asyncio.Event()

        async def hang(made: Resource, prompt: str, history: History) -> str:
            inside.set()
            await asyncio.get_running_loop().create_future()
            return ""

        trial = asyncio.create_task(
            reply_to(CallableAdapter(hang, session_factory=lambda: AsyncEntered(steps)))
        )
        await inside.wait()
        trial.cancel()
        with pytest.raises(asyncio.CancelledError):
            await trial
        assert steps == ["made here", "aentered here", "aleft here"]

    async def test_a_release_that_fails_says_so_once(self) -> None:
        class Failing(Agent):
            def close(self) -> None:
                raise OSError("stuck")

        session = await CallableAdapter(Agent.reply, session_factory=Failing).create_session_async()
        with pytest.raises(OSError, match="stuck"):
            async with session:
                await session.send_async(Request(prompt="hello"))
        await session.__aexit__(None, None, None)

    async def test_while_a_cancelled_call_goes_on_it_waits_for_its_turn(self) -> None:
        steps: list[str] = []
        inside, go_on = threading.Event(), threading.Event()

        class Busy(Closing):
            def reply(self, prompt: str, history: History) -> str:
                inside.set()
                go_on.wait(30)
                self.steps.append("done")
                return ""

        adapter = CallableAdapter(Busy.reply, session_factory=lambda: Busy(steps))
        session = await adapter.create_session_async()
        async with session:
            sending = asyncio.create_task(session.send_async(Request(prompt="hang")))
            await asyncio.to_thread(inside.wait, 30)
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
            go_on.set()
        assert steps == ["made in the thread", "done", "closed in the thread"]


class TestCancelledStart:
    async def test_what_a_thread_still_makes_is_released(self) -> None:
        steps: list[str] = []
        inside, go_on, closed = threading.Event(), threading.Event(), threading.Event()

        class Slow(Closing):
            def __init__(self) -> None:
                inside.set()
                go_on.wait(30)
                super().__init__(steps)

            def close(self) -> None:
                super().close()
                closed.set()

        opening = asyncio.create_task(reply_to(CallableAdapter(Resource.reply, session_factory=Slow)))
        await asyncio.to_thread(inside.wait, 30)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert steps == []
        go_on.set()
        assert await asyncio.to_thread(closed.wait, 30)
        assert steps == ["made in the thread", "closed in the thread"]

    async def test_what_a_thread_still_enters_is_left(self) -> None:
        steps: list[str] = []
        inside, go_on, left = threading.Event(), threading.Event(), threading.Event()

        @contextmanager
        def slow() -> Iterator[Agent]:
            inside.set()
            go_on.wait(30)
            steps.append("entered")
            yield Agent()
            steps.append("left")
            left.set()

        opening = asyncio.create_task(reply_to(CallableAdapter(Agent.reply, session_factory=slow)))
        await asyncio.to_thread(inside.wait, 30)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        go_on.set()
        assert await asyncio.to_thread(left.wait, 30)
        assert steps == ["entered", "left"]

    async def test_an_async_factory_sees_the_cancellation(self) -> None:
        steps: list[str] = []
        inside = asyncio.Event()

        @asynccontextmanager
        async def slow() -> AsyncIterator[Agent]:
            try:
                inside.set()
                await asyncio.get_running_loop().create_future()
                yield Agent()
            finally:
                steps.append("undone")

        opening = asyncio.create_task(reply_to(CallableAdapter(Agent.reply, session_factory=slow)))
        await inside.wait()
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert steps == ["undone"]
