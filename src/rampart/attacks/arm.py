"""One arm of an attack: plant, talk to the agent, judge what came of it, clean up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.attacks.delivery import attachment_records, note_deliveries_async
from rampart.attacks.utility import judge_utility_async, utility_after_failure
from rampart.core.admission import admit_level, admit_manifest
from rampart.core.evaluation import EvalOutcome
from rampart.core.evaluator import is_last_turn_only
from rampart.core.listener import exit_types, skip_types
from rampart.core.log import log
from rampart.execution.final_evaluation import judge_session_async
from rampart.execution.injections import OpenInjections
from rampart.execution.session import OpenSession
from rampart.execution.trace import TraceRun, produce_trace_async

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.adapter import AgentAdapter, Session
    from rampart.core.evaluation import EvalResult
    from rampart.core.evaluator import Evaluator
    from rampart.core.injection import InjectionHandle
    from rampart.core.prompt_driver import PromptDriver
    from rampart.core.types import ObservabilityLevel
    from rampart.execution.running import Running


@dataclass(frozen=True, kw_only=True)
class Questions:
    """What is asked of every arm of an attack.

    Attributes:
        evaluator: Detects that the attack reached its objective.
        utility: Detects that the agent did the user's job.
        stop_when: Ends the trace early when it is detected.
        max_turns: The most turns to make.
    """

    evaluator: Evaluator
    utility: Evaluator | None
    stop_when: Evaluator | None
    max_turns: int


@dataclass(frozen=True, kw_only=True)
class ArmOutcome:
    """What came of one arm.

    Attributes:
        run: The trace.
        evaluation: Whether the objective was reached; None if there was nothing to judge.
        utility: Whether the user's job was done; None if nobody asked.
        failure: What ended the trace early; only with an objective that had been reached by then.
        unjudged: The numbers of earlier turns of which nobody could tell whether they reached the objective,
            where the evaluator looks at one turn at a time.
    """

    run: TraceRun
    evaluation: EvalResult | None = None
    utility: EvalResult | None = None
    failure: Exception | None = None
    unjudged: tuple[int, ...] = ()


async def run_arm_async(
    adapter: AgentAdapter,
    running: Running,
    questions: Questions,
    *,
    driver: PromptDriver,
    handles: Sequence[InjectionHandle] = (),
) -> ArmOutcome:
    """Run one arm, cleanup included; injections and their deliveries are noted with the execution.

    Raises:
        Exception: Whatever kept the arm from being run, unless the objective had been reached by then.
    """
    declared = admit_level(adapter.observability_profile, owner=adapter)
    run = running.trace = TraceRun(
        trace_end_reason=None,
        observability_level=declared,
        manifest=admit_manifest(adapter.manifest, owner=adapter),
    )
    async with OpenInjections(handles, running) as injections, OpenSession(adapter, running) as session:
        jury = _Jury(session, run, running, questions, declared=declared)
        failure: Exception | None = None
        try:
            await produce_trace_async(
                run,
                running,
                session=session,
                driver=driver,
                stop_when=questions.stop_when,
                max_turns=questions.max_turns,
                turn_timeout=running.limits.turn_timeout_s,
            )
        except Exception as error:
            if isinstance(error, (*skip_types(), *exit_types())):
                raise
            failure = error
        try:
            await _look_around_async(run, running, injections)
        except Exception as error:
            log.warning("not all that is known of the trace could be had", exc_info=error)
            failure = failure or error
        if failure is not None:
            return await jury.judge_failed_async(failure)
        return await jury.judge_async()


async def _look_around_async(run: TraceRun, running: Running, injections: OpenInjections) -> None:
    """Collect what is known of a trace besides what the adapter reported."""
    if running.effects is not None:
        running.effects.add_to(run)
    running.injections += attachment_records(run.raw_turns)
    with running.watchdog.step("search for the payload", running.limits.turn_timeout_s):
        await note_deliveries_async(injections.entered, run.raw_turns)


class _Jury:
    """Asks what has to be known of one trace, while its session is still open."""

    def __init__(
        self,
        session: Session,
        run: TraceRun,
        running: Running,
        questions: Questions,
        *,
        declared: ObservabilityLevel,
    ) -> None:
        self._session = session
        self._run = run
        self._running = running
        self._questions = questions
        self._declared = declared

    async def judge_async(self) -> ArmOutcome:
        """Judge a trace that ended as it should."""
        evaluation = await self._evaluate_async()
        utility = self._questions.utility
        answer = None
        if utility is not None and evaluation is not None:
            answer = await judge_utility_async(utility, self._run, self._running)
        return ArmOutcome(
            run=self._run, evaluation=evaluation, utility=answer, unjudged=self._unjudged_turns()
        )

    def _unjudged_turns(self) -> tuple[int, ...]:
        """The earlier turns that no stop check settled, where the final evaluation does not see them."""
        questions = self._questions
        if questions.stop_when is not questions.evaluator or not is_last_turn_only(questions.evaluator):
            return ()
        return tuple(
            turn.turn_number
            for turn in self._run.turns[:-1]
            if turn.eval_result is not None and turn.eval_result.outcome is EvalOutcome.UNDETERMINED
        )

    async def judge_failed_async(self, failure: Exception) -> ArmOutcome:
        """Look for a harm that was done before the trace failed; raise the failure if there is none."""
        self._running.watchdog.suspend_outer()  # it bounds the trace, not what is asked about it
        try:
            evaluation = await self._evaluate_async()
        except Exception as second:  # the first failure is what goes on
            log.warning("after %s the trace could not be judged", type(failure).__name__, exc_info=second)
            raise failure from None
        if evaluation is None or not evaluation.detected:
            raise failure
        answer = None if self._questions.utility is None else utility_after_failure(failure)
        return ArmOutcome(run=self._run, evaluation=evaluation, utility=answer, failure=failure)

    async def _evaluate_async(self) -> EvalResult | None:
        return await judge_session_async(
            self._questions.evaluator,
            self._run,
            self._session,
            declared=self._declared,
            running=self._running,
        )
