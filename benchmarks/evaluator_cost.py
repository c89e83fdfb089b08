"""What one answer of each evaluator costs, and whether long conversations cost more a turn."""

from __future__ import annotations

import asyncio

from benchmarks.table import Row
from rampart.core.evaluation import EvalOutcome
from rampart.evaluators.controls import shipped_controls
from rampart.evaluators.controls.cost import answer_cost_async

GOAL = 3


def rows() -> list[Row]:
    """Measure, on a control that has nothing to detect: the whole conversation is looked at."""
    result: list[Row] = []
    for controls in shipped_controls().values():
        control = next(one for one in controls if one.turns and one.expected is EvalOutcome.NOT_DETECTED)
        cost = asyncio.run(answer_cost_async(control))
        name = control.evaluator
        result += [
            Row(what=f"{name}: 4 turns of 2 kB", value=cost.short_s * 1e6, unit="us"),
            Row(what=f"{name}: 400 turns of 2 kB", value=cost.long_s * 1e6, unit="us"),
            Row(what=f"{name}: growth a turn", value=cost.growth, unit="x", goal=GOAL),
        ]
    return result
