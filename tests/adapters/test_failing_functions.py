"""What an agent did before it failed is kept, and the session takes no further message."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

import pytest
from tests.adapters.conversation import History, calls_of, reply_to

from rampart.adapters import CallableAdapter, record_tools
from rampart.adapters.reply import ReplyError
from rampart.core.errors import ExecutionTimeoutError, InfrastructureError, RateLimitError, partial_of
from rampart.core.types import Request, Response, ToolCall


@record_tools
def wire_money(amount: int) -> str:
    return f"wired {amount}"


def failing_with(error: BaseException, *, harm: bool = True) -> list[Any]:
    def sync(prompt: str, history: History) -> str:
        if harm:
            wire_money(5)
        raise error

    async def deferred(prompt: str, history: History) -> str:
        if harm:
            wire_money(5)
        raise error

    return [sync, deferred]


def both(error: BaseException, *, harm: bool = True) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("agent", failing_with(error, harm=harm), ids=["sync", "async"])


@both(ConnectionError("down"))
async def test_the_calls_before_an_exception_are_kept(agent: Callable[..., Any]) -> None:
    with pytest.raises(
        InfrastructureError, match=r"agent function '\w+' raised ConnectionError: down"
    ) as caught:
        await reply_to(CallableAdapter(agent))
    assert type(caught.value) is InfrastructureError
    assert isinstance(caught.value.__cause__, ConnectionError)
    assert caught.value.partial is not None
    assert caught.value.partial.text == ""
    (call,) = caught.value.partial.tool_calls
    assert (call.name, call.arguments, call.result) == ("wire_money", {"amount": 5}, "wired 5")


@both(ExceptionGroup("unhandled errors in a TaskGroup", [ConnectionError("down")]))
async def test_an_exception_in_a_group_is_named(agent: Callable[..., Any]) -> None:
    """As clients of MCP servers raise it."""
    with pytest.raises(
        InfrastructureError, match=r"^the agent function '\w+' raised ConnectionError: down$"
    ) as caught:
        await reply_to(CallableAdapter(agent))
    assert isinstance(caught.value.__cause__, ExceptionGroup)


async def test_a_group_that_a_tool_raises_is_named() -> None:
    @record_tools
    def wire(amount: int) -> str:
        msg = "tasks"
        raise ExceptionGroup(msg, [ConnectionError("down"), ValueError("bad")])

    def agent(prompt: str, history: History) -> str:
        with suppress(ExceptionGroup):
            wire(5)
        return "Done."

    (call,) = (await reply_to(CallableAdapter(agent))).tool_calls
    assert call.error == "ConnectionError: down; ValueError: bad"


@both(ConnectionError("down"), harm=False)
async def test_without_a_call_there_is_nothing_partial(agent: Callable[..., Any]) -> None:
    with pytest.raises(InfrastructureError) as caught:
        await reply_to(CallableAdapter(agent))
    assert caught.value.partial is None


@both(
    InfrastructureError(
        "quota", partial=Response(text="I will", tool_calls=[ToolCall(name="read")]), retryable=True
    )
)
async def test_an_infrastructure_error_keeps_its_own_partial(agent: Callable[..., Any]) -> None:
    for _ in range(2):  # the same object is raised again: nothing of the first session may cling to it
        with pytest.raises(InfrastructureError, match=r"^quota$") as caught:
            await reply_to(CallableAdapter(agent))
        assert caught.value.retryable
        assert caught.value.partial is not None
        assert caught.value.partial.text == "I will"
        assert [name for name, _ in calls_of(caught.value.partial)] == ["read", "wire_money"]


@both(ExecutionTimeoutError("model", seconds=3))
async def test_an_error_of_a_subclass_keeps_its_class(agent: Callable[..., Any]) -> None:
    with pytest.raises(ExecutionTimeoutError, match="model timed out after 3 s") as caught:
        await reply_to(CallableAdapter(agent))
    assert caught.value.what == "model"
    assert caught.value.partial is not None
    assert isinstance(caught.value.__cause__, ExecutionTimeoutError)


async def test_an_infrastructure_error_without_calls_is_raised_as_it_is() -> None:
    error = RateLimitError("slow down")

    def agent(prompt: str, history: History) -> str:
        raise error

    with pytest.raises(RateLimitError) as caught:
        await reply_to(CallableAdapter(agent))
    assert caught.value is error


class StubbornError(InfrastructureError):
    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if not kwargs:
            raise RuntimeError
        return super().__new__(cls)

    def __init__(self, *, why: str) -> None:
        super().__init__(why)


@both(StubbornError(why="no copies"))
async def test_an_error_that_cannot_be_copied_becomes_a_plain_one(agent: Callable[..., Any]) -> None:
    with pytest.raises(InfrastructureError, match="no copies") as caught:
        await reply_to(CallableAdapter(agent))
    assert type(caught.value) is InfrastructureError
    assert isinstance(caught.value.__cause__, StubbornError)
    assert caught.value.partial is not None


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        pytest.param(None, "agent function 'agent' returned None", id="none"),
        pytest.param({"reply": "hi"}, "keys 'reply' are unknown", id="unknown-key"),
        pytest.param(Response(text=None), "text must be a str, got None", id="no-text"),  # type: ignore[arg-type]  # wrong on purpose
        pytest.param(
            {"text": "", "metadata": {"observability": "tools"}},
            r"metadata\['observability'\] must be .*'tool_only'.*got 'tools'",
            id="unknown-level",
        ),
    ],
)
async def test_a_wrong_reply_keeps_the_calls_too(reply: object, message: str) -> None:
    def agent(prompt: str, history: History) -> object:
        wire_money(5)
        return reply

    with pytest.raises(ReplyError, match=message) as caught:
        await reply_to(CallableAdapter(agent))
    partial = caught.value.partial
    assert partial is not None
    assert calls_of(partial) == [("wire_money", {"amount": 5})]


@both(ValueError("no"))
async def test_a_failed_session_takes_no_further_message(agent: Callable[..., Any]) -> None:
    async with await CallableAdapter(agent).create_session_async() as session:
        with pytest.raises(InfrastructureError):
            await session.send_async(Request(prompt="one"))
        with pytest.raises(RuntimeError, match="failed in an earlier turn; ask the adapter for another one"):
            await session.send_async(Request(prompt="two"))


async def test_two_messages_at_once_are_refused() -> None:
    async def agent(prompt: str, history: History) -> str:
        await asyncio.sleep(0)
        return prompt

    async with await CallableAdapter(agent).create_session_async() as session:
        first = asyncio.create_task(session.send_async(Request(prompt="one")))
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="is answering"):
            await session.send_async(Request(prompt="two"))
        assert (await first).text == "one"
        assert (await session.send_async(Request(prompt="three"))).text == "three"


async def test_cancellation_goes_on_and_carries_the_calls() -> None:
    async def agent(prompt: str, history: History) -> str:
        wire_money(5)
        await asyncio.get_running_loop().create_future()
        return ""

    async with await CallableAdapter(agent).create_session_async() as session:
        sending = asyncio.create_task(session.send_async(Request(prompt="one")))
        await asyncio.sleep(0)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await sending
    partial = partial_of(caught.value)
    assert partial is not None
    assert calls_of(partial) == [("wire_money", {"amount": 5})]


async def test_an_agent_that_cancels_itself_is_a_failure() -> None:
    async def agent(prompt: str, history: History) -> str:
        inner = asyncio.create_task(asyncio.sleep(60))
        inner.cancel()
        await inner
        return ""

    with pytest.raises(InfrastructureError, match="raised CancelledError"):
        await reply_to(CallableAdapter(agent))


async def test_a_skip_goes_through_and_carries_the_calls() -> None:
    def agent(prompt: str, history: History) -> str:
        wire_money(5)
        pytest.skip("no key")

    with pytest.raises(pytest.skip.Exception, match="no key") as caught:
        await reply_to(CallableAdapter(agent))
    assert partial_of(caught.value) is not None


class StatusError(Exception):
    def __init__(self, status: object) -> None:
        self.status_code = status


class ResponseError(Exception):
    def __init__(self, status: int) -> None:
        self.response = StatusError(status)


class ModelThrottledError(Exception):
    pass


def caused_by(cause: BaseException) -> Exception:
    error = RuntimeError("the model failed")
    error.__cause__ = cause
    return error


def own_cause() -> Exception:
    error = RuntimeError("round and round")
    error.__cause__ = error
    return error


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        pytest.param(ConnectionResetError(), True, id="connection"),
        pytest.param(TimeoutError(), True, id="timeout"),
        pytest.param(StatusError(429), True, id="rate-limit"),
        pytest.param(StatusError(401), False, id="key"),
        pytest.param(StatusError("429"), False, id="odd-status"),
        pytest.param(ResponseError(503), True, id="response"),
        pytest.param(ModelThrottledError(), True, id="name"),
        pytest.param(caused_by(StatusError(429)), True, id="cause"),
        pytest.param(ValueError(), False, id="other"),
        pytest.param(own_cause(), False, id="own-cause"),
        pytest.param(ExceptionGroup("tasks", [ValueError(), TimeoutError()]), True, id="in-a-group"),
        pytest.param(ExceptionGroup("tasks", [ValueError()]), False, id="other-in-a-group"),
    ],
)
async def test_whether_it_may_pass(error: Exception, retryable: bool) -> None:
    def agent(prompt: str, history: History) -> str:
        raise error

    with pytest.raises(InfrastructureError) as caught:
        await reply_to(CallableAdapter(agent))
    assert caught.value.retryable is retryable
