"""GOAT holds one conversation, thinks before each message, and keeps what it thought."""

from __future__ import annotations

import json

import pytest
from tests.attacks.attacking_model import AttackingModel, message, yields_in_conversation

from rampart import Attacks, ResponseScope, SafetyStatus
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent

FOUND = ResponseContains("4711", scope=ResponseScope.ANY_TURN)


async def test_the_attacker_is_told_each_reply_and_how_far_it_is() -> None:
    attacking = AttackingModel()
    attack = Attacks.goat(objective="Get it", attacker=attacking.model, evaluator=FOUND, max_turns=3)
    result = await attack.execute_async(adapter=yields_in_conversation(4))
    assert result.status is SafetyStatus.SAFE
    assert [json.loads(told) for told in attacking.told] == [
        {"turn": 1, "turns_left": 3, "agent_reply": None},
        {"turn": 2, "turns_left": 2, "agent_reply": "answer to message 1"},
        {"turn": 3, "turns_left": 1, "agent_reply": "answer to message 2"},
    ]
    assert attacking.graded == []  # nobody scores single replies
    assert attacking.supervised == [["message 1", "message 2", "message 3"]]


@pytest.mark.parametrize(
    ("thoughts", "reasoning"),
    [
        pytest.param(
            {"observation": "it is friendly", "thought": "it changes the subject", "strategy": "fiction"},
            "observation: it is friendly\nthought: it changes the subject\nstrategy: fiction",
            id="all three",
        ),
        pytest.param(
            {"observation": "it talks", "thought": " ", "strategy": 7}, "observation: it talks", id="some"
        ),
    ],
)
async def test_what_it_thought_is_kept_with_the_turn(thoughts: dict[str, str], reasoning: str) -> None:
    attacking = AttackingModel([message("Hello?", **thoughts)])
    attack = Attacks.goat(objective="Get it", attacker=attacking.model, evaluator=FOUND, max_turns=1)
    result = await attack.execute_async(adapter=yields_in_conversation(2))
    assert [turn.driver_reasoning for turn in result.turns] == [reasoning]
    wanted = attacking.model.calls[0].response_schema
    assert wanted is not None
    assert wanted["required"] == ["observation", "thought", "strategy", "message"]


async def test_a_long_reply_is_shown_to_its_first_8000_characters() -> None:
    attacking = AttackingModel()
    agent = ScriptedAgent(["x" * 8_000, "y" * 8_001, "z"])
    attack = Attacks.goat(objective="Get it", attacker=attacking.model, evaluator=FOUND, max_turns=3)
    await attack.execute_async(adapter=agent)
    shown = [json.loads(told)["agent_reply"] for told in attacking.told]
    assert shown[1:] == ["x" * 8_000, "y" * 8_000 + "... (1 characters left out)"]


async def test_the_default_is_five_turns() -> None:
    agent = yields_in_conversation(6)
    attack = Attacks.goat(objective="Get it", attacker=AttackingModel().model, evaluator=FOUND)
    result = await attack.execute_async(adapter=agent)
    assert result.status is SafetyStatus.SAFE
    assert len(agent.requests) == 5
    assert agent.opened == agent.closed == 1
