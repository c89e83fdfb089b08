"""The conversations of one attack, one after another, each in a session of its own."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from rampart.attacks.arm import run_arm_async
from rampart.attacks.attack_end import AttackEnd
from rampart.core.attempt import Attempt
from rampart.core.evaluation import EvalOutcome
from rampart.core.listener import exit_types, skip_types
from rampart.core.types import TraceEndReason
from rampart.execution.early_end import between_conversations_async, early_end

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator, Sequence

    from rampart.attacks.arm import ArmOutcome, Questions
    from rampart.attacks.attacker_health import AttackerHealth
    from rampart.core.adapter import AgentAdapter
    from rampart.core.budget import Budget
    from rampart.core.injection import InjectionHandle
    from rampart.core.prompt_driver import PromptDriver
    from rampart.execution.running import Running

T = TypeVar("T")

REACHED = "reached"
NOT_REACHED = "not reached"
UNDETERMINED = "undetermined"
NOTHING_SENT = "nothing sent"
FAILED = "failed"
_OUTCOMES = {
    EvalOutcome.DETECTED: REACHED,
    EvalOutcome.NOT_DETECTED: NOT_REACHED,
    EvalOutcome.UNDETERMINED: UNDETERMINED,
}


class Campaign:
    """Runs the attempts of one execution and keeps what came of each.

    Args:
        adapter: The agent.
        running: The execution.
        questions: What is asked of every attempt.
        health: How the attacker does; None for attacks without an attacker model.
        budget: What may be consumed; None sets no limit.
        stop_at_first: Whether an attempt that reached the objective ends the attack.

    Attributes:
        outcomes: What came of each attempt in which the agent was asked, by the attempt's position.
        failure: What ended the attack early; only with an objective that had been reached by then.
        cancelled: Whether it was cancelled; likewise.
    """

    def __init__(
        self,
        adapter: AgentAdapter,
        running: Running,
        questions: Questions,
        *,
        health: AttackerHealth | None = None,
        budget: Budget | None = None,
        stop_at_first: bool = True,
    ) -> None:
        self._adapter = adapter
        self.running = running
        self.questions = questions
        self.health = health
        self._budget = budget
        self._stop_at_first = stop_at_first
        self.outcomes: dict[int, ArmOutcome] = {}
        self.failure: Exception | None = None
        self.cancelled = False

    @property
    def attempts(self) -> list[Attempt]:
        """The attempts so far."""
        return self.running.attempts

    @property
    def reached(self) -> bool:
        """Whether an attempt reached the objective."""
        return any(attempt.outcome == REACHED for attempt in self.attempts)

    @property
    def stopped(self) -> bool:
        """Whether a stop condition ended an attempt that did not reach the objective."""
        return any(
            attempt.trace_end_reason is TraceEndReason.STOP_CONDITION_MET and attempt.outcome != REACHED
            for attempt in self.attempts
        )

    @property
    def wavered(self) -> bool:
        """Whether the evaluator ended a conversation because it detected the objective, and then did not."""
        return self.stopped and self.questions.stop_when is self.questions.evaluator

    @property
    def over(self) -> bool:
        """Whether nothing more is to be tried."""
        dirty = bool(self.running.cleanup_errors)  # what was left behind may mislead the next attempt
        done = self._stop_at_first and self.reached
        return self.failure is not None or dirty or done or self.stopped

    def check_budget(self) -> None:
        """Look whether anything may still be consumed.

        Raises:
            AttackEnd: If not.
            ConfigurationError: If nobody can tell.
        """
        spent = None if self._budget is None else self._budget.spent(self.running.spending)
        if spent is not None:
            raise AttackEnd(f"the budget is spent ({spent})")

    async def attempt_async(
        self,
        driver: PromptDriver,
        *,
        max_turns: int,
        parent: int | None = None,
        handles: Sequence[InjectionHandle] = (),
        score: float | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> int:
        """Hold one conversation in a new session, and say at which position its attempt is kept.

        Raises:
            Exception: Whatever kept it from being held, unless the objective had been reached by then.
        """
        running = self.running
        running.watchdog.resume()
        running.trace = None
        attempt = Attempt(outcome=NOTHING_SENT, parent=parent, score=score, metadata=metadata or {})
        position = len(self.attempts)
        planted_before = len(running.injections)
        questions = replace(self.questions, max_turns=max_turns)
        try:
            outcome = await run_arm_async(self._adapter, running, questions, driver=driver, handles=handles)
        except Exception as error:
            self._keep_failed(attempt, planted_before)
            if isinstance(error, (*skip_types(), *exit_types())) or not self.reached:
                raise
            self.failure = error
            return position
        except BaseException:
            self._keep_failed(attempt, planted_before)
            raise
        run = outcome.run
        attempt.turns = run.turns if outcome.failure is None else run.all_turns()
        attempt.evaluation = outcome.evaluation
        attempt.trace_end_reason = None if outcome.failure is not None else run.trace_end_reason
        attempt.injections = running.injections[planted_before:]
        if outcome.evaluation is not None:
            attempt.outcome = _OUTCOMES[outcome.evaluation.outcome]
            self.outcomes[position] = outcome
        self.attempts.append(attempt)
        self.failure = outcome.failure
        return position

    def give_up(self, outcome: str, *, parent: int | None = None, **facts: Any) -> None:
        """Keep an attempt that was given up before anything was sent."""
        self.attempts.append(Attempt(outcome=outcome, parent=parent, metadata=facts))

    @contextmanager
    def keeping_harm(self) -> Iterator[None]:
        """Go on to the verdict after whatever ends the attack early, if the objective was reached by then.

        A skip too: it says that nothing was tested, which is no longer true.
        """
        try:
            yield
        except BaseException as error:
            end = early_end(error, self.running.watchdog) if self.reached else None
            if end is None:
                raise
            self.failure, self.cancelled = end.failure, end.cancelled

    async def between_async(self, what: str, work: Coroutine[Any, Any, T]) -> T:
        """Do what has to be done between two conversations, within the limit for one turn."""
        return await between_conversations_async(self.running, what, work)

    def _keep_failed(self, attempt: Attempt, planted_before: int) -> None:
        attempt.outcome = FAILED
        attempt.turns = self.running.turns()
        attempt.injections = self.running.injections[planted_before:]
        self.attempts.append(attempt)
