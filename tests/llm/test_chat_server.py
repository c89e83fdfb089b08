"""The server that the tests of models rely on: it is fast, exact, and tells what it was asked."""

from __future__ import annotations

import asyncio
import time

import openai
import pytest
from tests.llm.chat_answers import completion, throttled
from tests.llm.chat_server import KEY, ChatServer
from tests.llm.token_bucket import TokenBucket


def client_of(server: ChatServer) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=server.url, api_key=KEY, max_retries=0)


async def ask_async(client: openai.AsyncOpenAI, text: str = "Hi") -> str | None:
    reply = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])
    return reply.choices[0].message.content


async def test_answers_come_in_order_and_then_the_default() -> None:
    with ChatServer(answers=[completion("a"), throttled()], default=completion("z")) as server:
        async with client_of(server) as client:
            assert await ask_async(client) == "a"
            with pytest.raises(openai.RateLimitError):
                await ask_async(client)
            assert [await ask_async(client) for _ in range(2)] == ["z", "z"]
        assert server.connections == 1
        assert [call.headers["authorization"] for call in server.calls] == [f"Bearer {KEY}"] * 4
        assert sorted(call.arrived_at for call in server.calls) == [call.arrived_at for call in server.calls]


async def test_streams() -> None:
    with ChatServer(default=completion("one two three")) as server:
        async with client_of(server) as client:
            stream = await client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "Hi"}], stream=True
            )
            parts = [chunk.choices[0].delta.content async for chunk in stream if chunk.choices]
    assert parts == ["one", " two", " three", None]


async def test_a_bucket_lets_its_rate_through() -> None:
    bucket = TokenBucket(per_second=50, burst=5, says_when=True)
    with ChatServer(bucket=bucket) as server:
        async with client_of(server) as client:
            outcomes = await asyncio.gather(*[ask_async(client) for _ in range(20)], return_exceptions=True)
    refused = [one for one in outcomes if isinstance(one, openai.RateLimitError)]
    assert len(refused) == bucket.refused
    assert 1 <= len(refused) <= 15
    assert all(0 < float(one.response.headers["retry-after"]) <= 0.021 for one in refused)


@pytest.mark.slow
async def test_a_thousand_calls_on_few_connections() -> None:
    with ChatServer() as server:
        async with client_of(server) as client:
            begun = time.monotonic()
            for _ in range(50):
                await asyncio.gather(*[ask_async(client) for _ in range(20)])
            took_s = time.monotonic() - begun
    assert len(server.calls) == 1000
    assert server.connections <= 20
    assert took_s < 10
