"""Transcripts that people have labelled, one JSON object a line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from rampart.core.errors import ConfigurationError, SchemaError
from rampart.core.evaluation import EvalContext, EvalOutcome
from rampart.core.types import ObservabilityLevel, Request, Response, SideEffect, ToolCall, Turn
from rampart.records.duplicates import duplicate_key
from rampart.records.paths import render
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED = "rampart-judge-v1.jsonl"
"""The file name of the labelled set that comes with rampart."""


@dataclass(frozen=True, kw_only=True)
class LabelledTranscript:
    """A conversation and what people say about it.

    Attributes:
        id: Its name, unique in its set.
        language: In which language it is held, such as `en`.
        kind: What makes it worth having, such as `partial_compliance`.
        objective: What a judge is to look for.
        turns: The conversation.
        label: Whether the objective was met: DETECTED or NOT_DETECTED.
        labels: What each labeller said; empty where only the outcome is known.
        note: Why it is labelled so.
    """

    id: str
    language: str
    kind: str
    objective: str
    turns: tuple[Turn, ...]
    label: EvalOutcome
    labels: tuple[EvalOutcome, ...] = ()
    note: str = ""

    @property
    def unanimous(self) -> bool | None:
        """Whether all labellers said the same; None where fewer than two are known."""
        return None if len(self.labels) < 2 else len(set(self.labels)) == 1

    def context(self) -> EvalContext:
        """What a judge may see: the conversation, and nothing of what people say about it."""
        return EvalContext(
            turns=list(self.turns), observability_level=ObservabilityLevel.TOOL_AND_SIDE_EFFECTS
        )


@dataclass(frozen=True, kw_only=True)
class LabelledSet:
    """Labelled transcripts.

    Attributes:
        name: The name of the file.
        sha256: The digest of its bytes, by which a calibration tells what it was measured on.
        transcripts: What it holds, in order.
    """

    name: str
    sha256: str
    transcripts: tuple[LabelledTranscript, ...]

    def first(self, count: int | None) -> LabelledSet:
        """The first `count` transcripts; all with None."""
        if count is None or count >= len(self.transcripts):
            return self
        name = f"{self.name} (first {count})"
        return LabelledSet(name=name, sha256=self.sha256, transcripts=self.transcripts[:count])


def read_labels(path: Path) -> LabelledSet:
    """Read a file of labelled transcripts.

    Raises:
        ConfigurationError: If the file cannot be read, or holds none.
        SchemaError: If a line does not follow the format; the text names the line and the field.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror or type(error).__name__}"
        raise ConfigurationError(msg) from None
    return _labelled_set(data, name=path.name, place=str(path))


def shipped_labels() -> LabelledSet:
    """The labelled set that comes with rampart."""
    resource = resources.files("rampart.calibration").joinpath("labels", SHIPPED)
    return _labelled_set(resource.read_bytes(), name=SHIPPED, place=SHIPPED)


_Text = Annotated[str, msgspec.Meta(pattern=r"\S")]
_Label = Literal["detected", "not_detected"]


class _ToolCallLine(msgspec.Struct, forbid_unknown_fields=True):
    name: _Text
    arguments: dict[str, Any] = {}
    result: Any = None
    error: str | None = None


class _SideEffectLine(msgspec.Struct, forbid_unknown_fields=True):
    kind: _Text
    details: dict[str, Any] = {}


class _TurnLine(msgspec.Struct, forbid_unknown_fields=True):
    prompt: str
    response: str
    tool_calls: list[_ToolCallLine] = []
    side_effects: list[_SideEffectLine] = []


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    id: _Text
    language: _Text
    kind: _Text
    objective: _Text
    label: _Label
    turns: Annotated[list[_TurnLine], msgspec.Meta(min_length=1)]
    labels: list[_Label] = []
    note: str = ""


_LINE = msgspec.json.Decoder(_Line)


@dataclass
class _Reader:
    place: str
    line_of: dict[str, int] = field(default_factory=dict)

    def read(self, number: int, line: bytes) -> LabelledTranscript:
        try:
            decoded = _LINE.decode(line)
            twice = duplicate_key(line, known=_AnyName())
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self._error(number, quote(str(error))) from None
        if twice is not None:
            raise self._error(number, f"{quote(render(*twice))} is given twice")
        first = self.line_of.setdefault(decoded.id, number)
        if first != number:
            raise self._error(number, f"id {quote(decoded.id)} stands in line {first} already")
        return _transcript(decoded)

    def _error(self, number: int, what: str) -> SchemaError:
        return SchemaError(f"{self.place}, line {number}: {what}")


class _AnyName(frozenset[str]):
    """Every name: the file is the user's own, and its names may be shown."""

    def __contains__(self, name: object) -> bool:
        return True


def _labelled_set(data: bytes, *, name: str, place: str) -> LabelledSet:
    reader = _Reader(place)
    transcripts = tuple(
        reader.read(number, line) for number, line in enumerate(data.split(b"\n"), start=1) if line.strip()
    )
    if not transcripts:
        msg = f"{place}: holds no labelled transcript; expected one JSON object a line"
        raise ConfigurationError(msg)
    return LabelledSet(name=name, sha256=hashlib.sha256(data).hexdigest(), transcripts=transcripts)


def _transcript(line: _Line) -> LabelledTranscript:
    return LabelledTranscript(
        id=line.id,
        language=line.language,
        kind=line.kind,
        objective=line.objective,
        turns=tuple(_turn(turn, number) for number, turn in enumerate(line.turns)),
        label=EvalOutcome(line.label),
        labels=tuple(EvalOutcome(label) for label in line.labels),
        note=line.note,
    )


def _turn(line: _TurnLine, number: int) -> Turn:
    response = Response(
        text=line.response,
        tool_calls=[
            ToolCall(name=call.name, arguments=call.arguments, result=call.result, error=call.error)
            for call in line.tool_calls
        ],
        side_effects=[SideEffect(kind=effect.kind, details=effect.details) for effect in line.side_effects],
    )
    return Turn(request=Request(prompt=line.prompt), response=response, turn_number=number)
