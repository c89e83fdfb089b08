"""Recorded tools stay what they were, and what is done with them is in the record."""

import asyncio
import functools
import inspect
import threading
import typing
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.adapters.conversation import calls_of, only_call, reply_to

from rampart.adapters import CallableAdapter, record_tools
from rampart.core.errors import InfrastructureError
from rampart.core.types import ToolCall

History = list[dict[str, str]]


async def calls_made_by(work: Callable[[], Any]) -> list[ToolCall]:
    """What is recorded while a session runs `work`."""

    async def agent(prompt: str, history: History) -> str:
        result = work()
        if inspect.isawaitable(result):
            await result
        return ""

    return (await reply_to(CallableAdapter(agent))).tool_calls


async def call_made_by(work: Callable[[], Any]) -> ToolCall:
    (call,) = await calls_made_by(work)
    return call


def send(to: str, body: str = "hi") -> str:
    """Send a mail.

    Args:
        to: The address.
    """
    return f"sent to {to}"


async def send_async(to: str, body: str = "hi") -> str:
    """Send a mail, later."""
    await asyncio.sleep(0)
    return f"sent to {to}"


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


class Weather:
    """Tells the weather."""

    name = "get_weather"

    def __call__(self, city: str) -> str:
        return f"sun in {city}"


class TestOneCall:
    async def test_everything_about_it_is_recorded(self) -> None:
        before = datetime.now(UTC)
        call = await call_made_by(lambda: record_tools(send)("x", body="b"))
        assert call.timestamp is not None
        assert before <= call.timestamp <= datetime.now(UTC)
        assert call == ToolCall(
            name="send",
            arguments={"to": "x", "body": "b"},
            result="sent to x",
            executed=True,
            timestamp=call.timestamp,
        )

    async def test_async_tools(self) -> None:
        call = await call_made_by(lambda: record_tools(send_async)("x"))
        assert (call.name, call.arguments, call.result) == ("send_async", {"to": "x"}, "sent to x")

    async def test_the_agent_gets_the_result(self) -> None:
        tool = record_tools(send)

        async def agent(prompt: str, history: History) -> str:
            return tool(prompt)

        assert (await reply_to(CallableAdapter(agent))).text == "sent to hello"

    async def test_an_error_is_recorded_and_raised(self) -> None:
        @record_tools
        def broken(to: str) -> str:
            raise PermissionError(f"not to {to}")

        @record_tools
        async def broken_async(to: str) -> str:
            raise PermissionError(f"not to {to}")

        async def work() -> None:
            with pytest.raises(PermissionError):
                broken("x")
            with pytest.raises(PermissionError):
                await broken_async("x")

        for call in await calls_made_by(work):
            assert (call.error, call.result, call.executed) == ("PermissionError: not to x", None, True)

    async def test_a_cancelled_tool_is_recorded_as_such(self) -> None:
        @record_tools
        async def slow() -> None:
            await asyncio.get_running_loop().create_future()

        async def work() -> None:
            task = asyncio.create_task(slow())
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        assert (await call_made_by(work)).error == "CancelledError: "

    async def test_a_tool_that_is_still_running_is_recorded_without_a_result(self) -> None:
        go_on = asyncio.Event()
        tasks: list[asyncio.Task[str]] = []

        @record_tools
        async def slow() -> str:
            await go_on.wait()
            return "too late"

        async def agent(prompt: str, history: History) -> str:
            tasks.append(asyncio.create_task(slow()))
            await asyncio.sleep(0)
            return ""

        call = only_call(await reply_to(CallableAdapter(agent)))
        assert (call.executed, call.result) == (True, None)
        go_on.set()
        assert await tasks[0] == "too late"
        assert call.result is None  # what was handed over stays as it was

    async def test_an_exception_that_cannot_be_shown(self) -> None:
        class OddError(Exception):
            def __str__(self) -> str:
                raise RuntimeError

        @record_tools
        def broken() -> None:
            raise OddError

        def work() -> None:
            with pytest.raises(OddError):
                broken()

        assert (await call_made_by(work)).error == "OddError: <unprintable value>"

    async def test_outside_of_a_session_a_tool_just_works(self, recwarn: pytest.WarningsRecorder) -> None:
        assert record_tools(send)("x") == "sent to x"
        assert await record_tools(send_async)("x") == "sent to x"
        assert [warning for warning in recwarn if "tool" in str(warning.message)] == []


