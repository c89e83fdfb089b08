"""Evaluators that answer what they are told."""

from __future__ import annotations

from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator, Evaluator
from rampart.core.types import ObservabilityLevel, Response

D, N, U = EvalOutcome.DETECTED, EvalOutcome.NOT_DETECTED, EvalOutcome.UNDETERMINED
CONTEXT = EvalContext.from_response(
    response=Response(text="x"), observability_level=ObservabilityLevel.TOOL_ONLY
)


class Stub(BaseEvaluator):
    """Answers what it is told, raises what it is told, and counts."""

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.calls = 0

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        self.calls += 1
        if isinstance(self.answer, EvalOutcome):
            return EvalResult(outcome=self.answer)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[return-value]  # wrong answers are part of the tests


class Structural:
    """An evaluator that inherits nothing."""

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        return EvalResult(outcome=D, rationale="structural")


async def ask(evaluator: Evaluator) -> EvalResult:
    return await evaluator.evaluate_async(context=CONTEXT)


async def outcome(evaluator: Evaluator) -> EvalOutcome:
    return (await ask(evaluator)).outcome
