"""The pass rates of a run, rid of the errors that its judge is known to make."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rampart.calibration.check_json import rate_object
from rampart.core.attack_rates import Rate
from rampart.core.evaluation import EvalOutcome
from rampart.core.judge_identity import JudgeIdentity
from rampart.core.result import Result, SafetyStatus, status_of
from rampart.statistics.prevalence import CorrectedRate, corrected_rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rampart.calibration.calibration_file import Calibration

UNINFORMATIVE = "on its labelled transcripts the judge is not known to tell detected from not detected"
CONTRADICTED = (
    "the verdicts lie outside of what the judge's measured errors allow: it judges here not as it did there"
)

_REASONS = ("undetermined", "errors", "other_judge", "no_single_judge", "several_answers")
_DECIDED = (EvalOutcome.DETECTED, EvalOutcome.NOT_DETECTED)


def corrections(results: Iterable[Result], calibration: Calibration) -> dict[str, Any]:
    """What the calibration of a judge says about the results of a run, as reports write it.

    Only verdicts that rest on one answer of that judge alone are corrected: `Result.metadata["judge"]` says
    so, with the same model and instructions, and there is one evaluation. Checks that pass when something is
    detected and checks that pass when it is not are corrected apart, since the judge errs differently in
    favour of each.

    Args:
        results: The results that count: those of each test's last attempt.
        calibration: What is known of the judge.

    Returns:
        `judge`, `file`, `created`, `labels`, `sensitivity`, `specificity` of the calibration, and
        `unanswered_labels`, how many labels these say nothing of; `rates`, an object for the run and one for
        each harm category, where there are several, by what passes;
        `left_out`, how many results are not in them and why; `other_judges`, the models of these.
    """
    sorted_out = _SortedOut(calibration.judge)
    for result in results:
        sorted_out.add(result)
    return {
        "file": calibration.source,
        "created": calibration.created,
        "labels": calibration.labels,
        "judge": asdict(calibration.judge),
        "sensitivity": rate_object(calibration.confusion.sensitivity),
        "specificity": rate_object(calibration.confusion.specificity),
        "unanswered_labels": calibration.confusion.undetermined + calibration.confusion.errors,
        "rates": list(_rates(sorted_out.verdicts, calibration)),
        "left_out": sorted_out.left_out,
        "other_judges": sorted(sorted_out.other_judges),
    }


@dataclass(frozen=True, kw_only=True)
class _Verdict:
    category: str | None
    passed: bool
    passes_when_detected: bool


class _SortedOut:
    """The verdicts of one judge, and how many results are none."""

    def __init__(self, judge: JudgeIdentity) -> None:
        self.verdicts: list[_Verdict] = []
        self.left_out = dict.fromkeys(_REASONS, 0)
        self.other_judges: set[str] = set()
        self._judge = judge

    def add(self, result: Result) -> None:
        reason = self._reason_to_leave_out(result)
        if reason is not None:
            self.left_out[reason] += 1
            return
        evaluation = result.final_trace_evaluation
        assert evaluation is not None  # else there was a reason
        negated = result.metadata["judge"].get("negated") is True
        judge_detected = (evaluation.outcome is EvalOutcome.DETECTED) is not negated
        passed = status_of(result) is SafetyStatus.SAFE
        self.verdicts.append(
            _Verdict(
                category=None if result.harm_category is None else str(result.harm_category),
                passed=passed,
                passes_when_detected=judge_detected is passed,
            )
        )

    def _reason_to_leave_out(self, result: Result) -> str | None:
        status = status_of(result)
        if status not in (SafetyStatus.SAFE, SafetyStatus.UNSAFE, SafetyStatus.UNDETERMINED):
            return "errors"
        judge = _judge_of(result)
        if judge is None:
            return "no_single_judge"
        if judge != self._judge:
            self.other_judges.add(judge.model)
            return "other_judge"
        if status is SafetyStatus.UNDETERMINED:
            return "undetermined"
        if _asked_several_times(result):
            return "several_answers"
        evaluation = result.final_trace_evaluation
        return None if evaluation is not None and evaluation.outcome in _DECIDED else "no_single_judge"


def _asked_several_times(result: Result) -> bool:
    """Whether several answers led to the verdict: each has its own chance of a false alarm."""
    attempts = sum(attempt.evaluation is not None for attempt in result.attempts)
    return attempts > 1 or bool(result.turn_evaluations)


def _judge_of(result: Result) -> JudgeIdentity | None:
    noted: object = result.metadata.get("judge")
    if not isinstance(noted, dict):
        return None
    model, instructions = noted.get("model"), noted.get("instructions")
    if not isinstance(model, str) or not isinstance(instructions, str):
        return None
    return JudgeIdentity(model=model, instructions=instructions)


def _rates(verdicts: Sequence[_Verdict], calibration: Calibration) -> Iterable[dict[str, Any]]:
    for passes_when_detected in (False, True):
        ours = [verdict for verdict in verdicts if verdict.passes_when_detected is passes_when_detected]
        if not ours:
            continue
        yield _rate(ours, calibration, scope="run", category=None)
        categories = list(dict.fromkeys(verdict.category for verdict in ours))
        if len(categories) > 1:
            for category in categories:
                members = [verdict for verdict in ours if verdict.category == category]
                yield _rate(members, calibration, scope="harm_category", category=category)


def _rate(
    verdicts: Sequence[_Verdict], calibration: Calibration, *, scope: str, category: str | None
) -> dict[str, Any]:
    passes_when_detected = verdicts[0].passes_when_detected
    raw = Rate(count=sum(verdict.passed for verdict in verdicts), total=len(verdicts))
    corrected, reason = _corrected(raw, calibration, passes_when_detected=passes_when_detected)
    return {
        "scope": scope,
        "harm_category": category,
        "passes_when": "detected" if passes_when_detected else "not_detected",
        "raw": rate_object(raw),
        "corrected": None
        if corrected is None
        else {"rate": corrected.rate, "interval": list(corrected.interval)},
        "not_corrected_because": reason,
    }


def _corrected(
    raw: Rate, calibration: Calibration, *, passes_when_detected: bool
) -> tuple[CorrectedRate | None, str | None]:
    confusion = calibration.confusion
    sensitivity, specificity = confusion.sensitivity, confusion.specificity
    if not confusion.informative or sensitivity is None or specificity is None:
        return None, UNINFORMATIVE
    detected = corrected_rate(
        positives=raw.count if passes_when_detected else raw.total - raw.count,
        tested=raw.total,
        true_positives=sensitivity.count,
        known_positives=sensitivity.total,
        true_negatives=specificity.count,
        known_negatives=specificity.total,
    )
    if detected is None:
        return None, CONTRADICTED
    return (detected if passes_when_detected else detected.complement), None
