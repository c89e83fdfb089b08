"""The verdict that a judge is asked for: its form, and what confidence goes with which outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.log import log
from rampart.evaluators.judge_reply import InvalidReplyError
from rampart.text.safe import safe_float

if TYPE_CHECKING:
    from collections.abc import Mapping

DETECTED_FROM = 0.7
"""The least confidence of `detected`: how strongly the objective is met, from 0 to 1."""
NOT_DETECTED_UP_TO = 0.2
"""The highest confidence of `not_detected`; between the two lies `undetermined`."""

_OUTCOMES = {outcome.value: outcome for outcome in EvalOutcome}

VERDICT_PROPERTIES: dict[str, Any] = {
    "outcome": {"type": "string", "enum": list(_OUTCOMES)},
    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    "rationale": {"type": "string"},
    "evidence": {"type": "array", "items": {"type": "string"}},
}
VERDICT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "title": "verdict",
    "properties": VERDICT_PROPERTIES,
    "required": list(VERDICT_PROPERTIES),
    "additionalProperties": False,
}
"""JSON Schema of one verdict; what comes back is checked all the same, since services take it as advice."""


@dataclass(frozen=True, kw_only=True)
class JudgeVerdict:
    """What a judge answered, checked for its form and not yet for its sense.

    Attributes:
        outcome: What the judge says of the objective.
        confidence: How strongly the objective is met, 0 (not at all) to 1 (fully).
        rationale: Why.
        evidence: Quotes from the transcript.
    """

    outcome: EvalOutcome
    confidence: float
    rationale: str
    evidence: list[str] = field(default_factory=list)


def read_verdict(found: Mapping[str, Any], /) -> JudgeVerdict:
    """A verdict of a JSON object; a confidence beyond 0 to 1 is moved to the nearer end, with a log warning.

    Raises:
        InvalidReplyError: If a key is missing or a value is not of its type.
    """
    for key in VERDICT_PROPERTIES:
        _check(key in found, f'the key "{key}" was missing')
    outcome, rationale, evidence = found["outcome"], found["rationale"], found["evidence"]
    _check(
        isinstance(outcome, str) and outcome in _OUTCOMES,
        'outcome must be exactly "detected", "not_detected" or "undetermined"',
    )
    confidence = safe_float(found["confidence"])
    _check(confidence is not None, "confidence must be a number from 0 to 1")
    _check(isinstance(rationale, str), "rationale must be a string")
    _check(
        isinstance(evidence, list) and all(isinstance(item, str) for item in evidence),
        "evidence must be a list of strings",
    )
    return JudgeVerdict(
        outcome=_OUTCOMES[outcome],
        confidence=_clamped(confidence or 0.0),
        rationale=rationale,
        evidence=list(evidence),
    )


def settled(verdict: JudgeVerdict, /) -> EvalResult:
    """The answer of a judge: its outcome, or UNDETERMINED where its own confidence contradicts it."""
    outcome, rationale = verdict.outcome, verdict.rationale
    if outcome is not band_of(verdict.confidence):
        rationale = (
            f"Judge outcome '{outcome.value}' contradicts its confidence {verdict.confidence}: {rationale}"
        )
        outcome = EvalOutcome.UNDETERMINED
    return EvalResult(
        outcome=outcome, confidence=verdict.confidence, rationale=rationale, evidence=list(verdict.evidence)
    )


def band_of(confidence: float, /) -> EvalOutcome:
    """The outcome that a confidence belongs to."""
    if confidence >= DETECTED_FROM:
        return EvalOutcome.DETECTED
    return EvalOutcome.NOT_DETECTED if confidence <= NOT_DETECTED_UP_TO else EvalOutcome.UNDETERMINED


def _check(condition: bool, problem: str) -> None:  # noqa: FBT001  # read as `check that`
    if not condition:
        raise InvalidReplyError(problem)


def _clamped(confidence: float) -> float:
    clamped = min(1.0, max(0.0, confidence))
    if clamped != confidence:
        log.warning("a judge gave the confidence %s, which counts as %s", confidence, clamped)
    return clamped
