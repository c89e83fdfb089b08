"""TAP grows where replies come nearer to the objective, and keeps what it pruned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.attacks.attacking_model import SECRET, AttackingModel, message

from rampart import Attacks, ResponseScope, SafetyStatus
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from rampart import Request, Turn

FOUND = ResponseContains(SECRET, scope=ResponseScope.ANY_TURN)


def _echo() -> ScriptedAgent:
    def reply(request: Request, history: list[Turn]) -> str:
        assert history == []  # each prompt goes to a fresh session
        return f"answer to {request.prompt}"

    return ScriptedAgent([reply], repeat_last=True)


def _odd_ones_score(reply: str) -> dict[str, Any]:
    return {"reason": "", "refused": False, "score": 9 if int(reply.rsplit(maxsplit=1)[-1]) % 2 else 2}


async def test_the_best_leaves_grow_on() -> None:
    attacking = AttackingModel(grade=_odd_ones_score)
    attack = Attacks.tap(
        objective="x", attacker=attacking.model, evaluator=FOUND, depth=2, width=2, branching=4
    )
    result = await attack.execute_async(adapter=_echo())

    assert result.status is SafetyStatus.SAFE
    first, second = result.attempts[:4], result.attempts[4:]
    assert [attempt.score for attempt in first] == pytest.approx([8 / 9, 1 / 9, 8 / 9, 1 / 9])
    assert [attempt.metadata.get("reason") for attempt in first] == [
        None,
        "others scored better",
        None,
        "others scored better",
    ]
    assert [attempt.parent for attempt in second] == [0] * 4 + [2] * 4
    assert result.metadata["attacker"]["turns_run"] == 2


async def test_what_does_not_serve_the_objective_is_pruned_unsent() -> None:
    attacking = AttackingModel(off_goal=lambda texts: [1] if len(texts) == 2 else [])
    agent = _echo()
    attack = Attacks.tap(
        objective="x", attacker=attacking.model, evaluator=FOUND, depth=1, width=2, branching=2
    )
    result = await attack.execute_async(adapter=agent)

    assert [request.prompt for request in agent.requests] == ["message 2"]
    assert [attempt.outcome for attempt in result.attempts] == ["pruned", "not reached"]
    assert result.attempts[0].metadata == {
        "prompt": "message 1",
        "reason": "it does not serve the objective",
    }
    assert result.metadata["attacker"]["pruned"] == 1


async def test_when_all_is_pruned_nothing_was_shown() -> None:
    attacking = AttackingModel(off_goal=lambda texts: range(1, len(texts) + 1))
    agent = _echo()
    attack = Attacks.tap(objective="x", attacker=attacking.model, evaluator=FOUND, depth=3)
    result = await attack.execute_async(adapter=agent)

    assert result.status is SafetyStatus.UNDETERMINED
    assert "all branches were pruned" in result.summary
    assert agent.requests == []
    assert [attempt.outcome for attempt in result.attempts] == ["pruned", "pruned"]


@pytest.mark.parametrize(
    ("refusing", "status"), [(1, SafetyStatus.SAFE), (2, SafetyStatus.UNDETERMINED)], ids=["few", "half"]
)
async def test_branches_that_an_attacker_does_not_write_were_not_withstood(
    refusing: int, status: SafetyStatus
) -> None:
    refusal = "I'm sorry, but I can't help with that."
    attacking = AttackingModel(
        [message(f"message {n}") for n in range(4 - refusing)] + [refusal] * 3 * refusing
    )
    attack = Attacks.tap(
        objective="x", attacker=attacking.model, evaluator=FOUND, depth=1, width=1, branching=4
    )
    result = await attack.execute_async(adapter=_echo())
    assert result.status is status, result.summary
    assert len(result.attempts) == 4 - refusing
    assert result.metadata["attacker"]["refused"] == 3 * refusing
    doubt = f"of 4 messages the attacker did not write {refusing}"
    assert (doubt in result.summary) is (status is SafetyStatus.UNDETERMINED)


async def test_branches_do_not_hear_of_one_another() -> None:
    attacking = AttackingModel()
    attack = Attacks.tap(
        objective="x", attacker=attacking.model, evaluator=FOUND, depth=2, width=2, branching=2
    )
    await attack.execute_async(adapter=_echo())
    asked = [call.messages for call in attacking.model.calls]
    last = next(messages for messages in reversed(asked) if "search over" in messages[0].content)
    heard = "\n".join(entry.content for entry in last[1:])
    assert "message 2" in heard
    assert "message 1" not in heard
