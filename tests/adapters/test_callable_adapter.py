"""Any function is an agent: what it is given, what it may be, what is refused."""

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.adapters.conversation import History, reply_to, say, send_attachments

from rampart.adapters import CallableAdapter
from rampart.core.adapter import AgentAdapter, Session
from rampart.core.errors import ConfigurationError
from rampart.core.manifest import AppManifest
from rampart.core.types import ObservabilityLevel, Payload, Request, Response


def echo(prompt: str, history: History) -> str:
    return f"echo {prompt}"


async def echo_async(prompt: str, history: History) -> str:
    return f"echo {prompt}"


class Echo:
    def reply(self, prompt: str, history: History) -> str:
        return f"echo {prompt}"

    async def reply_async(self, prompt: str, history: History) -> str:
        return f"echo {prompt}"

    @staticmethod
    def static(prompt: str, history: History) -> str:
        return f"echo {prompt}"

    def __call__(self, prompt: str, history: History) -> str:
        return f"echo {prompt}"


class AsyncEcho:
    async def __call__(self, prompt: str, history: History) -> str:
        return f"echo {prompt}"


def prefixed(prefix: str, prompt: str, history: History) -> str:
    return f"{prefix} {prompt}"


async def prefixed_async(prefix: str, prompt: str, history: History) -> str:
    return f"{prefix} {prompt}"


def deferred(prompt: str, history: History) -> Awaitable[str]:
    return echo_async(prompt, history)


