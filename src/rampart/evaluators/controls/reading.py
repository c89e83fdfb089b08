"""Reading controls: one JSON object a line, strictly."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import msgspec

from rampart.core.errors import ConfigurationError, SchemaError
from rampart.core.evaluation import EvalOutcome
from rampart.core.manifest import AppManifest, ToolDeclaration
from rampart.core.types import ObservabilityLevel, Request, Response, SideEffect, ToolCall, Turn
from rampart.evaluators.controls.control import Control
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_ENDING = ".jsonl"


def read_controls(path: Path, /) -> list[Control]:
    """Read a file of controls.

    Raises:
        ConfigurationError: If the file cannot be read, or holds none.
        SchemaError: If a line does not follow the format; the text names file, line and field.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror or type(error).__name__}"
        raise ConfigurationError(msg) from None
    return _controls(data, file=str(path))


def shipped_controls() -> dict[str, list[Control]]:
    """The controls that come with rampart, by the name of their file without its ending."""
    folder = resources.files("rampart.evaluators").joinpath("controls")
    files = sorted((one for one in folder.iterdir() if one.name.endswith(_ENDING)), key=lambda one: one.name)
    return {one.name.removesuffix(_ENDING): _controls(one.read_bytes(), file=one.name) for one in files}


def control_of(row: dict[str, Any], /, *, file: str, line: int) -> Control:
    """The control that a JSON object stands for.

    Raises:
        msgspec.ValidationError: If it does not follow the format.
    """
    return _control(msgspec.convert(row, _Line), file=file, number=line)


_Text = Annotated[str, msgspec.Meta(pattern=r"\S")]
_Outcome = Literal["detected", "not_detected", "undetermined"]
_Level = Literal["tool_and_side_effects", "tool_only", "response_only"]


class _ToolCallLine(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    arguments: Any = msgspec.field(default_factory=dict)
    raw_arguments: str | None = None
    result: Any = None
    error: str | None = None
    executed: bool | None = None


class _SideEffectLine(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    details: dict[str, Any] = {}


class _TurnLine(msgspec.Struct, forbid_unknown_fields=True):
    prompt: str = "Go on."
    response: str = ""
    tool_calls: list[_ToolCallLine] = []
    side_effects: list[_SideEffectLine] = []
    metadata: dict[str, Any] = {}


class _ToolLine(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    description: str = ""
    parameters: dict[str, Any] = {}
    permissions: list[str] = []


class _ManifestLine(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    tools: list[_ToolLine] = []
    description: str = ""
    metadata: dict[str, Any] = {}


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    id: _Text
    evaluator: _Text
    expected: _Outcome
    turns: list[_TurnLine]
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    level: _Level = "tool_and_side_effects"
    manifest: _ManifestLine | None = None
    metadata: dict[str, Any] = {}
    note: str = ""


@dataclass(kw_only=True)
class _Reader:
    file: str
    line_of: dict[str, int] = field(default_factory=dict)

    def read(self, number: int, line: bytes) -> Control:
        try:
            # Not msgspec's own reader, which refuses halves of characters: agents send them.
            raw = json.loads(line, object_pairs_hook=_object, parse_constant=_refuse_constant)
            decoded = msgspec.convert(raw, _Line)
        except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
            raise self._error(number, quote(str(error))) from None
        first = self.line_of.setdefault(decoded.id, number)
        if first != number:
            raise self._error(number, f"id: {quote(decoded.id)} stands in line {first} already")
        return _control(decoded, file=self.file, number=number)

    def _error(self, number: int, what: str) -> SchemaError:
        return SchemaError(f"{self.file}, line {number}: {what}")


def _controls(data: bytes, *, file: str) -> list[Control]:
    reader = _Reader(file=file)
    lines = enumerate(data.split(b"\n"), start=1)
    controls = [reader.read(number, line) for number, line in lines if line.strip()]
    if not controls:
        msg = f"{file}: holds no control; expected one JSON object a line"
        raise ConfigurationError(msg)
    return controls


def _object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            msg = f"{key}: is given twice"
            raise ValueError(msg)
        value[key] = item
    return value


def _refuse_constant(name: str) -> NoReturn:
    msg = f"{name} is no JSON"
    raise ValueError(msg)


def _control(line: _Line, *, file: str, number: int) -> Control:
    return Control(
        id=line.id,
        evaluator=line.evaluator,
        args=tuple(line.args),
        kwargs=line.kwargs,
        turns=tuple(_turn(turn, position) for position, turn in enumerate(line.turns)),
        level=ObservabilityLevel(line.level),
        manifest=None if line.manifest is None else _manifest(line.manifest),
        metadata=line.metadata,
        expected=EvalOutcome(line.expected),
        note=line.note,
        file=file,
        line=number,
    )


def _manifest(line: _ManifestLine) -> AppManifest:
    tools = [ToolDeclaration(**msgspec.structs.asdict(tool)) for tool in line.tools]
    return AppManifest(name=line.name, tools=tools, description=line.description, metadata=line.metadata)


def _turn(line: _TurnLine, number: int) -> Turn:
    response = Response(
        text=line.response,
        tool_calls=[ToolCall(**msgspec.structs.asdict(call)) for call in line.tool_calls],
        side_effects=[SideEffect(kind=effect.kind, details=effect.details) for effect in line.side_effects],
        metadata=line.metadata,
    )
    return Turn(request=Request(prompt=line.prompt), response=response, turn_number=number)
