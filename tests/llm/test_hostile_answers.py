"""Answers that are made to break a client: each is an error that says what it is, or is read all the same."""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc
from typing import Any

import pytest
from tests.llm.chat_answers import ChatAnswer, completion
from tests.llm.chat_server import ChatServer

from rampart.core.errors import ChatModelError, RateLimitError
from rampart.core.llm import ChatMessage
from rampart.llm import OpenAIChatModel, set_price
from rampart.llm.bounded_client import LARGEST_BODY
from rampart.llm.refusal import refusal_of

ASKED = [ChatMessage(role="user", content="Say hello.")]
HELLO = completion("hello").body
NO_TEXT_ENCODINGS = ["hex", "base64", "rot13", "undefined", "utf-16", "no-such-charset"]


def with_type(content_type: str, *, status: int = 200) -> ChatAnswer:
    return ChatAnswer(status=status, body=HELLO, content_type=content_type)


@pytest.mark.parametrize("status", [200, 401, 429, 500])
@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        pytest.param(b" " * (LARGEST_BODY + 1), "identity", id="plain"),
        pytest.param(gzip.compress(b" " * 200_000_000), "gzip", id="gzip-bomb"),
    ],
)
async def test_a_body_without_end_takes_neither_memory_nor_retries(
    status: int, body: bytes, encoding: str
) -> None:
    answer = ChatAnswer(status=status, body=body, headers={"Content-Encoding": encoding})
    with ChatServer(default=answer) as server:
        tracemalloc.start()
        try:
            with pytest.raises(ChatModelError, match=r"does not end its answer \(its body is larger than 16"):
                await OpenAIChatModel(config=server.config()).complete_async(messages=ASKED)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert len(server.calls) == 1
        await server.all_closed_async()
    assert most < 5 * LARGEST_BODY


async def test_a_large_answer_is_read_whole() -> None:
    text = "x" * 5_000_000
    with ChatServer(default=completion(text)) as server:
        reply = await OpenAIChatModel(config=server.config()).complete_async(messages=ASKED)
    assert reply.text == text


async def test_a_compressed_answer_is_read() -> None:
    answer = ChatAnswer(body=gzip.compress(HELLO), headers={"Content-Encoding": "gzip"})
    with ChatServer(default=answer) as server:
        reply = await OpenAIChatModel(config=server.config()).complete_async(messages=ASKED)
    assert reply.text == "hello"


@pytest.mark.parametrize("charset", NO_TEXT_ENCODINGS)
async def test_whatever_charset_is_named_an_answer_is_utf_8(charset: str) -> None:
    body = completion("Grüße").body.replace(b"\\u00fc", "ü".encode())
    answer = ChatAnswer(body=body, content_type=f"application/json; charset={charset}")
    with ChatServer(default=answer) as server:
        reply = await OpenAIChatModel(config=server.config()).complete_async(messages=ASKED)
    assert reply.text == "Grüße"


@pytest.mark.parametrize("charset", NO_TEXT_ENCODINGS)
@pytest.mark.parametrize(("status", "kind"), [(400, ChatModelError), (429, RateLimitError)])
async def test_whatever_charset_is_named_a_refusal_is_understood(
    charset: str, status: int, kind: type[Exception]
) -> None:
    with ChatServer(default=with_type(f"text/html; charset={charset}", status=status)) as server:
        config = server.config(max_retries=0)
        with pytest.raises(kind, match=f"answered with status {status}: ") as caught:
            await OpenAIChatModel(config=config).complete_async(messages=ASKED)
    assert type(caught.value) is kind
    assert caught.value.__context__ is None


async def test_a_byte_order_mark_is_no_part_of_an_answer() -> None:
    with ChatServer(default=ChatAnswer(body=b"\xef\xbb\xbf" + HELLO)) as server:
        reply = await OpenAIChatModel(config=server.config()).complete_async(messages=ASKED)
    assert reply.text == "hello"


@pytest.mark.parametrize(
    "figures",
    [
        pytest.param({"prompt_tokens": 10**400, "completion_tokens": 1}, id="input"),
        pytest.param({"prompt_tokens": 1, "completion_tokens": 10**400}, id="output"),
        pytest.param({"prompt_tokens": -1, "completion_tokens": 1}, id="negative"),
        pytest.param({"prompt_tokens": 1.5, "completion_tokens": 1}, id="float"),
        pytest.param({"prompt_tokens": "1", "completion_tokens": 1}, id="text"),
        pytest.param({"prompt_tokens": float("nan"), "completion_tokens": 1}, id="nan"),
        pytest.param(
            {"prompt_tokens": 1, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 2}},
            id="more-cached-than-there-was",
        ),
    ],
)
async def test_figures_that_cannot_be_have_no_cost(figures: dict[str, Any]) -> None:
    set_price("small-model", input_usd_per_million=1, output_usd_per_million=1)
    with ChatServer(default=completion("hello", usage=figures)) as server:
        reply = await OpenAIChatModel(config=server.config()).complete_async(messages=ASKED)
    assert reply.usage is not None
    assert reply.usage.cost_usd is None


@pytest.mark.parametrize(("code", "status"), [("429", 429), ("503", 503), ("42", 400), ("4290", 400)])
async def test_a_status_that_a_success_states_as_text_counts(code: str, status: int) -> None:
    answer = ChatAnswer(body=json.dumps({"error": {"code": code, "message": "slow"}}).encode())
    with (
        ChatServer(default=answer) as server,
        pytest.raises(ChatModelError, match=f"answered with status {status}: slow") as caught,
    ):
        await OpenAIChatModel(config=server.config(max_retries=0)).complete_async(messages=ASKED)
    assert isinstance(caught.value, RateLimitError) is (status == 429)


def test_a_page_of_unfinished_titles_is_read_in_passing() -> None:
    begun = time.process_time()
    assert refusal_of("<title" * 1_000_000).text == "an HTML page"
    assert time.process_time() - begun < 2
