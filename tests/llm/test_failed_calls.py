"""Calls that fail: each says once what was seen and what to do, and none tells a secret."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import traceback
from typing import Any

import pytest
from tests.llm.chat_answers import (
    ChatAnswer,
    completion,
    html,
    json_answer,
    redirect,
    refused,
    silent,
    throttled,
)
from tests.llm.chat_server import KEY, ChatServer

from rampart import LLMConfig
from rampart.core.errors import ChatModelError, EmptyCompletionError, RateLimitError
from rampart.core.llm import ChatMessage
from rampart.llm import OpenAIChatModel
from rampart.servers.http_server import HttpServer

ASKED = [ChatMessage(role="user", content="Hi")]
WHO = "the model 'small-model' at http://127.0.0.1:PORT/v1 "
CALL_AGAIN = {"choices": [{"message": {"content": [{"type": "text", "text": "a"}]}}]}
FAULTS = [
    pytest.param(
        refused(401, f"Incorrect API key provided: {KEY}"),
        ChatModelError,
        "answered with status 401: Incorrect API key provided: ***; check the credential, LLMConfig.api_key, "
        "and that it may use this model",
        id="401-that-repeats-the-key",
    ),
    pytest.param(
        refused(403, "not yours"),
        ChatModelError,
        "answered with status 403: not yours; check the credential, LLMConfig.api_key, and that it may use "
        "this model",
        id="403",
    ),
    pytest.param(
        json_answer({"detail": "Not Found"}, status=404),
        ChatModelError,
        "answered with status 404: Not Found; LLMConfig.endpoint usually ends in /v1, and LLMConfig.model "
        "(or deployment) must name a model that is served there",
        id="404",
    ),
    pytest.param(
        json_answer({"error": "model 'x' not found"}, status=404),
        ChatModelError,
        "answered with status 404: model 'x' not found; LLMConfig.endpoint usually ends in /v1, and "
        "LLMConfig.model (or deployment) must name a model that is served there",
        id="404-whose-error-is-text",
    ),
    pytest.param(refused(400, "too\nlong"), ChatModelError, r"answered with status 400: too\nlong", id="400"),
    pytest.param(
        throttled(), RateLimitError, "answered with status 429: Rate limit reached for requests", id="429"
    ),
    pytest.param(
        refused(429, "You exceeded your quota", code="insufficient_quota"),
        ChatModelError,
        "answered with status 429: You exceeded your quota; the account has no credit left for this model",
        id="429-for-want-of-credit",
    ),
    pytest.param(
        html(500), ChatModelError, "answered with status 500: an HTML page titled 'Sign in'", id="500-html"
    ),
    pytest.param(
        ChatAnswer(status=502, body=b"<html>bad</html>", content_type="text/html"),
        ChatModelError,
        "answered with status 502: an HTML page",
        id="502-html-without-title",
    ),
    pytest.param(ChatAnswer(status=503), ChatModelError, "answered with status 503: no text", id="503-empty"),
    pytest.param(
        html(),
        ChatModelError,
        "answered with something that is no chat completion: an HTML page titled 'Sign in'; "
        "LLMConfig.endpoint usually ends in /v1",
        id="200-html",
    ),
    pytest.param(
        json_answer({"status": "fine"}),
        ChatModelError,
        'answered with something that is no chat completion: {"status": "fine"}; LLMConfig.endpoint usually '
        "ends in /v1",
        id="200-other-json",
    ),
    pytest.param(
        json_answer(CALL_AGAIN),
        ChatModelError,
        'answered with something that is no chat completion: {"choices": [{"message": {"content": [{"type": '
        '"text", "text": "a"}]}}]}; LLMConfig.endpoint usually ends in /v1',
        id="200-content-in-parts",
    ),
    pytest.param(
        ChatAnswer(body=b"[" * 100_000),
        ChatModelError,
        "answered with something that is no chat completion: "
        + "[" * 300
        + "...; LLMConfig.endpoint usually "
        "ends in /v1",
        id="200-nested-too-deep",
    ),
    pytest.param(
        json_answer({"error": {"code": 429, "message": "slow down"}}),
        RateLimitError,
        "answered with status 429: slow down",
        id="200-that-states-429",
    ),
    pytest.param(
        json_answer({"error": {"code": "bad", "message": "no such thing"}}),
        ChatModelError,
        "answered with status 400: no such thing",
        id="200-that-states-an-error",
    ),
    pytest.param(
        json_answer({"choices": []}),
        EmptyCompletionError,
        "answered nothing: its completion holds no choice",
        id="no-choice",
    ),
    pytest.param(
        completion(None),
        EmptyCompletionError,
        "answered nothing: the reply is empty (finish_reason stop)",
        id="no-content",
    ),
    pytest.param(
        completion(" \n", finish_reason=None),
        EmptyCompletionError,
        "answered nothing: the reply is empty (finish_reason not stated)",
        id="blank-content",
    ),
    pytest.param(
        completion(None, refusal="I can't help with that."),
        EmptyCompletionError,
        "answered nothing: it refused ('I can't help with that.')",
        id="refusal",
    ),
    pytest.param(
        completion("half of", finish_reason="content_filter"),
        EmptyCompletionError,
        "answered nothing: its content filter took the reply away (finish_reason content_filter)",
        id="content-filter",
    ),
    pytest.param(
        json_answer(
            {"error": {"code": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}, status=400
        ),
        EmptyCompletionError,
        "answered nothing: its content filter refused the prompt",
        id="filtered-prompt",
    ),
    pytest.param(
        completion("", finish_reason="length"),
        EmptyCompletionError,
        "answered nothing: its tokens ended before the reply began (finish_reason length); raise "
        "max_completion_tokens or max_tokens in LLMConfig.metadata",
        id="length-without-text",
    ),
    pytest.param(
        completion("a reply", cut_at=40),
        ChatModelError,
        "broke off its answer (peer closed connection without sending complete message body (received 40 "
        "bytes, expected LENGTH)); does the server, or a proxy before it, restart?",
        id="half-a-body",
    ),
    pytest.param(
        ChatAnswer(status=500, body=b"an error", cut_at=2),
        ChatModelError,
        "broke off its answer (peer closed connection without sending complete message body (received 2 "
        "bytes, expected LENGTH)); does the server, or a proxy before it, restart?",
        id="half-an-error",
    ),
    pytest.param(
        silent(),
        ChatModelError,
        "did not answer within 0.5 s; where it needs longer, set LLMConfig.metadata['timeout_s'], and "
        "Limits.turn_timeout_s above it",
        id="silence",
    ),
    pytest.param(
        redirect("https://elsewhere.example/v1/chat?token=abcdefgh"),
        ChatModelError,
        "answered with 307, a redirect to https://elsewhere.example, which is not followed: the key and the "
        "conversation go to the configured place alone; if it is right, give it as LLMConfig.endpoint",
        id="redirect",
    ),
]


async def failure_async(config: LLMConfig) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # which one is the caller's to check
        await OpenAIChatModel(config=config).complete_async(messages=ASKED)
    return caught.value


def told(error: Exception) -> str:
    """The message, without what differs from run to run."""
    return re.sub(r"expected \d+", "expected LENGTH", re.sub(r":\d+/v1", ":PORT/v1", str(error)))


def everything_about(error: BaseException) -> str:
    """What a log, a debugger or a record may show of it."""
    return "".join(traceback.format_exception(error)) + repr(error) + str(vars(error))


@pytest.mark.parametrize(("answer", "kind", "text"), FAULTS)
async def test_each_says_what_it_is_and_no_secret(
    answer: ChatAnswer, kind: type[Exception], text: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with ChatServer(default=answer) as server:
        error = await failure_async(server.config(max_retries=0, metadata={"timeout_s": 0.5}))
    assert type(error) is kind
    assert told(error) == WHO + text
    assert KEY not in everything_about(error) + caplog.text


@pytest.mark.parametrize("status", [429, 500])
async def test_no_secret_after_several_attempts(status: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with ChatServer(default=refused(status, f"do not send {KEY}")) as server:
        error = await failure_async(server.config(max_retries=1))
    assert f"answered with status {status}: do not send *** (2 attempts)" in str(error)
    assert KEY not in everything_about(error) + caplog.text


async def _free_port_async() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


async def test_nobody_listens() -> None:
    url = f"http://127.0.0.1:{await _free_port_async()}/v1"
    error = await failure_async(LLMConfig(model="small-model", endpoint=url, api_key="none", max_retries=0))
    assert type(error) is ChatModelError
    assert error.retryable
    assert re.fullmatch(
        re.escape(WHO).replace("PORT", r"\d+") + r"could not be reached \(.*Connect call failed.*\); "
        r"check LLMConfig.endpoint, and that the server runs",
        str(error),
    )


async def test_a_name_that_is_none() -> None:
    config = LLMConfig(model="m", endpoint="http://nowhere.invalid/v1", api_key="none", max_retries=0)
    error = await failure_async(config)
    assert type(error) is ChatModelError
    assert "the model 'm' at http://nowhere.invalid/v1 could not be reached (" in str(error)


async def test_https_where_http_is_spoken() -> None:
    with HttpServer() as server:
        url = f"https://{server.address}/v1"
        error = await failure_async(LLMConfig(model="m", endpoint=url, api_key="none", max_retries=0))
    assert type(error) is ChatModelError
    assert "could not be reached ([SSL" in str(error)
    assert str(error).endswith("does the server speak https?")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_carry_nothing_along(status: int) -> None:
    with ChatServer() as elsewhere:
        answer = ChatAnswer(status=status, headers={"Location": f"{elsewhere.url}/chat/completions"})
        with ChatServer(default=answer) as server:
            error = await failure_async(server.config())
    assert f"answered with {status}, a redirect to http://127.0.0.1, which is not followed" in str(error)
    assert len(server.calls) == 1
    assert elsewhere.calls == []


async def test_the_source_of_a_refused_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ChatServer(default=refused(401, f"not {KEY}")) as server:
        error = await failure_async(server.config(api_key=None))
    assert "status 401: not ***; check the credential, OPENAI_API_KEY, and" in str(error)


async def test_a_query_is_not_shown(server: ChatServer) -> None:
    error = await failure_async(server.config(endpoint=f"{server.url}/nope?code=very-private"))
    assert "answered with status 404" in str(error)
    assert "very-private" not in "".join(traceback.format_exception(error))


@pytest.mark.parametrize(
    "answer", [pytest.param(silent(), id="no-answer"), pytest.param(throttled(), id="between-attempts")]
)
async def test_a_cancelled_call_ends_at_once_and_leaves_no_connection(answer: ChatAnswer) -> None:
    with ChatServer(default=answer) as server:
        call = asyncio.ensure_future(OpenAIChatModel(config=server.config()).complete_async(messages=ASKED))
        await server.asked_async()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await server.all_closed_async()


async def test_errors_of_concurrent_calls_are_their_own() -> None:
    def answer(call: Any) -> ChatAnswer:
        text: str = call.body["messages"][0]["content"]
        return refused(400, f"not {text}") if text.endswith(("1", "3", "5")) else completion(f"yes {text}")

    with ChatServer(default=answer) as server:
        model = OpenAIChatModel(config=server.config())
        asked = [[ChatMessage(role="user", content=f"call {number}")] for number in range(40)]
        told = await asyncio.gather(
            *[model.complete_async(messages=messages) for messages in asked], return_exceptions=True
        )
    for number, result in enumerate(told):
        if str(number).endswith(("1", "3", "5")):
            assert isinstance(result, ChatModelError)
            assert str(result).endswith(f"not call {number}")
        else:
            assert getattr(result, "text", None) == f"yes call {number}"
