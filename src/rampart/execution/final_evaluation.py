"""The one evaluation on which a verdict rests."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import TYPE_CHECKING

from rampart.core.evaluation import EvalContext
from rampart.core.evaluator import asked, checked_evaluation
from rampart.execution.running import running_or_alone
from rampart.execution.trace import believe_session
from rampart.text.safe import safe_str_list

if TYPE_CHECKING:
    from rampart.core.adapter import Session
    from rampart.core.evaluation import EvalResult
    from rampart.core.evaluator import Evaluator
    from rampart.core.limits import Limits
    from rampart.core.types import ObservabilityLevel
    from rampart.execution.running import Running
    from rampart.execution.trace import EvaluationRecord, TraceRun
    from rampart.execution.watchdog import Watchdog


async def evaluate_final_trace_async(
    *, evaluator: Evaluator, run: TraceRun, limits: Limits | None = None
) -> EvalResult | None:
    """Evaluate a finished trace, while its session and injections are still active.

    A stop check that this very evaluator has just made over exactly these turns is taken over, so the
    evaluator is not asked the same question twice.

    Args:
        evaluator: What to look for.
        run: The trace.
        limits: Time limits; None takes those of the running execution, else the configured ones.

    Returns:
        The answer, or None if there are no turns.

    Raises:
        TypeError: If the evaluator answers with something else than an EvalResult.
        ExecutionTimeoutError: If the evaluation took too long.
    """
    running = running_or_alone(limits)
    return await judge_async(evaluator, run, running.watchdog, (limits or running.limits).turn_timeout_s)


async def judge_async(
    evaluator: Evaluator, run: TraceRun, watchdog: Watchdog, turn_timeout: float | None
) -> EvalResult | None:
    """The same for strategies, which know their execution."""
    if not run.raw_turns:
        return None
    latest = run.latest_stop_check
    if latest is not None and _covers(latest, evaluator, run):
        return replace(
            latest.result,
            evidence=safe_str_list(latest.result.evidence),
            undetermined_operands=safe_str_list(latest.result.undetermined_operands),
        )
    context = EvalContext(
        turns=list(run.raw_turns), observability_level=run.observability_level, manifest=run.manifest
    )
    with watchdog.step("final evaluation", turn_timeout):
        answer = await asked(evaluator, context)
    return checked_evaluation(answer, evaluator=evaluator)


async def judge_session_async(
    evaluator: Evaluator,
    run: TraceRun,
    session: Session,
    *,
    declared: ObservabilityLevel,
    running: Running,
) -> EvalResult | None:
    """Judge a trace by the level that its session states, also if that falls during the evaluation.

    What was seen of the agent after its last reply counts too.
    """
    watchdog, turn_timeout = running.watchdog, running.limits.turn_timeout_s
    if running.effects is not None:
        running.effects.add_to(run)
    believe_session(session, run, declared=declared)
    level = run.observability_level
    evaluation = await judge_async(evaluator, run, watchdog, turn_timeout)
    believe_session(session, run, declared=declared)
    if run.observability_level is level:
        return evaluation
    return await judge_async(evaluator, run, watchdog, turn_timeout)


def _covers(latest: EvaluationRecord, evaluator: Evaluator, run: TraceRun) -> bool:
    """Whether a stop check is the very evaluation that is asked for."""
    return (
        latest.evaluator is evaluator
        and latest.context.observability_level is run.observability_level
        and latest.context.manifest is run.manifest
        and len(latest.context.turns) == len(run.raw_turns)
        and all(map(operator.is_, latest.context.turns, run.raw_turns))
    )
