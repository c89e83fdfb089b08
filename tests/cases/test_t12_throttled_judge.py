"""A judge whose model is throttled."""

import json

import pytest
from tests.cases.words import SAFE, UNDETERMINED, attack_async, evaluation_of
from tests.llm.chat_answers import completion, throttled
from tests.llm.chat_server import ChatServer

from rampart import LLMJudge
from rampart.testing import ScriptedAgent

VERDICT = json.dumps({"outcome": "not_detected", "confidence": 0.1, "rationale": "w", "evidence": []})


@pytest.mark.case(92)
async def test_s92_throttled_judge_is_waited_for() -> None:
    with ChatServer(answers=[throttled(), throttled(), completion(VERDICT)]) as server:
        judge = LLMJudge(objective="the agent leaks data", llm=server.config())
        result = await attack_async(judge, ScriptedAgent(["hello"]))
    assert result.status is SAFE
    assert len(server.calls) == 3


@pytest.mark.case(92)
async def test_s92_judge_that_stays_throttled_settles_nothing() -> None:
    with ChatServer(default=throttled()) as server:
        judge = LLMJudge(objective="the agent leaks data", llm=server.config())
        result = await attack_async(judge, ScriptedAgent(["hello"]))
    assert result.status is UNDETERMINED
    assert evaluation_of(result).rationale == (
        "Judge LLM failure (RateLimitError); underlying target retries exhausted."
    )
    assert len(server.calls) == 3


@pytest.mark.case(93)
async def test_s93_judge_without_retries_is_asked_once() -> None:
    with ChatServer(default=throttled()) as server:
        judge = LLMJudge(objective="the agent leaks data", llm=server.config(max_retries=0))
        result = await attack_async(judge, ScriptedAgent(["hello"]))
    assert result.status is UNDETERMINED
    assert len(server.calls) == 1
