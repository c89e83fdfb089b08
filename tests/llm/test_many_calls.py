"""Many calls with the real client to a server that throttles: at its rate, without storms, none lost."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.llm.chat_server import ChatServer
from tests.llm.token_bucket import TokenBucket

from rampart.core.errors import RateLimitError
from rampart.core.llm import ChatMessage
from rampart.llm import OpenAIChatModel, limit_endpoint

if TYPE_CHECKING:
    from rampart.core.llm import LLMConfig

QUESTION = [ChatMessage(role="user", content="Did the agent give the secret away?")]


@dataclass(frozen=True, kw_only=True)
class _Made:
    lost: int
    refused: int
    asked: int
    took_s: float


async def _ask_async(config: LLMConfig, *, calls: int, at_once: int) -> tuple[int, float]:
    """Make so many calls; how many of them failed, and the seconds that it took."""
    model = OpenAIChatModel(config=config)
    numbers = iter(range(calls))
    lost = 0

    async def work_async() -> None:
        nonlocal lost
        for _ in numbers:
            try:
                await model.complete_async(messages=QUESTION)
            except RateLimitError:
                lost += 1

    started = time.monotonic()
    await asyncio.gather(*(work_async() for _ in range(at_once)))
    return lost, time.monotonic() - started


def _make(bucket: TokenBucket, *, calls: int, per_minute: float | None = None, at_once: int = 20) -> _Made:
    with ChatServer(bucket=bucket) as server:
        if per_minute is not None:
            limit_endpoint(server.url, requests_per_minute=per_minute)
        lost, took_s = asyncio.run(_ask_async(server.config(), calls=calls, at_once=at_once))
        return _Made(lost=lost, refused=bucket.refused, asked=len(server.calls), took_s=took_s)


def test_calls_at_the_rate_that_is_set() -> None:
    made = _make(TokenBucket(per_second=200, burst=20), calls=200, per_minute=12_000)
    assert made.lost == 0
    assert made.refused <= 10
    assert made.asked == 200 + made.refused
    assert made.took_s >= 0.75  # 199 intervals of 5 ms, less the allowance


@pytest.mark.parametrize("says_when", [True, False], ids=["says-when", "does-not-say-when"])
def test_calls_at_a_rate_that_nobody_set(says_when: bool) -> None:
    made = _make(TokenBucket(per_second=100, burst=50, says_when=says_when), calls=200)
    assert made.lost == 0
    assert 0 < made.refused <= 60  # some 20 in the first burst; without back-off there would be hundreds
    assert made.asked == 200 + made.refused


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [20, 1000])
def test_a_thousand_calls_take_what_the_rate_allows(at_once: int) -> None:
    for attempt in (1, 2):  # machines under load are late at times
        made = _make(TokenBucket(per_second=100, burst=20), calls=1000, per_minute=6000, at_once=at_once)
        assert made.lost == 0
        assert made.refused <= 30
        if made.took_s <= 10.5:
            break
        assert attempt == 1, f"1,000 calls at 100 a second took {made.took_s:.2f} s"
    assert made.took_s >= 9.5


@pytest.mark.slow
@pytest.mark.parametrize("says_when", [True, False], ids=["says-when", "does-not-say-when"])
def test_none_of_a_thousand_calls_is_lost_at_a_rate_that_nobody_set(says_when: bool) -> None:
    for attempt in (1, 2):  # on a machine under load a call may be late each time that it is made
        made = _make(TokenBucket(per_second=100, burst=20, says_when=says_when), calls=1000)
        assert made.lost <= 2
        assert 0 < made.refused <= 100
        if made.lost == 0:
            break
        assert attempt == 1, f"{made.lost} of 1,000 calls were lost twice"
    assert made.took_s <= 40