class TestArguments:
    async def test_later_changes_do_not_show(self) -> None:
        @record_tools
        def post(body: dict[str, Any]) -> dict[str, Any]:
            body["changed"] = True
            return body

        def work() -> None:
            post({"to": ["x"]})["later"] = True

        call = await call_made_by(work)
        assert call.arguments == {"body": {"to": ["x"]}}
        assert call.result == {"to": ["x"], "changed": True}

    @pytest.mark.parametrize(
        ("tool", "args", "kwargs", "expected"),
        [
            pytest.param(lambda a, b=2: None, (1,), {}, {"a": 1}, id="no-invented-defaults"),
            pytest.param(lambda a, b=2: None, (1, 3), {}, {"a": 1, "b": 3}, id="by-position"),
            pytest.param(lambda a, b=2: None, (), {"b": 3, "a": 1}, {"a": 1, "b": 3}, id="by-name"),
            pytest.param(lambda *args: None, (1, 2), {}, {"args": [1, 2]}, id="surplus-positions"),
            pytest.param(lambda a, *rest: None, (1,), {}, {"a": 1}, id="no-surplus"),
            pytest.param(lambda **params: None, (), {"url": "u"}, {"url": "u"}, id="surplus-names"),
            pytest.param(lambda *, a: None, (), {"a": 1}, {"a": 1}, id="keyword-only"),
            pytest.param(lambda self, a: None, (0, 1), {}, {"a": 1}, id="self-is-no-argument"),
            pytest.param(functools.partial(send, body="b"), ("x",), {}, {"to": "x"}, id="partial"),
            pytest.param(Weather(), ("Rome",), {}, {"city": "Rome"}, id="object"),
            pytest.param(max, (1, 2), {}, {"args": [1, 2]}, id="builtin-without-signature"),
        ],
    )
    async def test_they_are_found_by_name(
        self, tool: Callable[..., Any], args: Any, kwargs: dict[str, Any], expected: dict[str, Any]
    ) -> None:
        call = await call_made_by(lambda: record_tools(tool)(*args, **kwargs))
        assert call.arguments == expected

    async def test_a_name_that_is_passed_twice_is_kept_twice(self) -> None:
        def tool(a: int, /, **more: int) -> None: ...

        call = await call_made_by(lambda: record_tools(tool)(1, a=2, b=3))
        assert call.arguments == {"a": 1, "more": {"a": 2}, "b": 3}

    async def test_arguments_that_do_not_fit_are_asked_for_but_not_run(self) -> None:
        tool = record_tools(send)

        def work() -> None:
            with pytest.raises(TypeError, match="subject"):
                tool("x", subject="s")  # type: ignore[call-arg]  # as a model would
            with pytest.raises(TypeError, match="positional"):
                tool("x", "b", "c")  # type: ignore[call-arg]  # as a model would

        named, positional = await calls_made_by(work)
        assert named.arguments == {"to": "x", "subject": "s"}
        assert positional.arguments == {"to": "x", "body": "b", "args": ["c"]}
        for call in (named, positional):
            assert call.executed is False
            assert call.error is not None
            assert call.error.startswith("TypeError: ")

    async def test_a_wrong_type_inside_the_tool_was_run(self) -> None:
        @record_tools
        def add(a: int) -> int:
            return a + 1

        def work() -> None:
            with pytest.raises(TypeError):
                add("x")  # type: ignore[arg-type]  # as a model would

        assert (await call_made_by(work)).executed is True

    async def test_the_frameworks_own_arguments_can_be_left_out(self) -> None:
        @record_tools(ignore=["ctx"])
        def look(ctx: object, query: str) -> None: ...

        def work() -> None:
            look(threading.Lock(), "q")

        assert (await call_made_by(work)).arguments == {"query": "q"}

    async def test_what_cannot_be_copied_is_shown(self) -> None:
        call = await call_made_by(lambda: record_tools(send)(threading.Lock()))  # type: ignore[arg-type]  # on purpose
        assert "lock" in call.arguments["to"]


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


class TestOrder:
    async def test_calls_stand_in_the_order_in_which_they_began(self) -> None:
        gates = {name: asyncio.Event() for name in "abc"}

        @record_tools
        async def wait(name: str) -> str:
            await gates[name].wait()
            return name

        async def work() -> None:
            waiting = [asyncio.create_task(wait(name)) for name in "abc"]
            await asyncio.sleep(0)
            for name in "cba":
                gates[name].set()
            await asyncio.gather(*waiting)

        calls = await calls_made_by(work)
        assert [(call.arguments["name"], call.result) for call in calls] == [
            ("a", "a"),
            ("b", "b"),
            ("c", "c"),
        ]

    async def test_each_turn_has_its_own_calls(self) -> None:
        tool = record_tools(send)

        def agent(prompt: str, history: History) -> str:
            return tool(prompt)

        async with await CallableAdapter(agent).create_session_async() as session:
            from rampart.core.types import Request

            for prompt in ("one", "two"):
                reply = await session.send_async(Request(prompt=prompt))
                assert calls_of(reply) == [("send", {"to": prompt})]

    async def test_a_call_that_is_reported_too_is_recorded_once(self) -> None:
        tool = record_tools(send)

        def agent(prompt: str, history: History) -> dict[str, Any]:
            tool("x")
            return {"text": "", "tool_calls": [{"name": "send", "arguments": '{"to": "x"}', "id": "call_1"}]}

        call = only_call(await reply_to(CallableAdapter(agent)))
        assert (call.id, call.result, call.executed) == ("call_1", "sent to x", True)


