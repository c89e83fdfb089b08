"""The records of `rampart.core` as `rampart.trace.v1` writes them, field by field."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rampart.core.attempt import Attempt
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.result import InjectionRecord, PopulationRef, Result, SafetyStatus
from rampart.core.types import (
    EvaluationPurpose,
    ObservabilityLevel,
    Payload,
    PayloadFormat,
    Request,
    Response,
    SideEffect,
    ToolCall,
    TraceEndReason,
    Turn,
    Usage,
)
from rampart.records._kinds import (
    MISSING,
    Amount,
    Category,
    Confidence,
    Flag,
    Instant,
    Json,
    Kind,
    Mapping,
    Member,
    Nothing,
    Number,
    PayloadId,
    Text,
    Whole,
)
from rampart.records._shapes import Items, Named, OrNone, Shape
from rampart.records.json_values import clean_text
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from rampart.records.losses import Losses
    from rampart.records.paths import Part, Path


def _represent_artifact(payload: Payload, prepared: dict[str, Any], here: Path, losses: Losses) -> None:
    """Put the description of a binary payload in its place, and say what it was."""
    original, artifact = prepared["format"], prepared["artifact"]
    if original.is_binary:
        prepared["format"] = PayloadFormat.TEXT
        prepared["metadata"]["_rampart_original_format"] = original.value
        if artifact is not None:
            prepared["metadata"]["_rampart_original_artifact"] = clean_text(safe_str(artifact))
        losses.note(*here, "artifact")
    elif artifact is not None:
        losses.note(here, "artifact", "wrong_type")
    prepared["artifact"] = None


def _refuse_artifact(payload: Payload) -> str | None:
    return None if payload.format.is_text else "a payload of a binary format must be prepared first"


def _ask_something(request: Request, prepared: dict[str, Any], here: Path, losses: Losses) -> None:
    if prepared["prompt"] is None and not prepared["attachments"]:
        prepared["prompt"] = ""
        losses.note(here, "prompt", "wrong_type")


def _refuse_silence(request: Request) -> str | None:
    silent = request.prompt is None and not request.attachments
    return "a prompt or an attachment is needed" if silent else None


def _drop_idle_purpose(turn: Turn, prepared: dict[str, Any], here: Path, losses: Losses) -> None:
    if prepared["eval_purpose"] is not None and prepared["eval_result"] is None:
        prepared["eval_purpose"] = None
        losses.note(here, "eval_purpose", "wrong_type")


def _refuse_idle_purpose(turn: Turn) -> str | None:
    idle = turn.eval_purpose is not None and turn.eval_result is None
    return "eval_purpose needs an eval_result" if idle else None


class _Artifact(Nothing):
    """Left to the payload's own repair, which tells text and binary formats apart."""

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> Any:
        return None if value is MISSING else value


class _Population(Shape):
    """All of the reference or none: a repaired index or size would put a trial where it was not."""

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> PopulationRef | None:
        try:
            return _plain_reference(
                PopulationRef(
                    id=clean_text(value.id), index=value.index, size=value.size, threshold=value.threshold
                )
            )
        except KeyboardInterrupt:
            raise
        except BaseException:  # refused by its own checks, or no such record at all
            losses.note(parent, part, "wrong_type")
            return None


def _plain_reference(reference: PopulationRef) -> PopulationRef:
    """The reference with exact ints; it has been checked as it was given."""
    if type(reference.index) is type(reference.size) is int:
        return reference
    return replace(reference, index=int(reference.index), size=int(reference.size))


def _refuse_population(population: PopulationRef) -> str | None:
    try:
        PopulationRef(
            id=population.id, index=population.index, size=population.size, threshold=population.threshold
        )
    except (TypeError, ValueError) as error:
        return str(error)
    return None


def _drop_bad_parent(attempt: Attempt, prepared: dict[str, Any], here: Path, losses: Losses) -> None:
    if prepared["parent"] is not None and prepared["parent"] < 0:
        prepared["parent"] = None
        losses.note(here, "parent", "wrong_type")


def _refuse_bad_parent(attempt: Attempt) -> str | None:
    return None if attempt.parent is None or attempt.parent >= 0 else "parent must be a position from 0"


WRITTEN_IF_ANY = ("control", "attempts", "usage")
"""The fields of a result that few results have; they are written only where there is something."""


class _Control(Shape):
    """An arm in which nothing was planted: a result without what only a whole one has."""

    def _made(self, fields: dict[str, Any]) -> Any:
        return super()._made(fields | {"control": None, "attempts": [], "usage": {}})


class _Result(Shape):
    """A result, with what only few results have."""

    def check(self, value: Any, parent: Path | None, part: Part) -> dict[str, Any]:
        checked = super().check(value, parent, part)
        for name in WRITTEN_IF_ANY:
            if not checked[name]:
                del checked[name]
        return checked

    def _fields(self, value: Any) -> dict[str, Any]:
        return {"control": None, "attempts": [], "usage": {}} | super()._fields(value)


