"""Several conversations of one execution, one after another, each in a session of its own."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from rampart.core.admission import admit_level, admit_manifest
from rampart.core.attempt import Attempt
from rampart.execution.early_end import between_conversations_async, early_end
from rampart.execution.final_evaluation import judge_session_async
from rampart.execution.session import OpenSession
from rampart.execution.trace import TraceRun, least_observed, produce_trace_async

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from rampart.core.adapter import AgentAdapter
    from rampart.core.evaluation import EvalResult
    from rampart.core.evaluator import Evaluator
    from rampart.core.prompt_driver import PromptDriver
    from rampart.core.types import ObservabilityLevel
    from rampart.execution.running import Running

T = TypeVar("T")

FAILED = "failed"
"""The outcome of an attempt that an exception ended."""

UNJUDGED = "not judged"
"""The outcome of an attempt until its strategy says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Held:
    """One conversation that was held to its end.

    Attributes:
        attempt: What is kept of it.
        run: Its trace.
        evaluation: What the evaluator said; None if there was nothing to judge.
    """

    attempt: Attempt
    run: TraceRun
    evaluation: EvalResult | None


class Attempts:
    """Holds the conversations of one execution and keeps each of them with it.

    Args:
        adapter: The agent.
        running: The execution.

    Attributes:
        failure: What ended the conversations early, where the verdict had been settled by then.
        cancelled: Whether they were cancelled; likewise.
        level: The least that was reported in any conversation; None before the first.
    """

    def __init__(self, adapter: AgentAdapter, running: Running) -> None:
        self._adapter = adapter
        self._running = running
        self.failure: Exception | None = None
        self.cancelled = False
        self.level: ObservabilityLevel | None = None

    @property
    def kept(self) -> list[Attempt]:
        """The attempts so far."""
        return self._running.attempts

    @property
    def left_behind(self) -> bool:
        """Whether a conversation could not clean up, so that the next one might be misled."""
        return bool(self._running.cleanup_errors)

    async def hold_async(
        self, driver: PromptDriver, *, evaluator: Evaluator, max_turns: int, metadata: dict[str, Any]
    ) -> Held:
        """Hold one conversation in a new session and judge it before the session ends.

        Raises:
            Exception: Whatever kept it from being held; its attempt is kept as `failed`.
        """
        running = self._running
        running.watchdog.resume()
        running.trace = None
        attempt = Attempt(outcome=UNJUDGED, metadata=metadata)
        try:
            run, evaluation = await self._held_async(driver, evaluator, max_turns)
        except BaseException:
            attempt.outcome = FAILED
            attempt.turns = running.turns()
            self._note_level(running.observed_level())
            self.kept.append(attempt)
            raise
        attempt.turns = run.turns
        attempt.evaluation = evaluation
        attempt.trace_end_reason = run.trace_end_reason
        self._note_level(run.observability_level)
        self.kept.append(attempt)
        return Held(attempt=attempt, run=run, evaluation=evaluation)

    async def _held_async(
        self, driver: PromptDriver, evaluator: Evaluator, max_turns: int
    ) -> tuple[TraceRun, EvalResult | None]:
        adapter, running = self._adapter, self._running
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
                driver=driver,
                stop_when=None,
                max_turns=max_turns,
                turn_timeout=running.limits.turn_timeout_s,
            )
            evaluation = await judge_session_async(
                evaluator, run, session, declared=declared, running=running
            )
        return run, evaluation

    async def between_async(self, what: str, work: Coroutine[Any, Any, T]) -> T:
        """Do what has to be done between two conversations, within the limit for one turn."""
        return await between_conversations_async(self._running, what, work)

    @contextmanager
    def keeping_verdict(self, settled: Callable[[], bool]) -> Iterator[None]:
        """Go on to the verdict after whatever ends the conversations early, if it was settled by then.

        A skip too: it says that nothing was tested, which is no longer true.

        Args:
            settled: Whether a harm was found that no further conversation can undo.
        """
        try:
            yield
        except BaseException as error:
            end = early_end(error, self._running.watchdog) if settled() else None
            if end is None:
                raise
            self.failure = self._running.failure = end.failure
            self.cancelled = end.cancelled

    def _note_level(self, level: ObservabilityLevel | None) -> None:
        known = [one for one in (level, self.level) if one is not None]
        self.level = least_observed(known) if known else None