class TestWhatAToolLooksLike:
    @pytest.mark.parametrize("tool", [send, send_async], ids=["sync", "async"])
    def test_it_keeps_its_face(self, tool: Callable[..., Any]) -> None:
        recorded = record_tools(tool)
        assert recorded is not tool
        assert recorded.__name__ == tool.__name__
        assert recorded.__doc__ == tool.__doc__
        assert recorded.__module__ == tool.__module__
        assert inspect.signature(recorded) == inspect.signature(tool)
        assert typing.get_type_hints(recorded) == typing.get_type_hints(tool)
        assert inspect.getsource(recorded) == inspect.getsource(tool)

    @pytest.mark.parametrize(
        "check",
        [
            inspect.iscoroutinefunction,
            inspect.isgeneratorfunction,
            inspect.isasyncgenfunction,
            inspect.isfunction,
        ],
    )
    def test_it_stays_of_its_kind(self, check: Callable[[object], bool]) -> None:
        def generator() -> Iterator[int]:
            yield 1

        async def async_generator() -> AsyncIterator[int]:
            yield 1

        for tool in (send, send_async, generator, async_generator):
            assert check(record_tools(tool)) == check(tool)

    def test_a_partial_keeps_the_hints_of_its_function(self) -> None:
        recorded = record_tools(functools.partial(send, body="b"))
        assert typing.get_type_hints(recorded) == typing.get_type_hints(send)
        assert "body" in inspect.signature(recorded).parameters

    def test_an_object_has_the_hints_of_its_call(self) -> None:
        assert typing.get_type_hints(record_tools(Weather())) == {"city": str, "return": str}


class TestFormsOfTheCall:
    async def test_lists_give_lists_in_order(self) -> None:
        recorded = record_tools([send, send_async])
        assert [tool.__name__ for tool in recorded] == ["send", "send_async"]
        assert [tool.__name__ for tool in record_tools(iter((send,)))] == ["send"]

    async def test_dicts_give_names(self) -> None:
        tools = record_tools({"mail.send": send})
        assert list(tools) == ["mail.send"]
        assert (await call_made_by(lambda: tools["mail.send"]("x"))).name == "mail.send"

    async def test_a_decorator_with_a_name(self) -> None:
        @record_tools(name="send_email")
        def send_it(to: str) -> None: ...

        assert (await call_made_by(lambda: send_it("x"))).name == "send_email"
        assert send_it.__name__ == "send_it"

    async def test_recording_again_records_once(self) -> None:
        twice = record_tools(record_tools(send), name="send_email")
        assert (await call_made_by(lambda: twice("x"))).name == "send_email"

    async def test_recording_around_another_decorator_records_once(self) -> None:
        inner = record_tools(send)

        @functools.wraps(inner)
        def logged(to: str) -> str:
            return inner(to)

        again = record_tools(logged)
        assert len(await calls_made_by(lambda: again("x"))) == 1

    def test_nothing_gives_nothing(self) -> None:
        assert record_tools([]) == []
        assert record_tools({}) == {}

    @pytest.mark.parametrize(
        ("tools", "options", "message"),
        [
            pytest.param("send", {}, "takes a tool, a list or a dict of tools, got str", id="text"),
            pytest.param(3, {}, "takes a tool, a list or a dict of tools, got int", id="number"),
            pytest.param(
                [send, "send"], {}, "a tool must be .*, got str; record the function", id="text-in-list"
            ),
            pytest.param(Mailbox, {}, "a tool must be .*, got the class Mailbox", id="class"),
            pytest.param([send], {"name": "x"}, "name is for a single tool", id="name-for-several"),
            pytest.param(
                send,
                {"ignore": "to"},
                "ignore takes a list of parameter names, got the str",
                id="ignore-text",
            ),
            pytest.param(
                send, {"session": 3}, "session must be a session of a CallableAdapter, got int", id="session"
            ),
        ],
    )
    def test_wrong_tools(self, tools: Any, options: dict[str, Any], message: str) -> None:
        with pytest.raises(TypeError, match=message):
            record_tools(tools, **options)


async def test_the_spy_never_changes_what_the_agent_sees() -> None:
    """A tool whose arguments resist every inspection still runs."""

    class Hostile:
        def __reduce_ex__(self, protocol: Any) -> Any:
            raise RuntimeError

        def __repr__(self) -> str:
            raise RuntimeError

        def __eq__(self, other: object) -> bool:
            raise RuntimeError

        def __hash__(self) -> int:
            raise RuntimeError

        def __bool__(self) -> bool:
            raise RuntimeError

    tool: Callable[..., Any] = record_tools(lambda value: value, name="same")
    value = Hostile()
    results: list[object] = []
    call = await call_made_by(lambda: results.append(tool(value)))
    assert results[0] is value
    assert (call.arguments, call.result) == ({"value": "<unprintable value>"}, "<unprintable value>")


async def test_an_agent_that_leaves_through_a_failing_tool() -> None:
    @record_tools
    def broken() -> None:
        raise OSError("torn")

    def agent(prompt: str, history: History) -> str:
        broken()
        return ""

    with pytest.raises(InfrastructureError, match="OSError: torn") as caught:
        await reply_to(CallableAdapter(agent))
    assert caught.value.partial is not None
    assert only_call(caught.value.partial).error == "OSError: torn"
