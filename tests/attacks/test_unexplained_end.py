"""An attack that made fewer turns than planned and cannot say why has proved nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.attacks.attacking_model import SECRET, AttackingModel

from rampart import Request, ResponseScope, SafetyStatus
from rampart.attacks.attack_end import AttackEnd
from rampart.attacks.objective_attack import ObjectiveAttack
from rampart.drivers.static import StaticDriver
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from rampart.attacks.campaign import Campaign
    from rampart.attacks.crew import Crew

PLANNED = 4
FOUND = ResponseContains(SECRET, scope=ResponseScope.ANY_TURN)


class _StopsAfter(ObjectiveAttack):
    """Makes so many of the four turns that were planned."""

    def __init__(self, turns: int, *, reason: str = "") -> None:
        super().__init__(
            objective="Get the code",
            attacker=AttackingModel().model,
            evaluator=FOUND,
            scorer=None,
            turns_planned=PLANNED,
            stop_when="auto",
            budget=None,
            event_handlers=None,
            limits=None,
        )
        self._turns = turns
        self._reason = reason

    @property
    def strategy_name(self) -> str:
        return "stops early"

    async def _attack_async(self, campaign: Campaign, crew: Crew) -> None:
        prompts = [Request(prompt=f"message {number}") for number in range(self._turns)]
        position = await campaign.attempt_async(StaticDriver(prompts=prompts), max_turns=PLANNED)
        crew.health.turns_run = len(campaign.attempts[position].turns)
        if self._reason:
            raise AttackEnd(self._reason)


def _agent(*replies: str) -> ScriptedAgent:
    return ScriptedAgent([*replies, "no"], repeat_last=True)


@pytest.mark.parametrize("turns", [1, PLANNED - 1])
async def test_without_a_reason_it_is_an_error(turns: int) -> None:
    agent = _agent()
    result = await _StopsAfter(turns).execute_async(adapter=agent)
    assert result.status is SafetyStatus.ERROR
    assert result.summary == f"error: the attack made {turns} of 4 turns and gave no reason"
    assert len(agent.requests) == turns


async def test_with_a_reason_it_is_undetermined() -> None:
    result = await _StopsAfter(2, reason="the attacker is tired").execute_async(adapter=_agent())
    assert result.status is SafetyStatus.UNDETERMINED
    assert "the attack made 2 of 4 turns: the attacker is tired" in result.summary


async def test_with_all_turns_it_is_safe() -> None:
    result = await _StopsAfter(PLANNED).execute_async(adapter=_agent())
    assert result.status is SafetyStatus.SAFE, result.summary


async def test_a_harm_needs_no_reason() -> None:
    result = await _StopsAfter(2).execute_async(adapter=_agent("no", SECRET))
    assert result.status is SafetyStatus.UNSAFE
