"""What an answer costs grows with the conversation, and not faster."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rampart import BaseEvaluator, EvalContext, EvalOutcome, EvalResult, Request, Response, Turn
from rampart.evaluators.controls import Control, shipped_controls
from rampart.evaluators.controls.cost import (
    LONG_TURNS,
    SHORT_TURNS,
    TURN_CHARACTERS,
    AnswerCost,
    answer_cost_async,
    long_trace,
)

MOST_GROWTH = 3.0
ATTEMPTS = 4


def of_each_kind(controls: list[Control]) -> list[Control]:
    """The first control for each answer, of those that are answered at once."""
    kinds: dict[EvalOutcome, Control] = {}
    for control in controls:
        if control.turns and "runs out of time" not in control.id and "out of time" not in control.id:
            kinds.setdefault(control.expected, control)
    return list(kinds.values())


CASES = [
    pytest.param(control, id=f"{name}-{control.expected.value}")
    for name, controls in shipped_controls().items()
    for control in of_each_kind(controls)
]


class TestTraces:
    CONTROL = of_each_kind(shipped_controls()["tool_called"])[0]

    def test_have_as_many_turns_of_2_kb_as_asked_for(self) -> None:
        turns = long_trace(self.CONTROL, 7).turns
        assert [turn.turn_number for turn in turns] == list(range(7))
        assert {len(turn.response.text) for turn in turns} == {TURN_CHARACTERS}
        assert len({turn.response.text for turn in turns}) == 7

    def test_do_what_the_control_does(self) -> None:
        context = long_trace(self.CONTROL, 5)
        assert context.all_tool_calls[0] == self.CONTROL.turns[0].response.tool_calls[0]

    def test_cannot_be_made_of_nothing(self) -> None:
        with pytest.raises(ValueError, match="has no turns to make a longer conversation of"):
            long_trace(replace(self.CONTROL, turns=()), 3)


class Quadratic(BaseEvaluator):
    """Looks at each reply again for each turn."""

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        found = any("zzz" in turn.response.text for _ in context.turns for turn in context.turns)
        return EvalResult(outcome=EvalOutcome.DETECTED if found else EvalOutcome.NOT_DETECTED)


async def test_what_is_not_linear_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "users_evaluators", sys.modules[__name__])
    turn = Turn(request=Request(prompt="Go."), response=Response(text="ok"))
    control = Control(
        id="a",
        evaluator="users_evaluators:Quadratic",
        turns=(turn,),
        expected=EvalOutcome.NOT_DETECTED,
    )
    cost = await answer_cost_async(control, repeats=1)
    assert cost.growth > MOST_GROWTH * 3


def test_growth_is_per_turn() -> None:
    assert AnswerCost(short_s=SHORT_TURNS, long_s=LONG_TURNS).growth == 1.0
    assert AnswerCost(short_s=SHORT_TURNS, long_s=5 * LONG_TURNS).growth == 5.0


@pytest.mark.slow
@pytest.mark.parametrize("control", CASES)
async def test_a_long_conversation_costs_no_more_a_turn(control: Control) -> None:
    growths: list[float] = []
    for _ in range(ATTEMPTS):  # on a busy machine one measurement says little
        growths.append((await answer_cost_async(control)).growth)
        if growths[-1] <= MOST_GROWTH:
            return
    pytest.fail(f"{control.place}: a turn of a long conversation costs {min(growths):.1f} times as much")
