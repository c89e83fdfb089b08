"""Every kind of tool is recorded, and works as before."""

import asyncio
import functools
import typing
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from tests.adapters.recording import Weather, call_made_by, calls_made_by, send, send_async

from rampart.adapters import record_tools


class Mailbox:
    def __init__(self) -> None:
        self.sent: list[str] = []

    def send(self, to: str) -> str:
        self.sent.append(to)
        return f"sent to {to}"

    @record_tools
    def forward(self, to: str) -> str:
        self.sent.append(to)
        return "forwarded"

    @record_tools
    @staticmethod
    def address_of(name: str) -> str:
        return f"{name}@example.com"

    @staticmethod
    @record_tools
    def name_of(address: str) -> str:
        return address.partition("@")[0]

    @record_tools
    @classmethod
    def kind(cls, short: bool = False) -> str:
        return cls.__name__

    @classmethod
    @record_tools
    def full_kind(cls, short: bool = False) -> str:
        return cls.__qualname__


class TestKindsOfTools:
    async def test_methods(self) -> None:
        mailbox = Mailbox()
        call = await call_made_by(lambda: record_tools(mailbox.send)("x"))
        assert (call.name, call.arguments) == ("send", {"to": "x"})
        assert mailbox.sent == ["x"]

    async def test_methods_recorded_in_their_class(self) -> None:
        mailbox = Mailbox()

        def work() -> None:
            mailbox.forward("x")
            Mailbox.address_of("ann")
            mailbox.name_of("ann@example.com")
            mailbox.kind(short=True)
            Mailbox.full_kind()

        calls = await calls_made_by(work)
        assert [(call.name, call.arguments, call.result) for call in calls] == [
            ("forward", {"to": "x"}, "forwarded"),
            ("address_of", {"name": "ann"}, "ann@example.com"),
            ("name_of", {"address": "ann@example.com"}, "ann"),
            ("kind", {"short": True}, "Mailbox"),
            ("full_kind", {}, "Mailbox"),
        ]
        assert mailbox.sent == ["x"]

    async def test_partials_and_objects_have_names(self) -> None:
        tools: list[Callable[..., Any]] = [functools.partial(send, body="b"), Weather()]
        partial, weather = record_tools(tools)

        def work() -> None:
            partial("x")
            weather("Rome")

        assert [call.name for call in await calls_made_by(work)] == ["send", "get_weather"]
        assert (partial.__name__, weather.__name__) == ("send", "get_weather")
        assert (partial.__doc__, weather.__doc__) == (send.__doc__, "Tells the weather.")

    async def test_generators_give_their_items(self) -> None:
        @record_tools
        def pages(count: int) -> Iterator[int]:
            yield from range(count)

        seen: list[int] = []
        call = await call_made_by(lambda: seen.extend(pages(3)))
        assert (call.arguments, call.result, seen) == ({"count": 3}, [0, 1, 2], [0, 1, 2])

    async def test_async_generators_give_their_items(self) -> None:
        @record_tools
        async def pages(count: int) -> AsyncIterator[int]:
            for page in range(count):
                yield page

        async def work() -> None:
            assert [page async for page in pages(3)] == [0, 1, 2]

        assert (await call_made_by(work)).result == [0, 1, 2]

    async def test_a_generator_that_is_left_early_has_what_it_gave(self) -> None:
        closed: list[str] = []

        @record_tools
        def pages() -> Iterator[int]:
            try:
                yield 1
                yield 2
            finally:
                closed.append("sync")

        @record_tools
        async def pages_async() -> AsyncIterator[int]:
            try:
                yield 1
                yield 2
            finally:
                closed.append("async")

        async def work() -> None:
            items = pages()
            assert next(items) == 1
            typing.cast("typing.Generator[int]", items).close()
            later = typing.cast("typing.AsyncGenerator[int]", pages_async())
            assert await anext(later) == 1
            await later.aclose()

        assert [call.result for call in await calls_made_by(work)] == [[1], [1]]
        assert closed == ["sync", "async"]

    async def test_a_generator_that_raises(self) -> None:
        @record_tools
        def pages() -> Iterator[int]:
            yield 1
            raise OSError("torn")

        @record_tools
        async def pages_async() -> AsyncIterator[int]:
            yield 1
            raise OSError("torn")

        async def work() -> None:
            with pytest.raises(OSError, match="torn"):
                list(pages())
            with pytest.raises(OSError, match="torn"):
                async for _ in pages_async():
                    pass

        assert [call.error for call in await calls_made_by(work)] == ["OSError: torn", "OSError: torn"]

    async def test_generators_can_be_talked_to(self) -> None:
        def dialogue() -> typing.Generator[str, str, str]:
            try:
                heard = yield "first"
            except ValueError:
                heard = "an error"
            final = yield f"heard {heard}"
            return f"final {final}"

        async def dialogue_async() -> typing.AsyncGenerator[str, str]:
            try:
                heard = yield "first"
            except ValueError:
                heard = "an error"
            yield f"heard {heard}"

        recorded, recorded_async = record_tools(dialogue), record_tools(dialogue_async)
        talk = recorded()
        assert (next(talk), talk.send("you")) == ("first", "heard you")
        with pytest.raises(StopIteration, match="final word"):
            talk.send("word")
        talk = recorded()
        assert (next(talk), talk.throw(ValueError())) == ("first", "heard an error")
        later = recorded_async()
        assert (await anext(later), await later.asend("you")) == ("first", "heard you")
        later = recorded_async()
        assert (await anext(later), await later.athrow(ValueError())) == ("first", "heard an error")

    async def test_a_generator_that_never_starts_is_no_call(self) -> None:
        @record_tools
        def pages() -> Iterator[int]:
            yield 1

        assert await calls_made_by(lambda: [pages()]) == []

    async def test_a_sync_tool_that_gives_a_coroutine(self) -> None:
        tool: Callable[..., Any] = record_tools(lambda to: send_async(to))

        async def work() -> None:
            assert await tool("x") == "sent to x"

        call = await call_made_by(work)
        assert (call.arguments, call.result) == ({"to": "x"}, "sent to x")

    async def test_a_sync_tool_that_gives_a_task(self) -> None:
        async def broken() -> None:
            raise OSError("torn")

        start: Callable[..., Any] = record_tools(lambda work: asyncio.ensure_future(work), name="start")

        async def work() -> None:
            assert await start(send_async("x")) == "sent to x"
            with pytest.raises(OSError, match="torn"):
                await start(broken())
            task = start(asyncio.sleep(60))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        calls = await calls_made_by(work)
        assert [(call.result, call.error) for call in calls] == [
            ("sent to x", None),
            (None, "OSError: torn"),
            (None, "CancelledError: "),
        ]

    async def test_tools_that_call_tools(self) -> None:
        inner = record_tools(send)

        @record_tools
        def outer(to: str) -> str:
            return inner(to)

        calls = await calls_made_by(lambda: outer("x"))
        assert [(call.name, call.result) for call in calls] == [("outer", "sent to x"), ("send", "sent to x")]