_text = Text()
_texts = Items(_text)
_maybe_text = OrNone(_text)
_mapping = Mapping()
_when = OrNone(Instant())
_amount = OrNone(Amount(default=None, non_finite=None))

_EVALUATION = Shape(
    EvalResult,
    {
        "outcome": Member(EvalOutcome, default=EvalOutcome.UNDETERMINED),
        "confidence": Confidence(),
        "evidence": _texts,
        "rationale": _text,
        "undetermined_operands": _texts,
    },
)
_PAYLOAD = Shape(
    Payload,
    {
        "content": _text,
        "id": PayloadId(),
        "format": Member(PayloadFormat, default=PayloadFormat.TEXT),
        "artifact": _Artifact(),
        "metadata": _mapping,
    },
    mend=_represent_artifact,
    rule=_refuse_artifact,
)
_REQUEST = Shape(
    Request,
    {"prompt": _maybe_text, "attachments": Items(_PAYLOAD)},
    stand_in=lambda text: Request(prompt=text),
    mend=_ask_something,
    rule=_refuse_silence,
)
_TOOL_CALL = Shape(
    ToolCall,
    {
        "name": _text,
        "arguments": _mapping,
        "raw_arguments": _maybe_text,
        "id": _maybe_text,
        "result": Json(),
        "error": _maybe_text,
        "executed": OrNone(Flag()),
        "timestamp": _when,
    },
)
_SIDE_EFFECT = Shape(SideEffect, {"kind": _text, "details": _mapping})
_USAGE = Shape(
    Usage,
    dict.fromkeys(
        (
            "input_tokens",
            "cached_input_tokens",
            "output_tokens",
            "reasoning_tokens",
            "requests",
            "cost_usd",
        ),
        _amount,
    ),
)
_RESPONSE = Shape(
    Response,
    {
        "text": _text,
        "tool_calls": Items(_TOOL_CALL),
        "side_effects": Items(_SIDE_EFFECT),
        "usage": OrNone(_USAGE),
        "metadata": _mapping,
    },
    stand_in=lambda text: Response(text=text),
)
_TURN = Shape(
    Turn,
    {
        "request": _REQUEST,
        "response": _RESPONSE,
        "eval_result": OrNone(_EVALUATION),
        "eval_purpose": OrNone(Member(EvaluationPurpose)),
        "turn_number": Whole(),
        "timestamp": _when,
        "duration_seconds": OrNone(Number(default=None, non_finite=None)),
        "driver_reasoning": _text,
    },
    mend=_drop_idle_purpose,
    rule=_refuse_idle_purpose,
)
_INJECTION = Shape(
    InjectionRecord, {"payload_id": OrNone(PayloadId()), "surface_name": _text, "delivery": _text}
)
_POPULATION = _Population(
    PopulationRef,
    {"id": _text, "index": Whole(), "size": Whole(), "threshold": Number(default=None, non_finite=None)},
    rule=_refuse_population,
)

_ARM: dict[str, Kind] = {
    "status": Member(SafetyStatus, default=SafetyStatus.ERROR),
    "summary": _text,
    "observability_level": Member(ObservabilityLevel, default=ObservabilityLevel.RESPONSE_ONLY),
    "final_trace_evaluation": OrNone(_EVALUATION),
    "turns": Items(_TURN),
    "trace_end_reason": OrNone(Member(TraceEndReason)),
    "duration_seconds": Number(default=0.0, non_finite=0.0),
    "harm_category": OrNone(Category()),
    "strategy": _text,
    "utility": OrNone(_EVALUATION),
    "injections": Items(_INJECTION),
    "population": OrNone(_POPULATION),
    "metadata": _mapping,
}
_CONTROL = _Control(Result, _ARM)

_ATTEMPT = Shape(
    Attempt,
    {
        "outcome": _text,
        "parent": OrNone(Whole()),
        "turns": Items(_TURN),
        "evaluation": OrNone(_EVALUATION),
        "score": OrNone(Number(default=None, non_finite=None)),
        "trace_end_reason": OrNone(Member(TraceEndReason)),
        "injections": Items(_INJECTION),
        "metadata": _mapping,
    },
    mend=_drop_bad_parent,
    rule=_refuse_bad_parent,
)

RESULT: Kind = _Result(
    Result,
    _ARM | {"control": OrNone(_CONTROL), "attempts": Items(_ATTEMPT), "usage": Named(_USAGE)},
    stand_in=lambda text: Result(
        status=SafetyStatus.ERROR, summary=text, observability_level=ObservabilityLevel.RESPONSE_ONLY
    ),
)
"""How a result is prepared, checked and read back."""
