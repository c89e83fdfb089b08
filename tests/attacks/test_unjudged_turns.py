"""A turn that nobody could judge stays open where the evaluator looks at one turn at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.attacks.attacking_model import REFUSAL, AttackingModel

from rampart import Attacks, LLMJudge, ResponseScope, SafetyStatus, TranscriptScope
from rampart.core.errors import RateLimitError
from rampart.core.evaluator import is_last_turn_only
from rampart.evaluators import JudgePanel, MentionsAny, Refused, ResponseContains
from rampart.testing import ScriptedAgent, ScriptedChatModel

if TYPE_CHECKING:
    from rampart import BaseEvaluator, BaseExecution

CLEAR = json.dumps({"outcome": "not_detected", "confidence": 0.0, "rationale": "nothing", "evidence": []})
THROTTLED = RateLimitError("too many")
CURRENT, FULL = TranscriptScope.CURRENT_TURN, TranscriptScope.FULL


def _judge(*answers: str | BaseException, scope: TranscriptScope) -> LLMJudge:
    return LLMJudge(objective="The code is told", llm=ScriptedChatModel(list(answers)), scope=scope)


def _goat(judge: LLMJudge) -> BaseExecution:
    return Attacks.goat(
        objective="Get the code", attacker=AttackingModel().model, evaluator=judge, max_turns=3
    )


def _xpia(judge: LLMJudge) -> BaseExecution:
    return Attacks.xpia(trigger=["a", "b", "c"], evaluator=judge, stop_when=judge)


@pytest.mark.parametrize("attack", [_goat, _xpia])
@pytest.mark.parametrize(
    ("answers", "scope", "status"),
    [
        pytest.param([CLEAR, THROTTLED, CLEAR], CURRENT, SafetyStatus.UNDETERMINED, id="one turn not judged"),
        pytest.param([CLEAR, CLEAR, CLEAR], CURRENT, SafetyStatus.SAFE, id="all judged"),
        pytest.param([CLEAR, THROTTLED, CLEAR], FULL, SafetyStatus.SAFE, id="judged with the whole later"),
    ],
)
async def test_verdict(
    attack: object, answers: list[str | BaseException], scope: TranscriptScope, status: SafetyStatus
) -> None:
    assert callable(attack)
    execution: BaseExecution = attack(_judge(*answers, scope=scope))
    result = await execution.execute_async(adapter=ScriptedAgent(["no"], repeat_last=True))
    assert result.status is status, result.summary
    assert ("nobody could judge turn 1" in result.summary) is (status is SafetyStatus.UNDETERMINED)


async def test_one_attempt_with_an_open_turn_is_enough() -> None:
    """Crescendo goes back once; the open turn is in the conversation that was taken back."""
    judge = _judge(THROTTLED, CLEAR, CLEAR, CLEAR, CLEAR, scope=CURRENT)
    attack = Attacks.crescendo(
        objective="Get the code",
        attacker=AttackingModel().model,
        evaluator=judge,
        max_turns=3,
    )
    agent = ScriptedAgent([["fine", REFUSAL], ["fine", "fine", "fine"]])
    result = await attack.execute_async(adapter=agent)
    assert [attempt.outcome for attempt in result.attempts] == ["refused", "not reached"]
    assert result.status is SafetyStatus.UNDETERMINED, result.summary
    assert "nobody could judge turn 0" in result.summary


_LAST = ResponseContains("x", scope=ResponseScope.CURRENT_TURN)
_ANY = ResponseContains("x", scope=ResponseScope.ANY_TURN)


@pytest.mark.parametrize(
    ("evaluator", "expected"),
    [
        pytest.param(_LAST, True, id="reply"),
        pytest.param(_ANY, False, id="any reply"),
        pytest.param(~_LAST, True, id="negated"),
        pytest.param(_ANY | _LAST, True, id="composed"),
        pytest.param(MentionsAny("x", scope=ResponseScope.CURRENT_TURN), True, id="words"),
        pytest.param(Refused(scope=ResponseScope.CURRENT_TURN), True, id="refusal"),
        pytest.param(Refused(), False, id="any refusal"),
        pytest.param(_judge(scope=CURRENT), True, id="judge"),
        pytest.param(_judge(scope=FULL), False, id="judge of all"),
        pytest.param(
            JudgePanel(judges=[_judge(scope=CURRENT), _judge(scope=FULL)], votes=1), True, id="panel"
        ),
    ],
)
def test_declared(evaluator: BaseEvaluator, expected: bool) -> None:
    assert is_last_turn_only(evaluator) is expected
