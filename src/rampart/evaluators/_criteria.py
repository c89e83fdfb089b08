"""Putting the verdicts on named criteria together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.evaluators._ballot import outcome_words
from rampart.text.oneline import quote
from rampart.text.reasons import distinct_reasons
from rampart.text.safe import safe_float, safe_str, safe_str_list

if TYPE_CHECKING:
    from collections.abc import Mapping

_D, _N, _U = EvalOutcome.DETECTED, EvalOutcome.NOT_DETECTED, EvalOutcome.UNDETERMINED
_STRONGEST_FIRST = (_D, _U, _N)
_LONGEST_RATIONALE = 500
_LONGEST_NAME = 80


def composed_verdict(verdicts: Mapping[str, EvalResult], /, *, needed: int) -> EvalResult:
    """Whether at least `needed` criteria are met, in three-valued logic.

    DETECTED if so many are detected; NOT_DETECTED if too few are left even when each undetermined one
    counts; else UNDETERMINED. The confidence is that of the criterion on which it hangs: the weakest one
    that is needed, in the order detected, undetermined, not detected, each by falling confidence.

    Args:
        verdicts: The answer on each criterion, by its name.
        needed: From 1 to the number of criteria.
    """
    ranked = sorted(
        verdicts.values(), key=lambda one: (_STRONGEST_FIRST.index(one.outcome), -_confidence(one))
    )
    decisive = ranked[needed - 1]
    met = sum(one.outcome is _D for one in ranked)
    count = f"{met} of {len(ranked)} criteria met, {needed} needed"
    shown = [_shown(name, one) for name, one in verdicts.items()]
    open_points = [
        f"{quote(name, _LONGEST_NAME)}: {reason}"
        for name, one in verdicts.items()
        for reason in _reasons(one)
    ]
    return EvalResult(
        outcome=decisive.outcome,
        confidence=_confidence(decisive),
        evidence=[
            *shown,
            *(
                f"{quote(name, _LONGEST_NAME)}: {item}"
                for name, one in verdicts.items()
                for item in safe_str_list(one.evidence)
            ),
        ],
        rationale=f"{count}: {'; '.join(shown)}",
        undetermined_operands=distinct_reasons(open_points),
    )


def _shown(name: str, verdict: EvalResult) -> str:
    rationale = quote(safe_str(verdict.rationale), _LONGEST_RATIONALE)
    outcome = outcome_words(verdict.outcome)
    return f"{quote(name, _LONGEST_NAME)}: {outcome}, {_confidence(verdict):.2f}: {rationale}"


def _reasons(verdict: EvalResult) -> list[str]:
    own = [reason for reason in safe_str_list(verdict.undetermined_operands) if reason.strip()]
    if own or verdict.outcome is not _U:
        return own
    return [safe_str(verdict.rationale).strip() or "no reason given"]


def _confidence(verdict: EvalResult) -> float:
    return safe_float(verdict.confidence) or 0.0
