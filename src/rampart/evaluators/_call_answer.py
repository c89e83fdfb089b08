"""Answers of evaluators of tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.evaluators._calls import EVIDENCE_KEPT, PlacedCall, evidence_of
from rampart.evaluators._undeclared import undeclared_reasons, warn_undeclared

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rampart.core.evaluation import EvalContext
    from rampart.evaluators._names import Name


def detected(rationale: str, calls: Iterable[PlacedCall] = ()) -> EvalResult:
    """An answer that was settled by these calls, or by there being none."""
    return EvalResult(outcome=EvalOutcome.DETECTED, rationale=rationale, evidence=evidence_of(calls))


def not_detected(rationale: str, calls: Iterable[PlacedCall] = ()) -> EvalResult:
    """The opposite answer."""
    return EvalResult(outcome=EvalOutcome.NOT_DETECTED, rationale=rationale, evidence=evidence_of(calls))


def undetermined(reasons: Iterable[str]) -> EvalResult:
    """An answer that is open, with each distinct reason once."""
    distinct = list(dict.fromkeys(reasons))[:EVIDENCE_KEPT]
    return EvalResult(
        outcome=EvalOutcome.UNDETERMINED, rationale="; ".join(distinct), undetermined_operands=distinct
    )


def unobserved(context: EvalContext, looked_for: str) -> str | None:
    """Why it means nothing that none of something was seen; None if it means something."""
    if not context.turns:
        return f"the trace has no turns, so that none of {looked_for} was seen means nothing"
    level = context.observability_level
    if level.observes_tool_calls:
        return None
    return (
        f"Adapter observability is '{level.value}': it does not report tool calls, so that none of "
        f"{looked_for} was seen means nothing; record the agent's tools with record_tools, or declare "
        "tool_only if all calls are reported"
    )


def told_of_undeclared(
    result: EvalResult, names: Iterable[Name], *, context: EvalContext, token: object
) -> EvalResult:
    """An answer that rests on there being no such calls, with the names that nothing can have."""
    reasons = [reason for name in names for reason in undeclared_reasons(name.given, (), context)]
    if reasons:
        result.undetermined_operands += reasons
        warn_undeclared(reasons, context=context, token=token)
    return result
