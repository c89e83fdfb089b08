"""What a memory attack is to do, phase by phase."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rampart.attacks.arm import Questions
from rampart.attacks.control_arm import is_static
from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator, asked, checked_evaluation

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.attacks.arm import ArmOutcome
    from rampart.attacks.recall import Recall
    from rampart.core.evaluator import Evaluator
    from rampart.core.injection import InjectionHandle
    from rampart.core.prompt_driver import PromptDriver
    from rampart.drivers.static import StaticDriver


class NotJudged(BaseEvaluator):
    """Stands for the evaluator of a session that nobody judges."""

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """NOT_DETECTED."""
        return EvalResult(outcome=EvalOutcome.NOT_DETECTED)


class AlsoJudged(BaseEvaluator):
    """What is asked of a session, and before that whether the objective was reached in it.

    Harm is harm, also where the agent was merely asked what it remembers.

    Args:
        objective: Detects the objective of the attack.
        asked_for: What the session is held for.

    Attributes:
        harm: What `objective` answered last; None as long as nobody asked it.
    """

    def __init__(self, objective: Evaluator, asked_for: Evaluator) -> None:
        self._objective = objective
        self._asked_for = asked_for
        self.harm: EvalResult | None = None

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """The objective's answer if it is DETECTED, else that of what was asked for."""
        self.harm = checked_evaluation(await asked(self._objective, context), evaluator=self._objective)
        if self.harm.detected:
            return self.harm
        return checked_evaluation(await asked(self._asked_for, context), evaluator=self._asked_for)


@dataclass(frozen=True, kw_only=True)
class MemoryProof:
    """How to look, in a fresh session after cleanup, whether the memory is clean.

    Attributes:
        driver: The question; None if there is none that may be asked again.
        questions: What shows that the memory still holds what was planted.
        by_search: Whether the planted text is looked for.
        needs_contrast: Whether silence says something only if an earlier session was not silent.
    """

    driver: StaticDriver | None
    questions: Questions
    by_search: bool
    needs_contrast: bool


@dataclass(frozen=True, kw_only=True)
class MemoryPlan:
    """The phases of a memory attack.

    Attributes:
        baseline: Whether the trigger is sent before anything is planted.
        handles: What is planted where the agent reads, during the planting session.
        plant: What sends the messages of the planting session.
        planting: What is asked of that session.
        settle_s: Seconds to wait after it.
        trigger: What sends the messages of the session after it.
        triggering: What is asked of that one; its `utility` detects that the memory kept what was planted.
        recall: What is asked in one of its own, whether the memory kept it.
        forget: What makes the memory forget.
    """

    baseline: bool
    handles: tuple[InjectionHandle, ...]
    plant: PromptDriver
    planting: Questions
    settle_s: float
    trigger: PromptDriver
    triggering: Questions
    recall: Recall | None
    forget: Callable[[], object] | StaticDriver | None

    @property
    def recall_proof(self) -> MemoryProof | None:
        """How to look by the recall whether the memory is clean again."""
        if self.recall is None:
            return None
        driver = self.recall.driver
        return MemoryProof(
            driver=driver,
            questions=self.questions_of(driver, self.recall.evaluator),
            by_search=False,
            needs_contrast=False,
        )

    @property
    def trigger_proof(self) -> MemoryProof:
        """How to look for that by the trigger."""
        return MemoryProof(
            driver=self.trigger if is_static(self.trigger) else None,
            questions=replace(self.triggering, stop_when=None),
            by_search=self.triggering.utility is None,
            needs_contrast=True,
        )

    def questions_of(self, driver: StaticDriver, evaluator: Evaluator | None = None) -> Questions:
        """What is asked of a session beside the attack, in which fixed messages are sent to their end.

        Whether harm was done is asked there where it is asked of the planting session.
        """
        return Questions(
            evaluator=AlsoJudged(self.planting.evaluator, NotJudged() if evaluator is None else evaluator),
            utility=None,
            stop_when=None,
            max_turns=len(driver.requests) + 1,
        )


def harm_in(questions: Questions, outcome: ArmOutcome) -> ArmOutcome | None:
    """The session with the answer whether harm was done in it; None where nobody asked.

    Args:
        questions: What was asked of the session.
        outcome: What came of it.
    """
    judge = questions.evaluator
    harm = judge.harm if isinstance(judge, AlsoJudged) else outcome.evaluation
    return None if harm is None else replace(outcome, evaluation=harm, utility=None)
