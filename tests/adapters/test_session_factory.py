"""Each session gets what it needs, made for it and released with it."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from tests.adapters.conversation import History, reply_to, say

from rampart.adapters import CallableAdapter
from rampart.core.errors import InfrastructureError
from rampart.core.types import Request


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

        adapter = CallableAdapter(ask, session_factory=lambda: closing(sqlite3.connect(":memory:")))
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
