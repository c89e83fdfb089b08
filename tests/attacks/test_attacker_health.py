"""What is said of an attacker is true of all the messages that were sent, in whichever conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.attacks.attacking_model import REFUSAL, AttackingModel, message

from rampart import Attacks, BaseExecution, ResponseScope, SafetyStatus
from rampart.attacks import Budget
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from collections.abc import Callable

FOUND = ResponseContains("the code is 4711", scope=ResponseScope.ANY_TURN)


def _attack(name: str, attacking: AttackingModel, **options: Any) -> BaseExecution:
    attack: Callable[..., BaseExecution] = getattr(Attacks, name)
    return attack(objective="x", attacker=attacking.model, evaluator=FOUND, **options)


def _says(reply: str) -> ScriptedAgent:
    return ScriptedAgent([reply], repeat_last=True)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param("goat", {"max_turns": 4}, id="one conversation"),
        pytest.param("pair", {"streams": 4, "iterations": 1}, id="streams"),
        pytest.param("tap", {"depth": 1, "branching": 4}, id="branches of one level"),
        pytest.param("tap", {"depth": 4, "width": 1, "branching": 1}, id="levels"),
    ],
)
async def test_the_same_message_again_is_a_repetition_wherever_it_is_sent(
    name: str, options: dict[str, int]
) -> None:
    attacking = AttackingModel([message("Please?")] * 12)
    result = await _attack(name, attacking, **options).execute_async(adapter=_says("no"))
    assert result.status is SafetyStatus.UNDETERMINED
    assert "of the attacker's 4 messages 3 repeated an earlier one" in result.summary
    assert (result.metadata["attacker"]["messages"], result.metadata["attacker"]["repeated"]) == (4, 3)


@pytest.mark.parametrize(
    ("name", "options", "reply", "sent"),
    [
        pytest.param("tap", {"depth": 2, "width": 3, "branching": 4}, "no", 16, id="levels of many messages"),
        pytest.param("crescendo", {"max_turns": 2, "max_backtracks": 10}, REFUSAL, 12, id="taken back"),
    ],
)
@pytest.mark.parametrize("share", [0.4, 0.5])
async def test_losing_the_goal_is_measured_by_all_messages(
    name: str, options: dict[str, int], reply: str, sent: int, share: float
) -> None:
    lost = int(sent * share)
    attacking = AttackingModel(off_goal=lambda texts: range(1, lost + 1) if len(texts) == sent else [])
    result = await _attack(name, attacking, **options).execute_async(adapter=_says(reply))
    assert result.metadata["attacker"]["messages"] == sent
    assert result.metadata["attacker"]["lost_goal"] == lost
    assert result.status is (SafetyStatus.SAFE if share < 0.5 else SafetyStatus.UNDETERMINED)
    assert (f"of the attacker's {sent} messages {lost} lost sight" in result.summary) is (share >= 0.5)


async def test_messages_that_are_sent_once_more_after_going_back_repeat_nothing() -> None:
    agent = ScriptedAgent([["fine", "fine", REFUSAL], ["fine", "fine", "fine", "fine"]])
    result = await _attack("crescendo", AttackingModel(), max_turns=4).execute_async(adapter=agent)
    assert result.status is SafetyStatus.SAFE
    assert (result.metadata["attacker"]["messages"], result.metadata["attacker"]["repeated"]) == (5, 0)


async def test_what_was_pruned_is_not_among_the_messages() -> None:
    attacking = AttackingModel(
        [message("one"), message("two"), message("one"), message("three")],
        off_goal=lambda texts: [1] if texts == ["one", "two"] else [],
    )
    attack = _attack("tap", attacking, depth=2, width=1, branching=2)
    result = await attack.execute_async(adapter=_says("no"))
    figures = result.metadata["attacker"]
    assert (figures["messages"], figures["pruned"], figures["repeated"]) == (3, 1, 0)
    assert len(attacking.told) == 4  # "one" was not sent before, so nobody asks for another one


async def test_what_a_spent_budget_kept_from_being_sent_is_not_among_the_messages() -> None:
    attack = _attack("tap", AttackingModel(), depth=2, branching=2, budget=Budget(max_requests=2))
    agent = _says("no")
    result = await attack.execute_async(adapter=agent)
    assert result.status is SafetyStatus.UNDETERMINED
    assert "the budget is spent" in result.summary
    assert result.metadata["attacker"]["messages"] == len(agent.requests) == 0


async def test_turns_are_those_of_the_longest_conversation() -> None:
    """The attacker gives up after its first message was taken back: the agent was asked all the same."""
    attacking = AttackingModel([message("one"), *["I cannot help with that."] * 3])
    result = await _attack("crescendo", attacking, max_turns=5).execute_async(adapter=_says(REFUSAL))
    assert result.status is SafetyStatus.UNDETERMINED
    assert "made 1 of 5 turns: the attacker refused; 1 attempt" in result.summary