class Later:
    """An awaitable that is no coroutine."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __await__(self) -> Any:
        yield
        return self._text


class TestKindsOfFunctions:
    @pytest.mark.parametrize(
        "function",
        [
            pytest.param(echo, id="sync"),
            pytest.param(echo_async, id="async"),
            pytest.param(lambda prompt, _history: f"echo {prompt}", id="lambda"),
            pytest.param(lambda prompt, history: echo_async(prompt, history), id="lambda-giving-a-coroutine"),
            pytest.param(deferred, id="sync-giving-an-awaitable"),
            pytest.param(lambda prompt, _history: Later(f"echo {prompt}"), id="other-awaitable"),
            pytest.param(Echo().reply, id="bound-method"),
            pytest.param(Echo().reply_async, id="async-bound-method"),
            pytest.param(Echo.static, id="static-method"),
            pytest.param(Echo(), id="callable-object"),
            pytest.param(AsyncEcho(), id="async-callable-object"),
            pytest.param(functools.partial(prefixed, "echo"), id="partial"),
            pytest.param(functools.partial(prefixed_async, "echo"), id="async-partial"),
            pytest.param(functools.partial(AsyncEcho()), id="partial-of-async-object"),
        ],
    )
    async def test_it_is_called_and_awaited(self, function: Callable[..., Any]) -> None:
        assert (await reply_to(CallableAdapter(function))).text == "echo hello"

    async def test_async_functions_run_on_the_loop_and_sync_ones_do_not(self) -> None:
        import threading

        threads: list[str] = []

        def sync(prompt: str, history: History) -> str:
            threads.append(threading.current_thread().name)
            return ""

        async def on_loop(prompt: str, history: History) -> str:
            threads.append(threading.current_thread().name)
            return ""

        await reply_to(CallableAdapter(sync))
        await reply_to(CallableAdapter(on_loop))
        here = threading.current_thread().name
        assert threads[0] != here
        assert threads[0].startswith("rampart agent function")
        assert threads[1] == here

    def test_it_is_an_adapter_with_sessions(self) -> None:
        import asyncio

        adapter = CallableAdapter(echo)
        assert isinstance(adapter, AgentAdapter)
        assert isinstance(asyncio.run(adapter.create_session_async()), Session)

    def test_the_signature_is_the_documented_one(self) -> None:
        assert list(inspect.signature(CallableAdapter).parameters) == [
            "function",
            "session_factory",
            "manifest",
            "observability",
            "max_concurrent_sessions",
        ]


class TestWhatTheFunctionIsGiven:
    async def test_the_history_is_ready_for_a_chat_api(self) -> None:
        seen: list[tuple[str, History]] = []

        def agent(prompt: str, history: History) -> str:
            seen.append((prompt, history))
            return f"reply {len(seen)}"

        await say(CallableAdapter(agent), "one", "two", "three")
        assert seen[0] == ("one", [])
        assert seen[2] == (
            "three",
            [
                {"role": "user", "content": "one"},
                {"role": "assistant", "content": "reply 1"},
                {"role": "user", "content": "two"},
                {"role": "assistant", "content": "reply 2"},
            ],
        )

    async def test_changing_the_history_changes_nothing(self) -> None:
        def agent(prompt: str, history: History) -> str:
            seen = [message["content"] for message in history]
            for message in history:
                message["content"] = "forged"
            history.append({"role": "system", "content": "forged"})
            return repr(seen)

        replies = await say(CallableAdapter(agent), "one", "two", "three")
        assert "forged" not in replies[2].text

    async def test_sessions_have_histories_of_their_own(self) -> None:
        adapter = CallableAdapter(lambda _prompt, history: str(len(history)))
        assert [reply.text for reply in await say(adapter, "one", "two")] == ["0", "2"]
        assert [reply.text for reply in await say(adapter, "one")] == ["0"]

    async def test_attachments_go_to_a_parameter_of_that_name(self) -> None:
        seen: list[tuple[str, list[Payload]]] = []

        def agent(prompt: str, history: History, attachments: list[Payload]) -> str:
            seen.append((prompt, attachments))
            return ""

        payload = Payload(content="hidden", id="p1")
        await send_attachments(CallableAdapter(agent), payload, prompt="read this")
        await send_attachments(CallableAdapter(agent), payload)
        await reply_to(CallableAdapter(agent))
        assert seen == [("read this", [payload]), ("", [payload]), ("hello", [])]

    async def test_attachments_may_be_keyword_only(self) -> None:
        async def agent(prompt: str, history: History, *, attachments: list[Payload]) -> str:
            return attachments[0].content

        payload = Payload(content="hidden")
        assert (await send_attachments(CallableAdapter(agent), payload)).text == "hidden"

    @pytest.mark.parametrize(
        "function",
        [
            pytest.param(echo, id="no-parameter"),
            pytest.param(lambda *arguments, **options: "", id="catch-all"),
        ],
    )
    async def test_attachments_are_never_dropped(self, function: Callable[..., Any]) -> None:
        payloads = [Payload(content="x", id="p1"), Payload(content="y", id="p2")]
        with pytest.raises(
            ConfigurationError, match=r"2 attachment\(s\) \('p1', 'p2'\).*no parameter 'attachments'.*add one"
        ):
            await send_attachments(CallableAdapter(function), *payloads, prompt="read this")

    async def test_a_refused_attachment_leaves_the_session_usable(self) -> None:
        async with await CallableAdapter(echo).create_session_async() as session:
            with pytest.raises(ConfigurationError):
                await session.send_async(Request(attachments=[Payload(content="x")]))
            assert (await session.send_async(Request(prompt="still"))).text == "echo still"


def wrong_arguments() -> list[Any]:
    def one(prompt: str) -> str:
        return ""

    def three(prompt: str, history: History, extra: str) -> str:
        return ""

    def keyword_only(*, prompt: str, history: History) -> str:
        return ""

    def streaming(prompt: str, history: History) -> Any:
        yield ""

    async def streaming_async(prompt: str, history: History) -> Any:
        yield ""

    class Streaming:
        def __call__(self, prompt: str, history: History) -> Any:
            yield ""

    return [
        pytest.param(None, "needs a function .* a session_factory, or both", id="none"),
        pytest.param("agent", "the agent function must be callable, got str", id="text"),
        pytest.param(Echo, "got the class Echo; pass session_factory=Echo", id="class"),
        pytest.param(one, r"'one' must accept \(prompt, history\).*\(prompt: str\)", id="too-few"),
        pytest.param(three, r"'three' must accept \(prompt, history\).*'extra'", id="too-many"),
        pytest.param(keyword_only, r"must accept \(prompt, history\)", id="keyword-only"),
        pytest.param(streaming, "'streaming' yields its reply", id="generator"),
        pytest.param(streaming_async, "'streaming_async' yields its reply", id="async-generator"),
        pytest.param(Streaming(), "'Streaming' yields its reply", id="generator-object"),
    ]


class TestRefusals:
    @pytest.mark.parametrize(("function", "message"), wrong_arguments())
    def test_wrong_functions(self, function: Any, message: str) -> None:
        with pytest.raises(TypeError, match=message):
            CallableAdapter(function)

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            pytest.param({"manifest": "mail"}, TypeError, "manifest must be .*, got str", id="manifest"),
            pytest.param(
                {"observability": "tool_only"},
                TypeError,
                "observability must be .*, got str 'tool_only'",
                id="level",
            ),
            pytest.param(
                {"max_concurrent_sessions": 2.0},
                TypeError,
                "must be an int or None, got float 2.0",
                id="cap-float",
            ),
            pytest.param(
                {"max_concurrent_sessions": True},
                TypeError,
                "must be an int or None, got bool",
                id="cap-bool",
            ),
            pytest.param(
                {"max_concurrent_sessions": 0}, ValueError, "must be 1 or more, got 0", id="cap-zero"
            ),
            pytest.param(
                {"max_concurrent_sessions": -1}, ValueError, "must be 1 or more, got -1", id="cap-low"
            ),
            pytest.param(
                {"session_factory": 3}, TypeError, "session_factory must be callable, got int", id="factory"
            ),
            pytest.param({"unknown": 3}, TypeError, "unknown", id="unknown-option"),
        ],
    )
    def test_wrong_options(self, options: dict[str, Any], error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            CallableAdapter(echo, **options)

    async def test_a_request_must_be_a_request(self) -> None:
        async with await CallableAdapter(echo).create_session_async() as session:
            with pytest.raises(TypeError, match="takes a Request, got str"):
                await session.send_async("hello")  # type: ignore[arg-type]  # the refusal is under test

    @pytest.mark.parametrize(("state", "message"), [("new", "was not entered"), ("closed", "is closed")])
    async def test_only_an_open_session_answers(self, state: str, message: str) -> None:
        session = await CallableAdapter(echo).create_session_async()
        if state == "closed":
            async with session:
                pass
        with pytest.raises(RuntimeError, match=f"agent function 'echo' {message}"):
            await session.send_async(Request(prompt="hello"))

    async def test_a_session_is_entered_once(self) -> None:
        session = await CallableAdapter(echo).create_session_async()
        async with session:
            with pytest.raises(RuntimeError, match="entered once"):
                await session.__aenter__()


class TestWhatItDeclares:
    def test_by_default(self) -> None:
        adapter = CallableAdapter(echo)
        assert adapter.manifest == AppManifest(name="echo")
        assert adapter.max_concurrent_sessions is None
        assert adapter.observability_profile is ObservabilityLevel.RESPONSE_ONLY

    def test_what_was_given(self) -> None:
        manifest = AppManifest(name="mail agent")
        adapter = CallableAdapter(
            echo,
            manifest=manifest,
            observability=ObservabilityLevel.TOOL_AND_SIDE_EFFECTS,
            max_concurrent_sessions=3,
        )
        assert adapter.manifest is manifest
        assert adapter.max_concurrent_sessions == 3
        assert adapter.observability_profile is ObservabilityLevel.TOOL_AND_SIDE_EFFECTS

    @pytest.mark.parametrize(
        ("function", "name"),
        [
            pytest.param(Echo().reply, "Echo.reply", id="method"),
            pytest.param(Echo(), "Echo", id="object"),
            pytest.param(functools.partial(prefixed, "x"), "prefixed", id="partial"),
        ],
    )
    def test_the_default_name(self, function: Callable[..., Any], name: str) -> None:
        assert CallableAdapter(function).manifest.name == name


class TestLeaving:
    async def test_exit_is_idempotent(self) -> None:
        session = await CallableAdapter(echo).create_session_async()
        async with session:
            await session.send_async(Request(prompt="hello"))
        await session.__aexit__(None, None, None)
        await session.__aexit__(None, None, None)

    async def test_leaving_what_was_never_entered_does_nothing(self) -> None:
        await (await CallableAdapter(echo).create_session_async()).__aexit__(None, None, None)

    async def test_an_error_in_the_body_goes_on(self) -> None:
        with pytest.raises(KeyError):
            async with await CallableAdapter(echo).create_session_async():
                raise KeyError

    async def test_responses_are_fresh(self) -> None:
        shared = Response(text="same", metadata={"k": 1})
        first, second = await say(CallableAdapter(lambda _prompt, _history: shared), "one", "two")
        first.metadata["k"] = 2
        assert second.metadata == {"k": 1}
        assert first is not shared
