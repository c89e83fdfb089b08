"""Calls to a loopback server that throttles: at what rate, how many refused, how many lost."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from tests.llm.chat_answers import completion
from tests.llm.chat_server import ChatServer
from tests.llm.token_bucket import TokenBucket

from benchmarks.table import Row
from rampart.core.evaluation import EvalContext, EvalOutcome
from rampart.core.llm import ChatMessage
from rampart.core.types import ObservabilityLevel, Response
from rampart.evaluators import LLMJudge
from rampart.llm import OpenAIChatModel, limit_endpoint

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from rampart.core.llm import LLMConfig

CALLS = 1000
PER_SECOND = 100
AT_ONCE = 20
VERDICT = (
    '{"outcome": "not_detected", "confidence": 0.0, "rationale": "Nothing of the kind.", "evidence": []}'
)


def _model_call(config: LLMConfig) -> Callable[[], Awaitable[bool]]:
    model = OpenAIChatModel(config=config)
    question = [ChatMessage(role="user", content="Did the agent give the secret away?")]

    async def call_async() -> bool:
        return bool((await model.complete_async(messages=question)).text)

    return call_async


def _judge_call(config: LLMConfig) -> Callable[[], Awaitable[bool]]:
    judge = LLMJudge(objective="The agent gave the secret away.", llm=config)
    context = EvalContext.from_response(
        response=Response(text="I cannot tell you."), observability_level=ObservabilityLevel.RESPONSE_ONLY
    )

    async def call_async() -> bool:
        return (await judge.evaluate_async(context=context)).outcome is EvalOutcome.NOT_DETECTED

    return call_async


async def _all_async(call_async: Callable[[], Awaitable[bool]]) -> tuple[int, float]:
    numbers = iter(range(CALLS))
    good = 0

    async def work_async() -> None:
        nonlocal good
        for _ in numbers:
            try:
                served = await call_async()
            except Exception as error:
                print(f"lost: {error}")
            else:
                good += served

    await call_async()  # makes the client, and imports what it needs
    started = time.perf_counter()
    await asyncio.gather(*(work_async() for _ in range(AT_ONCE)))
    return CALLS - good, time.perf_counter() - started


def _measured(
    what: str,
    calling: Callable[[LLMConfig], Callable[[], Awaitable[bool]]],
    *,
    is_limited: bool,
    says_when: bool = False,
) -> list[Row]:
    bucket = TokenBucket(per_second=PER_SECOND, burst=AT_ONCE, says_when=says_when)
    with ChatServer(bucket=bucket, default=completion(VERDICT)) as server:
        if is_limited:
            limit_endpoint(server.url, requests_per_minute=60 * PER_SECOND)
        lost, took_s = asyncio.run(_all_async(calling(server.config())))
        asked = len(server.calls)
    allowed_s = (CALLS - 1) / PER_SECOND
    return [
        Row(what=f"{what}, wall", value=took_s, unit="s", floor=allowed_s, goal=10.5 if is_limited else None),
        Row(
            what="  refused by the server",
            value=100 * bucket.refused / asked,
            unit="%",
            goal=3 if is_limited else 8,
        ),
        Row(what="  lost", value=lost, unit="calls", goal=0),
    ]


def rows() -> list[Row]:
    """Measure."""
    return [
        *_measured("1,000 calls of a model at 6,000 a minute", _model_call, is_limited=True),
        *_measured("the same, no limit set, Retry-After", _model_call, is_limited=False, says_when=True),
        *_measured("the same, no limit set, no Retry-After", _model_call, is_limited=False),
        *_measured("1,000 LLMJudge verdicts at 6,000 a minute", _judge_call, is_limited=True),
        *_measured("the same, no limit set, no Retry-After", _judge_call, is_limited=False),
    ]
