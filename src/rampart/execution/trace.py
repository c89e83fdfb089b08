"""Producing a trace: the conversation between a driver and an agent, turn by turn."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rampart.core.admission import DRIVER_MEMBERS, EVALUATOR_MEMBERS, admit, admit_awaitable
from rampart.core.errors import partial_of
from rampart.core.evaluation import EvalContext
from rampart.core.evaluator import asked, checked_evaluation
from rampart.core.memo import enable_trace_memo
from rampart.core.prompt_driver import PromptDecision
from rampart.core.side_effect_source import COVERAGE_KEY
from rampart.core.spending import UsageRole, record_usage
from rampart.core.types import EvaluationPurpose, ObservabilityLevel, Response, TraceEndReason, Turn
from rampart.execution.running import running_or_alone
from rampart.execution.settled import settled_response
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable

    from rampart.core.adapter import Session
    from rampart.core.evaluation import EvalResult
    from rampart.core.evaluator import Evaluator
    from rampart.core.limits import Limits
    from rampart.core.manifest import AppManifest
    from rampart.core.prompt_driver import PromptDriver
    from rampart.core.types import Request
    from rampart.execution.running import Running


@dataclass(frozen=True, eq=False, kw_only=True)
class EvaluationRecord:
    """One stop check with exactly what it judged."""

    evaluator: Evaluator
    context: EvalContext
    result: EvalResult


@dataclass(kw_only=True)
class TraceRun:
    """A trace and how it ended.

    Attributes:
        trace_end_reason: Why it ended; None while it goes on and after an error.
        observability_level: Which channels were reported in this session.
        manifest: What the application declares about itself.
        turns: What drivers and results see; turns may carry evaluations.
        raw_turns: What evaluators see; turns never carry evaluations.
        latest_stop_check: The last stop check that was made.
        unanswered: The request that failed and left nothing behind to make a turn of.
        level_is_of_session: Whether the level was stated by the session itself.
        driver_end_reason: Why the driver ended the trace, where it says so with an attribute `end_reason`.
    """

    trace_end_reason: TraceEndReason | None
    observability_level: ObservabilityLevel
    manifest: AppManifest | None = None
    turns: list[Turn] = field(default_factory=list)
    raw_turns: list[Turn] = field(default_factory=list)
    latest_stop_check: EvaluationRecord | None = None
    unanswered: Request | None = None
    level_is_of_session: bool = False
    driver_end_reason: str | None = None

    def end_metadata(self) -> dict[str, Any]:
        """What the metadata of a result says of how the driver ended the trace; it may be empty."""
        return {} if self.driver_end_reason is None else {"driver_end": self.driver_end_reason}

    def all_turns(self) -> list[Turn]:
        """The turns for a result, one whose stop check never ended included."""
        # A copy, without what evaluators keep on a raw turn: results outlive traces.
        return [*self.turns, *map(replace, self.raw_turns[len(self.turns) :])]


async def run_trace_async(
    *,
    session: Session,
    driver: PromptDriver,
    max_turns: int,
    observability_level: ObservabilityLevel,
    stop_when: Evaluator | None = None,
    manifest: AppManifest | None = None,
    limits: Limits | None = None,
) -> TraceRun:
    """Let `driver` talk to the agent until it has nothing more to say, or something ends the trace.

    The session is neither opened nor closed here, and exceptions go on as they are. When `send_async`
    fails with what the agent had done by then, that becomes the last turn.

    Args:
        session: An open session; one that has an `observability_profile` of its own is believed.
        driver: Decides what to send; it gets a fresh copy of the turns each time.
        max_turns: The most turns to make; with 0 nobody is asked anything.
        observability_level: Which channels the adapter reports.
        stop_when: Evaluated after each turn over all turns so far; DETECTED ends the trace.
        manifest: Handed to `stop_when`.
        limits: Time limits; None takes those of the running execution, else the configured ones.

    Raises:
        TypeError: If an argument, the driver's decision or the agent's response has the wrong type.
        ValueError: If `max_turns` is negative.
        ExecutionTimeoutError: If a step took too long.
    """
    check_max_turns(max_turns)
    admit(driver, members=DRIVER_MEMBERS, role="driver")
    if stop_when is not None:
        admit(stop_when, members=EVALUATOR_MEMBERS, role="stop_when")
    running = running_or_alone(limits)
    run = TraceRun(trace_end_reason=None, observability_level=observability_level, manifest=manifest)
    turn_timeout = (limits or running.limits).turn_timeout_s
    return await produce_trace_async(
        run,
        running,
        session=session,
        driver=driver,
        stop_when=stop_when,
        max_turns=max_turns,
        turn_timeout=turn_timeout,
    )


def check_max_turns(max_turns: object) -> None:
    """Refuse a turn budget that is no whole number of at least 0.

    Raises:
        TypeError: If it is no int.
        ValueError: If it is negative.
    """
    if isinstance(max_turns, bool) or not isinstance(max_turns, int):
        msg = f"max_turns must be an integer, got {max_turns!r}"
        raise TypeError(msg)
    if max_turns < 0:
        msg = "max_turns must be non-negative."
        raise ValueError(msg)


def produce_trace_async(
    run: TraceRun,
    running: Running,
    *,
    session: Session,
    driver: PromptDriver,
    stop_when: Evaluator | None,
    max_turns: int,
    turn_timeout: float | None,
) -> Coroutine[Any, Any, TraceRun]:
    """The same for strategies, which have checked their arguments and know their execution."""
    running.trace = run
    return _Producer(session, run, running, turn_timeout).produce_async(driver, stop_when, max_turns)


def believe_session(session: Session, run: TraceRun, *, declared: ObservabilityLevel) -> None:
    """Take the level from the session, which may know by now that it reports less, or more, than declared.

    Asked after each turn and around the final evaluation: a tool that an agent left running in the
    background may have been called where nobody could tell for whom. A level that rises says nothing
    of the turns before, so the lowest one counts.

    Args:
        session: May have an `observability_profile` of its own.
        run: The trace whose level is set.
        declared: The adapter's level, which holds for sessions that say nothing.
    """
    level = _own_level(session)
    if level is None:
        run.observability_level = declared
    elif run.level_is_of_session:
        run.observability_level = least_observed((level, run.observability_level))
    else:
        run.observability_level, run.level_is_of_session = level, True


_LEAST_FIRST = (
    ObservabilityLevel.RESPONSE_ONLY,
    ObservabilityLevel.TOOL_ONLY,
    ObservabilityLevel.TOOL_AND_SIDE_EFFECTS,
)


def least_observed(levels: Iterable[ObservabilityLevel]) -> ObservabilityLevel:
    """The level among `levels`, of which there is one at least, that reports the least."""
    return min(levels, key=_LEAST_FIRST.index)


def _own_level(session: Session) -> ObservabilityLevel | None:
    """The level that a session states for itself; a session that fails to is taken to see the least."""
    try:
        level: object = getattr(session, "observability_profile", None)
    except Exception:  # whatever it is, what the session reports cannot be relied on
        return ObservabilityLevel.RESPONSE_ONLY
    return level if isinstance(level, ObservabilityLevel) else None


class _Producer:
    """Adds turns to one trace."""

    __slots__ = ("_declared", "_effects", "_run", "_session", "_turn_timeout", "_watchdog")

    def __init__(self, session: Session, run: TraceRun, running: Running, turn_timeout: float | None) -> None:
        self._session = session
        self._run = run
        self._declared = run.observability_level
        self._watchdog = running.watchdog
        self._effects = running.effects
        self._turn_timeout = turn_timeout

    async def produce_async(
        self, driver: PromptDriver, stop_when: Evaluator | None, max_turns: int
    ) -> TraceRun:
        """Add turns until something ends the trace."""
        run = self._run
        for index in range(max_turns):
            with self._watchdog.step("driver", self._turn_timeout, turn=index):
                deciding = driver.next_prompt_async(history=list(run.turns))
                decision = await admit_awaitable(deciding, owner=driver, method="next_prompt_async")
            if decision is None:
                run.trace_end_reason = TraceEndReason.DRIVER_EXHAUSTED
                reason: object = getattr(driver, "end_reason", None)
                run.driver_end_reason = reason if isinstance(reason, str) else None
                return run
            turn = await self._exchange_async(_checked_decision(decision, driver), index)
            if stop_when is None:
                run.turns.append(turn)
            elif await self._stops_async(stop_when, turn):
                run.trace_end_reason = TraceEndReason.STOP_CONDITION_MET
                return run
        run.trace_end_reason = TraceEndReason.MAX_TURNS_REACHED
        return run

    async def _exchange_async(self, decision: PromptDecision, index: int) -> Turn:
        """Send one request and record what came back, or what the agent did before it failed."""
        session = self._session
        timestamp = datetime.now(UTC)
        started = time.perf_counter()

        def recorded(response: Response) -> Turn:
            response.metadata.pop(COVERAGE_KEY, None)  # what was watched is not for an agent to say
            record_usage(UsageRole.TARGET, response.usage)
            turn = Turn(
                request=decision.request,
                response=response,
                turn_number=index,
                timestamp=timestamp,
                duration_seconds=time.perf_counter() - started,
                driver_reasoning=decision.reasoning,
            )
            self._run.raw_turns.append(turn)
            if self._effects is not None:
                self._effects.add_to(self._run)
            return turn

        answer: object = None
        try:
            with self._watchdog.step("send_async", self._turn_timeout, turn=index):
                sending = session.send_async(decision.request)
                answer = await admit_awaitable(sending, owner=session, method="send_async")
        except BaseException as error:
            partial: object = partial_of(error) or answer  # what came too late is partial too
            if isinstance(partial, Response):
                recorded(_marked(settled_response(partial)[0], f"{type(error).__name__}: {safe_str(error)}"))
            else:
                self._run.unanswered = decision.request
            raise
        finally:
            believe_session(self._session, self._run, declared=self._declared)
        if not isinstance(answer, Response):
            self._run.unanswered = decision.request
            raise TypeError(_complaint(f"{type(answer).__name__}, expected a Response", session, decision))
        response, problem = settled_response(answer)
        if problem is None:
            return recorded(response)
        complaint = _complaint(f"a Response {problem}", session, decision)
        recorded(_marked(response, complaint))
        raise TypeError(complaint)

    async def _stops_async(self, stop_when: Evaluator, turn: Turn) -> bool:
        """Evaluate the turns so far, attach the answer to the last one, and say whether it was detected."""
        run = self._run
        if not turn.turn_number:
            enable_trace_memo(turn)
        context = EvalContext(
            turns=list(run.raw_turns), observability_level=run.observability_level, manifest=run.manifest
        )
        with self._watchdog.step("stop check", self._turn_timeout, turn=turn.turn_number):
            answer = await asked(stop_when, context)
        result = checked_evaluation(answer, evaluator=stop_when)
        run.latest_stop_check = EvaluationRecord(evaluator=stop_when, context=context, result=result)
        run.turns.append(replace(turn, eval_result=result, eval_purpose=EvaluationPurpose.STOP_CHECK))
        return result.detected


def _checked_decision(decision: object, driver: PromptDriver) -> PromptDecision:
    if not isinstance(decision, PromptDecision):
        msg = (
            f"{type(driver).__name__}.next_prompt_async returned {type(decision).__name__}, "
            "expected a PromptDecision, or None to end the trace"
        )
        raise TypeError(msg)
    return decision


def _complaint(seen: str, session: Session, decision: PromptDecision) -> str:
    prompt = decision.request.prompt
    asked = f" to the prompt {quote(prompt, 80)!r}" if prompt else ""
    return f"{type(session).__module__}.{type(session).__qualname__}.send_async answered {seen}{asked}"


def _marked(response: Response, why: str) -> Response:
    """A response that does not hold all of a turn, and why."""
    return replace(response, metadata={**response.metadata, "error": why})
