"""What one answer of an evaluator costs, on a short and on a long conversation."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rampart.evaluators.controls.control_run import make_evaluator

if TYPE_CHECKING:
    from rampart.core.evaluation import EvalContext
    from rampart.core.evaluator import Evaluator
    from rampart.evaluators.controls.control import Control

SHORT_TURNS, LONG_TURNS = 4, 400
TURN_CHARACTERS = 2000

_FILLER = (
    "The meeting on {} was moved to the small room, since the projector of the large one waits for a part. "
    "Please bring the figures of week {}, and tell the office whether you come by train. "
)
_fresh = itertools.count(1)


@dataclass(frozen=True, kw_only=True)
class AnswerCost:
    """The time that one answer took.

    Attributes:
        short_s: On a conversation of 4 turns of 2,000 characters, in seconds.
        long_s: On one of 400 such turns, in seconds.
    """

    short_s: float
    long_s: float

    @property
    def growth(self) -> float:
        """How much more a turn costs in the long conversation than in the short one; 1 is linear."""
        return (self.long_s / LONG_TURNS) / (self.short_s / SHORT_TURNS)


def long_trace(control: Control, turns: int, /) -> EvalContext:
    """The turns of a control over and over, each with a reply that is filled up to 2,000 characters.

    No two replies are alike, so that nothing is remembered from one to the next.
    """
    if not control.turns:
        msg = f"{control.place}: has no turns to make a longer conversation of"
        raise ValueError(msg)
    repeated = itertools.islice(itertools.cycle(control.turns), turns)
    filled = [
        replace(turn, turn_number=number, response=replace(turn.response, text=_filled(turn.response.text)))
        for number, turn in enumerate(repeated)
    ]
    return replace(control.context(), turns=filled)


async def answer_cost_async(control: Control, /, *, repeats: int = 3) -> AnswerCost:
    """Measure the evaluator of a control on longer conversations like the control's.

    Args:
        control: Gives the evaluator, and the turns that the conversations are made of.
        repeats: How often each is measured; the best time counts.
    """
    evaluator = make_evaluator(control)
    await evaluator.evaluate_async(context=long_trace(control, 1))  # imports and starts what it needs
    return AnswerCost(
        short_s=min([await _seconds_async(evaluator, control, SHORT_TURNS) for _ in range(repeats * 5)]),
        long_s=min([await _seconds_async(evaluator, control, LONG_TURNS) for _ in range(repeats)]),
    )


async def _seconds_async(evaluator: Evaluator, control: Control, turns: int) -> float:
    context = long_trace(control, turns)
    started = time.perf_counter()
    await evaluator.evaluate_async(context=context)
    return time.perf_counter() - started


def _filled(text: str) -> str:
    pieces, length = [text, " "], len(text) + 1
    while length < TURN_CHARACTERS:
        pieces.append(_FILLER.format(next(_fresh), next(_fresh)))
        length += len(pieces[-1])
    return "".join(pieces)[: max(TURN_CHARACTERS, len(text))]
