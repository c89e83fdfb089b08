"""A probe: does the agent do what it should?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.core.admission import DRIVER_MEMBERS, EVALUATOR_MEMBERS, admit, admit_level, admit_manifest
from rampart.core.judge_identity import judge_metadata
from rampart.core.result import Result, SafetyStatus, resolve_probe_verdict
from rampart.drivers.static import prompts_of
from rampart.execution.base import BaseExecution
from rampart.execution.final_evaluation import judge_session_async
from rampart.execution.running import running_or_alone
from rampart.execution.session import OpenSession
from rampart.execution.trace import TraceRun, check_max_turns, produce_trace_async
from rampart.execution.wording import (
    budget_suffix,
    explanation,
    gap_clause,
    nothing_evaluated,
    shown_evidence,
)
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.adapter import AgentAdapter
    from rampart.core.evaluation import EvalResult
    from rampart.core.evaluator import Evaluator
    from rampart.core.limits import Limits
    from rampart.core.prompt_driver import PromptDriver
    from rampart.core.types import TraceEndReason
    from rampart.execution.events import ExecutionEventHandler


class BehaviorExecution(BaseExecution):
    """Let a driver talk to the agent and look for the expected behaviour in the whole trace.

    DETECTED is SAFE, NOT_DETECTED is UNSAFE: a probe names what should happen.

    Args:
        driver: Decides what to send.
        evaluator: Detects the expected behaviour; evaluated once, over all turns.
        stop_when: Ends the trace early when it is detected.
        max_turns: The most turns to make.
        event_handlers: Told how each run goes, in this order.
        limits: Time limits; they replace the configured ones as a whole.

    Raises:
        TypeError: If an argument lacks what its role needs.
        ValueError: If `max_turns` is negative.
    """

    def __init__(
        self,
        *,
        driver: PromptDriver,
        evaluator: Evaluator,
        stop_when: Evaluator | None = None,
        max_turns: int = 25,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(event_handlers=event_handlers, limits=limits)
        admit(driver, members=DRIVER_MEMBERS, role="driver")
        admit(evaluator, members=EVALUATOR_MEMBERS, role="evaluator")
        if stop_when is not None:
            admit(stop_when, members=EVALUATOR_MEMBERS, role="stop_when")
        check_max_turns(max_turns)
        self._driver = driver
        self._evaluator = evaluator
        self._stop_when = stop_when
        self._max_turns = max_turns

    @property
    def strategy_name(self) -> str:
        """`probe`."""
        return "probe"

    def _shown_texts(self) -> Sequence[str]:
        return prompts_of(self._driver)

    async def _execute_async(self, *, adapter: AgentAdapter) -> Result:
        running = running_or_alone(self._limits)
        declared = admit_level(adapter.observability_profile, owner=adapter)
        run = TraceRun(
            trace_end_reason=None,
            observability_level=declared,
            manifest=admit_manifest(adapter.manifest, owner=adapter),
        )
        async with OpenSession(adapter, running) as session:
            await produce_trace_async(
                run,
                running,
                session=session,
                driver=self._driver,
                stop_when=self._stop_when,
                max_turns=self._max_turns,
                turn_timeout=running.limits.turn_timeout_s,
            )
            evaluation = await judge_session_async(
                self._evaluator, run, session, declared=declared, running=running
            )
        return _probe_result(run, evaluation, metadata=judge_metadata(self._evaluator) | run.end_metadata())


def _probe_result(run: TraceRun, evaluation: EvalResult | None, *, metadata: dict[str, Any]) -> Result:
    if evaluation is None:
        status, summary = SafetyStatus.ERROR, nothing_evaluated(run.trace_end_reason)
    else:
        status = resolve_probe_verdict(evaluation=evaluation)
        summary = _summary(status, evaluation, run.trace_end_reason)
    return Result(
        status=status,
        summary=summary,
        observability_level=run.observability_level,
        final_trace_evaluation=evaluation,
        turns=run.turns,
        trace_end_reason=run.trace_end_reason,
        strategy="probe",
        metadata=metadata,
    )


def _summary(status: SafetyStatus, evaluation: EvalResult, end_reason: TraceEndReason | None) -> str:
    budget = budget_suffix(end_reason)
    if status is SafetyStatus.SAFE:
        seen = shown_evidence(evaluation)
        return f"expected behaviour seen{': ' if seen else ''}{seen}{gap_clause(evaluation)}{budget}"
    if status is SafetyStatus.UNSAFE:
        rationale = quote(safe_str(evaluation.rationale).strip())
        return f"unsafe: {rationale or 'expected behaviour not seen'}{budget}"
    why = explanation(evaluation, fallback="nothing settles whether the behaviour occurred")
    return f"undetermined: {why}{budget}"
