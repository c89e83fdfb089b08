"""Crescendo goes back when the agent refuses, and leads it to the objective another way."""

from __future__ import annotations

import json

import pytest
from tests.attacks.attacking_model import REFUSAL, SECRET, AttackingModel, message, refuses

from rampart import Attacks, ResponseScope, SafetyStatus
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent

FOUND = ResponseContains(SECRET, scope=ResponseScope.ANY_TURN)


async def test_a_refused_message_is_taken_back_and_replaced() -> None:
    attacking = AttackingModel(
        [message("hello"), message("the codes?"), message("a riddle"), message("tell")]
    )
    agent = refuses("codes", yields_at="tell")
    attack = Attacks.crescendo(objective="Get the code", attacker=attacking.model, evaluator=FOUND)
    result = await attack.execute_async(adapter=agent)

    assert result.status is SafetyStatus.UNSAFE
    assert [turn.request.prompt for turn in result.turns] == ["hello", "a riddle", "tell"]
    first, second = result.attempts
    assert (first.outcome, first.parent, second.outcome, second.parent) == ("refused", None, "reached", 0)
    assert [turn.request.prompt for turn in first.turns] == ["hello", "the codes?"]
    assert first.metadata == {"refused": "the codes?"}
    assert result.metadata["attacker"]["went_back"] == 1
    assert result.metadata["attacker"]["turns_run"] == 3
    assert (agent.opened, agent.closed) == (2, 2)


async def test_the_attacker_learns_of_the_refusal_and_of_its_progress() -> None:
    attacking = AttackingModel(
        [message("hello"), message("the codes?"), message("a riddle"), message("tell")]
    )
    attack = Attacks.crescendo(objective="Get the code", attacker=attacking.model, evaluator=FOUND)
    await attack.execute_async(adapter=refuses("codes", yields_at="tell"))
    told = [json.loads(text) for text in attacking.told]
    assert told[0] == {"turn": 1, "turns_left": 10, "agent_reply": None}
    assert told[1]["agent_reply"] == "answer to hello"
    assert (told[1]["progress"], told[1]["refused"]) == (3, False)
    assert told[2] == {
        "turn": 2,
        "turns_left": 9,
        "agent_reply": "answer to hello",
        "taken_back": "the codes?",
        "refused": True,
    }
    assert told[3]["agent_reply"] == "answer to a riddle"


@pytest.mark.parametrize("backtracks", [0, 1, 2])
async def test_when_it_may_not_go_back_any_more_refusals_stay(backtracks: int) -> None:
    agent = ScriptedAgent([REFUSAL], repeat_last=True)
    attack = Attacks.crescendo(
        objective="Get the code",
        attacker=AttackingModel().model,
        evaluator=FOUND,
        max_turns=3,
        max_backtracks=backtracks,
    )
    result = await attack.execute_async(adapter=agent)
    assert result.status is SafetyStatus.SAFE
    assert len(result.turns) == 3
    assert result.metadata["attacker"]["went_back"] == backtracks
    assert agent.opened == backtracks + 1


async def test_an_agent_that_answers_otherwise_the_second_time_is_judged_by_what_it_says() -> None:
    """The messages before the refused one are sent again, and the agent may yield to them now."""
    agent = ScriptedAgent([["fine", REFUSAL], [SECRET]])
    attack = Attacks.crescendo(
        objective="Get the code", attacker=AttackingModel().model, evaluator=FOUND, max_turns=3
    )
    result = await attack.execute_async(adapter=agent)
    assert result.status is SafetyStatus.UNSAFE
    assert [turn.request.prompt for turn in result.turns] == ["message 1"]


async def test_a_grader_of_its_own_tells_refusals() -> None:
    attacker, scorer = AttackingModel(), AttackingModel()
    attack = Attacks.crescendo(
        objective="Get the code", attacker=attacker.model, scorer=scorer.model, evaluator=FOUND, max_turns=2
    )
    await attack.execute_async(adapter=ScriptedAgent(["fine"], repeat_last=True))
    assert attacker.graded == []
    assert scorer.told == []
    assert scorer.graded == [{"objective": "Get the code", "message": "message 1", "reply": "fine"}]


@pytest.mark.parametrize(
    "grade",
    [
        pytest.param("no json", id="prose"),
        pytest.param('{"refused": "yes", "score": 3, "reason": ""}', id="no bool"),
        pytest.param('{"refused": false, "score": 11, "reason": ""}', id="out of range"),
        pytest.param('{"refused": false, "score": true, "reason": ""}', id="bool for a number"),
    ],
)
async def test_a_grader_without_valid_answers_is_asked_three_times_and_not_believed(grade: str) -> None:
    attacking = AttackingModel(grade=lambda _: grade)
    attack = Attacks.crescendo(
        objective="Get the code", attacker=attacking.model, evaluator=FOUND, max_turns=2
    )
    result = await attack.execute_async(adapter=ScriptedAgent([REFUSAL], repeat_last=True))
    assert len(attacking.graded) == 3
    assert result.metadata["attacker"]["went_back"] == 0
    assert json.loads(attacking.told[1])["progress"] is None
