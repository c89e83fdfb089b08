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
from tests.adapters.conversation import History, calls_of, only_call, reply_to
from tests.adapters.recording import Weather, call_made_by, calls_made_by, send, send_async

from rampart.adapters import CallableAdapter, record_tools
from rampart.core.errors import InfrastructureError
from rampart.core.types import ToolCall


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
            log.append(to)
            return inner(to)

        log: list[str] = []
        again = record_tools(logged)
        assert len(await calls_made_by(lambda: again("x"))) == 1
        assert log == ["x"]

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
            pytest.param(Weather, {}, "a tool must be .*, got the class Weather", id="class"),
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
