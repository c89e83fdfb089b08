"""What a session was given is released with it, once, whatever happens."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Self

import pytest
from tests.adapters.conversation import History, reply_to

from rampart.adapters import CallableAdapter
from rampart.core.errors import InfrastructureError
from rampart.core.types import Request


class Agent:
    def reply(self, prompt: str, history: History) -> str:
        return "1"


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
