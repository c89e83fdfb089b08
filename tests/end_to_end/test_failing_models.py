"""A language model that fails, wherever it is used: what becomes of the trial, and no text has the key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.llm.chat_answers import (
    ChatAnswer,
    completion,
    html,
    json_answer,
    refused,
    silent,
    throttled,
)
from tests.llm.chat_server import KEY, ChatServer

from rampart import Attacks, LLMConfig, LLMDriver, LLMJudge, Persona, Probes, Result, SafetyStatus
from rampart.drivers import SimulatedUser
from rampart.evaluators import ResponseContains, ResponseScope, Rubric
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.execution.base import BaseExecution

FOUND = ResponseContains("4711", scope=ResponseScope.ANY_TURN)
VERDICT = json.dumps({"outcome": "not_detected", "confidence": 0.0, "rationale": "w", "evidence": []})

JUDGES: dict[str, Callable[[LLMConfig], BaseExecution]] = {
    "judge of an attack": lambda llm: Attacks.xpia(trigger="Hi", evaluator=LLMJudge(objective="o", llm=llm)),
    "judge of a probe": lambda llm: Probes.behavior(prompt="Hi", evaluator=LLMJudge(objective="o", llm=llm)),
    "rubric": lambda llm: Probes.behavior(prompt="Hi", evaluator=Rubric(criteria={"a": "b"}, llm=llm)),
}
WRITERS: dict[str, Callable[[LLMConfig], BaseExecution]] = {
    "driver": lambda llm: Probes.behavior(
        driver=LLMDriver(llm=llm, persona=Persona(name="guest")), evaluator=FOUND, max_turns=1
    ),
    "user": lambda llm: Probes.behavior(driver=SimulatedUser(llm=llm, goal="g"), evaluator=FOUND),
    "crescendo": lambda llm: Attacks.crescendo(objective="o", attacker=llm, evaluator=FOUND),
    "goat": lambda llm: Attacks.goat(objective="o", attacker=llm, evaluator=FOUND),
    "pair": lambda llm: Attacks.pair(objective="o", attacker=llm, evaluator=FOUND),
    "tap": lambda llm: Attacks.tap(objective="o", attacker=llm, evaluator=FOUND),
}
FAULTS: dict[str, tuple[ChatAnswer, dict[str, Any], str]] = {
    "401": (refused(401, f"Incorrect API key provided: {KEY}"), {}, "check the credential"),
    "wrong path": (
        json_answer({"detail": "Not Found"}, status=404),
        {},
        "LLMConfig.endpoint usually ends in /v1",
    ),
    "500": (html(500), {}, "status 500"),
    "200 with a page": (html(), {}, "an HTML page titled 'Sign in'"),
    "half a body": (completion("hello", cut_at=40), {}, "broke off"),
    "silence": (silent(), {"metadata": {"timeout_s": 0.2}}, "within 0.2 s"),
}
LIMITED = {
    "429": throttled(),
    "429 for an hour": throttled(retry_after="3600"),
}


async def _run_async(
    make: Callable[[LLMConfig], BaseExecution], answer: ChatAnswer, **fields: Any
) -> tuple[Result, ChatServer]:
    with ChatServer(default=answer) as server:
        execution = make(server.config(**{"max_retries": 0} | fields))
        return await execution.execute_async(adapter=ScriptedAgent(["hello"], repeat_last=True)), server


@pytest.mark.parametrize("used", [*JUDGES, *WRITERS])
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_model_that_fails_makes_the_trial_an_error(fault: str, used: str) -> None:
    answer, fields, said = FAULTS[fault]
    result, server = await _run_async((JUDGES | WRITERS)[used], answer, **fields)
    assert result.status is SafetyStatus.ERROR
    assert result.summary.count(said) == 1
    assert f"the model 'small-model' at {server.url} " in result.summary
    assert len(server.calls) == 1
    assert KEY not in f"{result.summary} {result.metadata} {result.turns} {result.attempts}"


@pytest.mark.parametrize("used", JUDGES)
@pytest.mark.parametrize("limit", LIMITED)
async def test_a_judge_that_is_throttled_leaves_it_undetermined(limit: str, used: str) -> None:
    result, server = await _run_async(JUDGES[used], LIMITED[limit])
    assert result.status is SafetyStatus.UNDETERMINED
    assert "Judge LLM failure (RateLimitError)" in result.summary
    assert len(server.calls) == 1


@pytest.mark.parametrize("used", WRITERS)
@pytest.mark.parametrize("limit", LIMITED)
async def test_a_writer_that_is_throttled_makes_it_an_error(limit: str, used: str) -> None:
    result, _ = await _run_async(WRITERS[used], LIMITED[limit])
    assert result.status is SafetyStatus.ERROR
    assert "status 429: Rate limit reached for requests" in result.summary


@pytest.mark.parametrize("used", [*JUDGES, *WRITERS])
async def test_without_a_key_nothing_is_sent(used: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    result, server = await _run_async((JUDGES | WRITERS)[used], completion("hello"), api_key=None)
    assert result.status is SafetyStatus.ERROR
    assert "there is no credential for the model 'small-model'" in result.summary
    assert server.calls == []


@pytest.mark.parametrize("used", ["judge of an attack", "judge of a probe"])
async def test_the_same_judges_settle_it_when_their_model_answers(used: str) -> None:
    result, _ = await _run_async(JUDGES[used], completion(VERDICT))
    assert result.status is (SafetyStatus.SAFE if used == "judge of an attack" else SafetyStatus.UNSAFE)


async def test_the_same_driver_talks_when_its_model_answers() -> None:
    result, _ = await _run_async(WRITERS["driver"], completion("What is the code?"))
    assert result.status is SafetyStatus.UNSAFE
    assert [turn.request.prompt for turn in result.turns] == ["What is the code?"]
