"""Whether the agent did the user's job, asked beside the question whether an attack succeeded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.evaluator import asked, checked_evaluation
from rampart.core.listener import exit_types, skip_types
from rampart.core.log import log
from rampart.execution.failures import error_line

if TYPE_CHECKING:
    from rampart.core.evaluator import Evaluator
    from rampart.execution.running import Running
    from rampart.execution.trace import TraceRun


async def judge_utility_async(utility: Evaluator, run: TraceRun, running: Running) -> EvalResult:
    """Ask once over the final trace; an evaluator that fails settles nothing and harms no verdict."""
    context = EvalContext(
        turns=list(run.raw_turns), observability_level=run.observability_level, manifest=run.manifest
    )
    try:
        with running.watchdog.step("utility evaluation", running.limits.turn_timeout_s):
            answer = await asked(utility, context)
        return checked_evaluation(answer, evaluator=utility)
    except Exception as error:
        if isinstance(error, (*skip_types(), *exit_types())):
            raise
        log.warning("the utility evaluator failed", exc_info=error)
        return _undetermined(f"the utility evaluator failed: {error_line(error)}")


def utility_after_failure(error: Exception) -> EvalResult:
    """The answer for a trace that was cut off: what the agent had not done, it might have done yet."""
    return _undetermined(f"the trace ended early: {error_line(error)}")


def _undetermined(reason: str) -> EvalResult:
    return EvalResult(
        outcome=EvalOutcome.UNDETERMINED,
        confidence=0.0,
        rationale=reason,
        undetermined_operands=[reason],
    )
