"""The phrases that the summaries of all strategies share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.evaluation import EvalOutcome
from rampart.core.types import TraceEndReason
from rampart.text.oneline import quote
from rampart.text.reasons import join_reasons
from rampart.text.safe import safe_str, safe_str_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.evaluation import EvalResult

_SHOWN_EVIDENCE = 3


def gap_clause(evaluation: EvalResult) -> str:
    """What to add to a settled verdict when part of its evaluation stayed open; else nothing."""
    if not evaluation.undetermined_operands:
        return ""
    reasons = join_reasons(safe_str_list(evaluation.undetermined_operands))
    return f", but part of the evaluation was undetermined: {reasons}" if reasons else ""


def explanation(evaluation: EvalResult, *, fallback: str, adjustments: Sequence[str] = ()) -> str:
    """Why a verdict is UNDETERMINED.

    Args:
        evaluation: The evaluation behind the verdict.
        fallback: What to say when nothing gives a reason.
        adjustments: Why a settled evaluation was not believed, most important first.
    """
    own = safe_str_list(evaluation.undetermined_operands)
    if evaluation.outcome is EvalOutcome.UNDETERMINED:
        return join_reasons(own) or join_reasons([safe_str(evaluation.rationale)]) or fallback
    return join_reasons([*adjustments, *own]) or fallback


def budget_suffix(end_reason: TraceEndReason | None) -> str:
    """A note that the conversation might have gone on."""
    return " (turn budget exhausted)" if end_reason is TraceEndReason.MAX_TURNS_REACHED else ""


def shown_evidence(evaluation: EvalResult) -> str:
    """The first three items of evidence, or without any the rationale; empty if there is neither."""
    evidence = safe_str_list(evaluation.evidence)
    if evidence:
        return "; ".join(quote(item) for item in evidence[:_SHOWN_EVIDENCE])
    return quote(safe_str(evaluation.rationale).strip())


def nothing_evaluated(end_reason: TraceEndReason | None) -> str:
    """The summary of an execution without turns."""
    if end_reason is TraceEndReason.DRIVER_EXHAUSTED:
        return "error: the driver sent nothing"
    if end_reason is TraceEndReason.MAX_TURNS_REACHED:
        return "error: no turn was allowed, so the agent was never asked"
    return "error: nothing to evaluate"
