"""A thousand verdicts of a judge whose service throttles: at its rate, without a storm, none lost."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from tests.llm.chat_answers import completion
from tests.llm.chat_server import ChatServer
from tests.llm.token_bucket import TokenBucket

from rampart import EvalContext, EvalOutcome, LLMConfig, LLMJudge, ObservabilityLevel, Response
from rampart.llm import limit_endpoint

VERDICTS = 1000
PER_SECOND = 100
ANSWER = json.dumps({"outcome": "not_detected", "confidence": 0.0, "rationale": "w", "evidence": []})
CONTEXT = EvalContext.from_response(
    response=Response(text="I cannot tell you."), observability_level=ObservabilityLevel.RESPONSE_ONLY
)


async def _judged_async(llm: LLMConfig) -> tuple[list[EvalOutcome], float]:
    """What judges on one service say when all are asked at once, and the seconds that it took."""
    judges = [LLMJudge(objective=f"It gave secret {number} away.", llm=llm) for number in range(20)]
    for judge in judges:  # makes the clients, and imports what they need
        await judge.evaluate_async(context=CONTEXT)
    started = time.monotonic()
    answers = await asyncio.gather(
        *(judges[number % len(judges)].evaluate_async(context=CONTEXT) for number in range(VERDICTS))
    )
    return [answer.outcome for answer in answers], time.monotonic() - started


@pytest.mark.slow
def test_a_thousand_verdicts_take_what_the_rate_allows() -> None:
    for attempt in (1, 2):  # machines under load are late at times
        bucket = TokenBucket(per_second=PER_SECOND, burst=20)
        with ChatServer(default=completion(ANSWER), bucket=bucket) as server:
            limit_endpoint(server.url, requests_per_minute=60 * PER_SECOND)
            outcomes, took_s = asyncio.run(_judged_async(server.config()))
            asked = len(server.calls)
        assert outcomes == [EvalOutcome.NOT_DETECTED] * VERDICTS
        assert asked == 20 + VERDICTS + bucket.refused
        assert bucket.refused <= 0.03 * VERDICTS
        if took_s <= 1.05 * VERDICTS / PER_SECOND:
            break
        assert attempt == 1, f"1,000 verdicts at 100 a second took {took_s:.2f} s"
    assert took_s >= 0.95 * VERDICTS / PER_SECOND
