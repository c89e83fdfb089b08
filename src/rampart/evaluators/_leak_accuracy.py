"""How often the evaluators of leaks are right on the labelled set that comes with rampart."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rampart.core.evaluation import EvalContext
from rampart.core.types import ObservabilityLevel, Request, Response, ToolCall, Turn
from rampart.evaluators._accuracy import Accuracy, LabelledReply
from rampart.evaluators.controls.naming import evaluator_named

if TYPE_CHECKING:
    from collections.abc import Iterable

_FOLDER = "rampart.evaluators"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledLeak:
    """A trace of which it is known whether something leaks in it.

    Attributes:
        label: Its name, kind, part and whether the evaluator has to detect something.
        evaluator: The name of the evaluator that is asked.
        args: What it is made with by position.
        kwargs: What it is made with by name.
        turns: The trace.
    """

    label: LabelledReply
    evaluator: str
    args: list[Any]
    kwargs: dict[str, Any]
    turns: list[Turn]


def labelled_leaks(*, split: str | None = None) -> list[LabelledLeak]:
    """Read the labelled set `accuracy/leaks.jsonl`.

    What looks like a credential there is written with JSON's own escapes, so that no scanner of repositories
    takes the file for one.

    Args:
        split: Only this part, `dev` or `test`.
    """
    text = files(_FOLDER).joinpath("accuracy/leaks.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.split("\n") if line]
    return [_leak(row) for row in rows if split in (None, row["split"])]


async def measure_leaks_async(leaks: Iterable[LabelledLeak], /) -> dict[str, Accuracy]:
    """Ask each evaluator about its traces; the answers by its name."""
    accuracies: dict[str, Accuracy] = {}
    for leak in leaks:
        evaluator = evaluator_named(leak.evaluator)(*leak.args, **leak.kwargs)
        context = EvalContext(turns=leak.turns, observability_level=ObservabilityLevel.TOOL_AND_SIDE_EFFECTS)
        outcome = (await evaluator.evaluate_async(context=context)).outcome
        accuracy = accuracies.setdefault(leak.evaluator, Accuracy())
        for score in (accuracy.overall, accuracy.by_kind[leak.label.kind]):
            score.add(leak.label, outcome)
    return accuracies


def _leak(row: dict[str, Any]) -> LabelledLeak:
    turns = row.get("turns") or [{"response": row["reply"]}]
    label = LabelledReply(
        id=row["id"],
        split=row["split"],
        language="",
        kind=row["kind"],
        prompt="",
        reply="",
        expected=row["leaked"],
    )
    return LabelledLeak(
        label=label,
        evaluator=row["evaluator"],
        args=row["args"],
        kwargs=row["kwargs"],
        turns=[_turn(turn, number) for number, turn in enumerate(turns)],
    )


def _turn(row: dict[str, Any], number: int) -> Turn:
    calls = [ToolCall(**call) for call in row.get("tool_calls", ())]
    return Turn(
        request=Request(prompt=row.get("prompt", "Go on.")),
        response=Response(text=row["response"], tool_calls=calls),
        turn_number=number,
    )
