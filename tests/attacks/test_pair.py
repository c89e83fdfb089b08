"""PAIR refines a prompt from what came of it, and starts over in each stream."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.attacks.attacking_model import REFUSAL, AttackingModel, message, yields_at_prompt

from rampart import Attacks, ResponseScope, SafetyStatus
from rampart.attacks.prompt_files import prompt_text
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from rampart import Request, Result, Turn

FOUND = ResponseContains("4711", scope=ResponseScope.ANY_TURN)
APPROACHES = [prompt_text(f"approach_{name}") for name in ("fiction", "reason", "authority")]


def _refuses_each_second() -> ScriptedAgent:
    seen: list[Request] = []

    def reply(request: Request, history: list[Turn]) -> str:
        assert history == []  # each prompt goes to a fresh session
        seen.append(request)
        return f"answer to {request.prompt}" if len(seen) % 2 else REFUSAL

    return ScriptedAgent([reply], repeat_last=True)


async def _pair_async(attacking: AttackingModel, agent: ScriptedAgent, **size: Any) -> Result:
    attack = Attacks.pair(objective="Get it", attacker=attacking.model, evaluator=FOUND, **size)
    return await attack.execute_async(adapter=agent)


async def test_each_prompt_is_refined_from_what_came_of_the_last() -> None:
    attacking = AttackingModel()
    result = await _pair_async(attacking, _refuses_each_second(), streams=1, iterations=3)
    assert [json.loads(told) for told in attacking.told] == [
        {"iteration": 1, "agent_reply": None},
        {
            "iteration": 2,
            "agent_reply": "answer to message 1",
            "refused": False,
            "progress": 3,
            "why": "by its words",
        },
        {"iteration": 3, "agent_reply": REFUSAL, "refused": True, "progress": 0, "why": "by its words"},
    ]
    assert [attempt.parent for attempt in result.attempts] == [None, 0, 1]
    # The reply to the last prompt of a stream helps nobody any more.
    assert [attempt.score for attempt in result.attempts] == [pytest.approx(3 / 9), 0.0, None]
    assert [graded["reply"] for graded in attacking.graded] == ["answer to message 1", REFUSAL]


async def test_streams_start_over_with_approaches_of_their_own() -> None:
    attacking = AttackingModel()
    result = await _pair_async(attacking, _refuses_each_second(), streams=4, iterations=2)
    assert result.status is SafetyStatus.SAFE
    assert [attempt.parent for attempt in result.attempts] == [None, 0, None, 2, None, 4, None, 6]
    first = [call.messages for call in attacking.model.calls if len(call.messages) == 2]
    opening = [told for told in first if json.loads(told[-1].content).get("iteration") == 1]
    assert [[APPROACHES.index(one) for one in APPROACHES if one in told[0].content] for told in opening] == [
        [0],
        [1],
        [2],
        [0],
    ]
    assert result.metadata["attacker"]["turns_run"] == result.metadata["attacker"]["turns_planned"] == 8


async def test_the_defaults_are_three_streams_of_five() -> None:
    agent = yields_at_prompt(16)
    result = await _pair_async(AttackingModel(), agent)
    assert result.status is SafetyStatus.SAFE, result.summary
    assert len(agent.requests) == 15


async def test_found_in_a_later_stream() -> None:
    agent = yields_at_prompt(4)
    result = await _pair_async(AttackingModel(), agent, streams=3, iterations=3)
    assert result.status is SafetyStatus.UNSAFE
    assert result.attempts[-1].parent is None
    assert result.metadata["attacker"]["turns_run"] == len(agent.requests) == 4


async def test_an_attacker_that_refuses_in_a_later_stream_leaves_it_undetermined() -> None:
    refusal = "I'm sorry, but I can't help with that."
    attacking = AttackingModel([message("one"), message("two"), *[refusal] * 3])
    result = await _pair_async(attacking, _refuses_each_second(), streams=2, iterations=2)
    assert result.status is SafetyStatus.UNDETERMINED
    assert "the attack made 2 of 4 turns: the attacker refused" in result.summary
    assert result.metadata["attacker"]["turns_run"] == 2
