"""Asking an evaluator about a control."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.core.errors import ConfigurationError
from rampart.core.evaluator import asked, checked_evaluation
from rampart.evaluators.controls.naming import as_arguments, evaluator_named
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from rampart.core.evaluation import EvalResult
    from rampart.core.evaluator import Evaluator
    from rampart.evaluators.controls.control import Control

_TIMEOUT_S = 60.0


@dataclass(frozen=True, kw_only=True)
class ControlOutcome:
    """What an evaluator made of a control.

    Attributes:
        control: What it was asked.
        result: Its answer; None if it gave none.
        error: Why it gave none; empty if it did.
        could_run: Whether it could be asked at all: its library is installed, its arguments can be made.
    """

    control: Control
    result: EvalResult | None
    error: str = ""
    could_run: bool = True

    @property
    def as_expected(self) -> bool:
        """Whether the answer is the right one."""
        return self.result is not None and self.result.outcome is self.control.expected


def make_evaluator(control: Control, /) -> Evaluator:
    """The evaluator that a control is about.

    Raises:
        ConfigurationError: If it names what there is not.
        Exception: Whatever the evaluator's constructor refuses its arguments with.
    """
    make = evaluator_named(control.evaluator)
    evaluator = make(*map(as_arguments, control.args), **as_arguments(dict(control.kwargs)))
    if isinstance(evaluator, type) or not callable(getattr(evaluator, "evaluate_async", None)):
        msg = f"{quote(control.evaluator)} gave {type(evaluator).__name__}, expected an evaluator"
        raise TypeError(msg)
    return evaluator


async def run_control_async(control: Control, /, *, timeout_s: float = _TIMEOUT_S) -> ControlOutcome:
    """Make the evaluator, show it the trace and keep its answer.

    An evaluator that refuses its arguments, raises or takes too long gave a wrong answer, not none; one whose
    library is not installed could not be asked.

    Args:
        control: What to ask.
        timeout_s: Seconds for the answer.
    """
    try:
        evaluator = make_evaluator(control)
        async with asyncio.timeout(timeout_s):
            answer = await asked(evaluator, control.context())
        return ControlOutcome(control=control, result=checked_evaluation(answer, evaluator=evaluator))
    except ConfigurationError as error:
        return ControlOutcome(control=control, result=None, error=quote(str(error)), could_run=False)
    except TimeoutError:
        return ControlOutcome(control=control, result=None, error=f"no answer within {timeout_s:g} s")
    except Exception as error:  # users' evaluators raise anything
        text = quote(f"{type(error).__name__}: {safe_str(error)}")
        return ControlOutcome(control=control, result=None, error=text)
