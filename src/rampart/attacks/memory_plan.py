"""What a memory attack is to do, phase by phase."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rampart.attacks.arm import Questions
from rampart.attacks.control_arm import is_static
from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator

if TYPE_CHECKING:
    from collections.abc import Callable

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
    def proof(self) -> MemoryProof:
        """How to look whether the memory is clean again: by the recall, or else by the trigger."""
        if self.recall is not None:
            driver = self.recall.driver
            return MemoryProof(
                driver=driver,
                questions=questions_for(driver, self.recall.evaluator),
                by_search=False,
                needs_contrast=False,
            )
        return MemoryProof(
            driver=self.trigger if is_static(self.trigger) else None,
            questions=replace(self.triggering, stop_when=None),
            by_search=self.triggering.utility is None,
            needs_contrast=True,
        )


def questions_for(driver: StaticDriver, evaluator: Evaluator | None = None) -> Questions:
    """What is asked of a session in which fixed messages are sent to their end."""
    return Questions(
        evaluator=NotJudged() if evaluator is None else evaluator,
        utility=None,
        stop_when=None,
        max_turns=len(driver.requests) + 1,
    )
