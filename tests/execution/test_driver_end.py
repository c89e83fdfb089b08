"""Why a driver ended the conversation reaches the result, where the driver says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rampart import Attacks, Probes, PromptDecision, Request, ResponseScope
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from rampart import Result, Turn

_OK = ResponseContains("ok", scope=ResponseScope.ANY_TURN)


class _SaysOneThing:
    def __init__(self, end_reason: object) -> None:
        self.end_reason = end_reason

    async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision | None:
        return None if history else PromptDecision(request=Request(prompt="Hello"))


async def _probe_async(driver: _SaysOneThing, *, max_turns: int = 25) -> Result:
    probe = Probes.behavior(driver=driver, evaluator=_OK, max_turns=max_turns)
    return await probe.execute_async(adapter=ScriptedAgent(["ok"]))


async def test_a_probe_keeps_it() -> None:
    assert (await _probe_async(_SaysOneThing("all is said"))).metadata == {"driver_end": "all is said"}


async def test_an_attack_keeps_it() -> None:
    attack = Attacks.xpia(trigger=_SaysOneThing("all is said"), evaluator=_OK, stop_when=None)
    result = await attack.execute_async(adapter=ScriptedAgent(["no"]))
    assert result.metadata["driver_end"] == "all is said"


@pytest.mark.parametrize("reason", [None, 5], ids=str)
async def test_what_is_no_reason_is_left_out(reason: object) -> None:
    assert (await _probe_async(_SaysOneThing(reason))).metadata == {}


async def test_a_driver_that_was_not_asked_again_ended_nothing() -> None:
    assert (await _probe_async(_SaysOneThing("all is said"), max_turns=1)).metadata == {}
