"""What `rampart evaluators check` does."""

from __future__ import annotations

import asyncio
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.core.evaluation import EvalOutcome
from rampart.evaluators.controls.control_run import ControlOutcome, run_control_async
from rampart.evaluators.controls.naming import evaluator_named
from rampart.evaluators.controls.reading import read_controls, shipped_controls
from rampart.text.oneline import quote
from rampart.text.safe import safe_str, safe_str_list

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rampart.evaluators.controls.control import Control

_BOTH = (EvalOutcome.DETECTED, EvalOutcome.NOT_DETECTED)


@dataclass(frozen=True, kw_only=True)
class ControlsCheck:
    """What evaluators made of controls.

    Attributes:
        outcomes: All controls that were run, in the order of the files and lines.
    """

    outcomes: tuple[ControlOutcome, ...]

    @property
    def failures(self) -> list[ControlOutcome]:
        """Those whose answer was not the right one."""
        return [one for one in self.outcomes if one.could_run and not one.as_expected]

    @property
    def not_run(self) -> dict[str, int]:
        """Why controls could not be run, and how many for each reason."""
        return dict(Counter(one.error for one in self.outcomes if not one.could_run))

    def text(self) -> str:
        """The check for a reader."""
        lines = [line for one in self.failures for line in _failure_lines(one)]
        for evaluator, kinds in self._kinds().items():
            missing = [f"no control expects {outcome.value}" for outcome in _BOTH if not kinds[outcome]]
            counted = ", ".join(f"{kinds[one]} {one.value}" for one in EvalOutcome if kinds[one])
            lines.append(": ".join([quote(evaluator), "; ".join([counted, *missing])]))
        lines += [f"{count} not run: {reason}" for reason, count in self.not_run.items()]
        failed = len(self.failures)
        verdict = f"{failed} not as expected" if failed else "all as expected"
        ran = len(self.outcomes) - sum(self.not_run.values())
        return "\n".join([*lines, f"{ran} controls, {verdict}"])

    def as_json(self) -> dict[str, Any]:
        """The check for a program."""
        return {
            "controls": len(self.outcomes) - sum(self.not_run.values()),
            "failed": len(self.failures),
            "not_run": self.not_run,
            "evaluators": {
                name: {outcome.value: kinds[outcome] for outcome in EvalOutcome}
                for name, kinds in self._kinds().items()
            },
            "failures": [_failure_object(one) for one in self.failures],
        }

    def _kinds(self) -> dict[str, Counter[EvalOutcome]]:
        kinds: dict[str, Counter[EvalOutcome]] = {}
        for one in self.outcomes:
            kinds.setdefault(one.control.evaluator, Counter())[one.control.expected] += 1
        return kinds


def check_controls(files: Sequence[Path], /) -> ControlsCheck:
    """Run controls.

    Args:
        files: Which files; without any, the controls that come with rampart.

    Raises:
        ConfigurationError: If a file cannot be read, or an evaluator does not exist.
        SchemaError: If a line does not follow the format.
    """
    chosen = [read_controls(path) for path in files] if files else list(shipped_controls().values())
    controls = [control for one in chosen for control in one]
    for reference in {control.evaluator for control in controls}:
        evaluator_named(reference)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of controls about tools that nobody declares
        return ControlsCheck(outcomes=tuple(asyncio.run(_run_async(controls))))


async def _run_async(controls: Sequence[Control]) -> list[ControlOutcome]:
    return [await run_control_async(control) for control in controls]


def _failure_lines(outcome: ControlOutcome) -> list[str]:
    control, result = outcome.control, outcome.result
    head = f"{control.place}: {quote(control.id)} ({quote(control.evaluator)})"
    expected = f"  expected: {control.expected.value}" + (f" ({quote(control.note)})" if control.note else "")
    if result is None:
        return [head, expected, f"  seen: no answer: {outcome.error}"]
    evidence = safe_str_list(result.evidence)
    return [
        head,
        expected,
        f"  seen: {result.outcome.value}: {quote(safe_str(result.rationale)) or 'no rationale'}",
        *(f"  evidence: {quote(one)}" for one in evidence),
    ]


def _failure_object(outcome: ControlOutcome) -> dict[str, Any]:
    control, result = outcome.control, outcome.result
    return {
        "file": control.file,
        "line": control.line,
        "id": control.id,
        "evaluator": control.evaluator,
        "note": control.note,
        "expected": control.expected.value,
        "seen": None if result is None else result.outcome.value,
        "error": outcome.error,
        "rationale": "" if result is None else quote(safe_str(result.rationale)),
        "evidence": [] if result is None else [quote(one) for one in safe_str_list(result.evidence)],
    }
