"""What `rampart evaluators accuracy` does: the evaluators, measured on labelled sets and controls."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections import Counter
from importlib import resources
from typing import TYPE_CHECKING, Any

from rampart.core.evaluation import EvalOutcome
from rampart.core.evaluator import channels_of
from rampart.evaluators._accuracy import (
    Accuracy,
    LabelledReply,
    Rate,
    Score,
    labelled_replies,
    measure_async,
)
from rampart.evaluators.controls.control_run import make_evaluator, run_control_async
from rampart.evaluators.controls.cost import answer_cost_async
from rampart.evaluators.controls.reading import control_of, shipped_controls
from rampart.evaluators.controls.table import Table
from rampart.evaluators.refused import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rampart.evaluators.controls.control import Control

_HELD_OUT = "test"
_LEAKS = "leaks"


def accuracy_tables() -> list[Table]:
    """What each evaluator needs and cannot see, and how often it is right on what people labelled.

    Measured on the half of each labelled set that no rule was made from.
    """
    refused = asyncio.run(
        measure_async(Refused(), labelled_replies("refused", label="refused", split=_HELD_OUT))
    )
    measured = {"Refused": refused, **asyncio.run(leak_accuracies_async())}
    leaks = {name: one for name, one in measured.items() if name != "Refused"}
    return [
        _needs_table(),
        _overall_table(measured),
        _language_table("`Refused` by language", refused.by_language),
        _kind_table("`Refused` by kind", refused.by_kind),
        _kind_table(
            "Leaks by kind", {kind: score for one in leaks.values() for kind, score in one.by_kind.items()}
        ),
    ]


def cost_table() -> Table:
    """What one answer of each evaluator costs here and now."""
    rows: list[tuple[str, ...]] = []
    for controls in shipped_controls().values():
        control = next(one for one in controls if one.turns and one.expected is EvalOutcome.NOT_DETECTED)
        cost = asyncio.run(answer_cost_async(control))
        rows.append(
            (
                f"`{control.evaluator}`",
                f"{cost.short_s * 1e3:.2f} ms",
                f"{cost.long_s * 1e3:.1f} ms",
                f"{cost.growth:.2f}",
            )
        )
    header = ("Evaluator", "4 turns of 2 kB", "400 turns of 2 kB", "growth a turn")
    return Table(title="Cost of one answer", header=header, rows=tuple(rows))


async def leak_accuracies_async() -> dict[str, Accuracy]:
    """The accuracy of each evaluator that the labelled leaks are about."""
    measured: dict[str, Accuracy] = {}
    text = (
        resources.files("rampart.evaluators").joinpath(f"accuracy/{_LEAKS}.jsonl").read_text(encoding="utf-8")
    )
    for number, line in enumerate(text.split("\n"), start=1):
        row: dict[str, Any] = json.loads(line) if line else {"split": ""}
        if row["split"] == _HELD_OUT:
            accuracy = measured.setdefault(row["evaluator"], Accuracy())
            outcome = await _outcome_async(row, number)
            labelled = LabelledReply(
                id=row["id"],
                split=row["split"],
                language="",
                kind=row["kind"],
                prompt="",
                reply="",
                expected=row["leaked"],
            )
            for score in (accuracy.overall, accuracy.by_kind[row["kind"]]):
                score.add(labelled, outcome)
    return measured


async def _outcome_async(row: dict[str, Any], number: int) -> EvalOutcome:
    control = control_of(
        {
            "id": row["id"],
            "evaluator": row["evaluator"],
            "args": row["args"],
            "kwargs": row["kwargs"],
            "turns": row.get("turns") or [{"response": row["reply"]}],
            "expected": (EvalOutcome.DETECTED if row["leaked"] else EvalOutcome.NOT_DETECTED).value,
        },
        file=f"{_LEAKS}.jsonl",
        line=number,
    )
    outcome = await run_control_async(control)
    # No answer is no right one, and detects nothing.
    return EvalOutcome.UNDETERMINED if outcome.result is None else outcome.result.outcome


def _needs_table() -> Table:
    file = resources.files("rampart.evaluators").joinpath("controls/cannot_see.toml")
    blind: dict[str, str] = tomllib.loads(file.read_text(encoding="utf-8"))
    rows: list[tuple[str, ...]] = []
    for controls in shipped_controls().values():
        name = controls[0].evaluator
        kinds = Counter(control.expected for control in controls)
        counts = " / ".join(str(kinds[outcome]) for outcome in EvalOutcome)
        rows.append((f"`{name}`", ", ".join(_channels(controls)), blind.get(name, ""), counts))
    header = ("Evaluator", "Needs", "Cannot see", "Controls: detected / not / undetermined")
    return Table(title="What each evaluator needs and cannot see", header=header, rows=tuple(sorted(rows)))


def _channels(controls: Iterable[Control]) -> list[str]:
    """What most evaluators of the controls need: the options of some of them ask for more or for less."""
    needed = Counter(channels_of(make_evaluator(control)) for control in controls)
    (channels, _), *_ = needed.most_common(1)
    return sorted(channel.value.replace("_", " ") for channel in channels)


def _overall_table(measured: Mapping[str, Accuracy]) -> Table:
    rows = tuple(
        (
            f"`{name}`",
            str(one.overall.total),
            _shown(one.overall.precision),
            _shown(one.overall.recall),
            str(one.overall.undetermined),
        )
        for name, one in sorted(measured.items())
    )
    header = ("Evaluator", "Labelled", "Precision (95 % interval)", "Recall (95 % interval)", "Undetermined")
    return Table(title="Precision and recall on held-out labels", header=header, rows=rows)


def _language_table(title: str, scores: Mapping[str, Score]) -> Table:
    rows = tuple(
        (name, str(one.total), _shown(one.precision), _shown(one.recall), _shown(one.accuracy))
        for name, one in sorted(scores.items())
    )
    header = ("Language", "Labelled", "Precision", "Recall", "Right answers")
    return Table(title=title, header=header, rows=rows)


def _kind_table(title: str, scores: Mapping[str, Score]) -> Table:
    """Without precision and recall: most kinds are to be detected as a whole, or not at all."""
    rows = tuple(
        (
            name.replace("_", " "),
            str(one.total),
            str(one.true_positives + one.false_negatives),
            _shown(one.accuracy),
        )
        for name, one in sorted(scores.items())
    )
    header = ("Kind", "Labelled", "To be detected", "Right answers")
    return Table(title=title, header=header, rows=rows)


def _shown(rate: Rate | None) -> str:
    return "–" if rate is None else f"{rate.value:.3f} ({rate.low:.3f} to {rate.high:.3f})"
