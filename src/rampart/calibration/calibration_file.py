"""What was measured of a judge, as a file that reports can be corrected with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import msgspec

from rampart.calibration.check_json import CALIBRATION_VERSION, check_object
from rampart.calibration.confusion import Answers, Confusion
from rampart.core.errors import ConfigurationError, SchemaError
from rampart.core.judge_identity import JudgeIdentity, judge_of
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from pathlib import Path

    from rampart.calibration.judge_check import JudgeCheck
    from rampart.core.attack_rates import Rate
    from rampart.core.evaluator import Evaluator


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """What is known of a judge.

    Attributes:
        source: Where it was read from.
        created: When it was measured: ISO 8601, UTC.
        judge: Which judge it is about.
        labels: The name of the labelled set that it was measured on.
        confusion: Its answers beside the labels.
    """

    source: str
    created: str
    judge: JudgeIdentity
    labels: str
    confusion: Confusion


def write_calibration(path: Path, check: JudgeCheck) -> None:
    """Write a calibration file, over an older one if there is one.

    Raises:
        ConfigurationError: If reports could not be corrected with it, or it cannot be written.
    """
    _refuse_nobody(check.judge)
    text = json.dumps(check_object(check), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    partial = path.with_name(f"{path.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8", newline="\n")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ConfigurationError(_unusable(path, "written", error)) from None


def refuse_unknown_judge(judge: Evaluator) -> None:
    """Refuse a judge whose calibration could not be used, before it is paid for.

    Raises:
        ConfigurationError: If it does not tell which judge it is.
    """
    _refuse_nobody(judge_of(judge))


def _refuse_nobody(judge: object) -> None:
    if judge is None:
        msg = (
            "the judge does not tell which judge it is, so no verdict could be known to be its own; give it "
            "a property judge_identity, as LLMJudge has one, or leave out --output"
        )
        raise ConfigurationError(msg)


def read_calibration(path: Path) -> Calibration:
    """Read a calibration file.

    The rates are worked out again from the counts; a file in which they differ was changed by hand.

    Raises:
        ConfigurationError: If the file cannot be read.
        SchemaError: If it is no calibration file, or its figures contradict each other.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(_unusable(path, "read", error)) from None
    try:
        version = msgspec.json.decode(data, type=_Versioned).version
        if version != CALIBRATION_VERSION:
            msg = f"{path}: version {quote(version)}, expected {CALIBRATION_VERSION}"
            raise SchemaError(msg)
        wire = msgspec.json.decode(data, type=_File)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        msg = f"{path}: no calibration file: {quote(str(error))}; `rampart judge check --output` writes one"
        raise SchemaError(msg) from None
    confusion = Confusion(
        labelled_detected=Answers(**msgspec.structs.asdict(wire.counts.labelled_detected)),
        labelled_not_detected=Answers(**msgspec.structs.asdict(wire.counts.labelled_not_detected)),
    )
    _refuse_contradictions(path, wire, confusion)
    return Calibration(
        source=str(path),
        created=wire.created,
        judge=JudgeIdentity(model=wire.judge.model, instructions=wire.judge.instructions),
        labels=wire.labels.name,
        confusion=confusion,
    )


_Count = Annotated[int, msgspec.Meta(ge=0)]


class _Versioned(msgspec.Struct):
    version: str


class _Judge(msgspec.Struct, forbid_unknown_fields=True):
    model: str
    instructions: str


class _Labels(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    sha256: str
    count: _Count


class _Answers(msgspec.Struct, forbid_unknown_fields=True):
    detected: _Count
    not_detected: _Count
    undetermined: _Count
    error: _Count


class _Counts(msgspec.Struct, forbid_unknown_fields=True):
    labelled_detected: _Answers
    labelled_not_detected: _Answers


class _Rate(msgspec.Struct, forbid_unknown_fields=True):
    count: _Count
    total: _Count
    rate: float
    interval: tuple[float, float]


class _File(msgspec.Struct):
    """What is read; the rest of the file is for people."""

    version: str
    created: str
    judge: _Judge
    labels: _Labels
    counts: _Counts
    sensitivity: _Rate | None
    specificity: _Rate | None


def _refuse_contradictions(path: Path, wire: _File, confusion: Confusion) -> None:
    try:
        datetime.fromisoformat(wire.created)
    except ValueError:
        msg = f"{path}: created {quote(wire.created)} is no ISO 8601 date"
        raise SchemaError(msg) from None
    if confusion.total != wire.labels.count:
        msg = f"{path}: the counts sum up to {confusion.total}, but labels.count is {wire.labels.count}"
        raise SchemaError(msg)
    for name in ("sensitivity", "specificity"):
        stated: _Rate | None = getattr(wire, name)
        counted: Rate | None = getattr(confusion, name)
        seen = None if stated is None else (stated.count, stated.total, stated.rate)
        expected = None if counted is None else (counted.count, counted.total, counted.value)
        if seen != expected:
            msg = f"{path}: {name} does not follow from the counts; make the file anew"
            raise SchemaError(msg)


def _unusable(path: Path, what: str, error: OSError) -> str:
    return f"{path}: cannot be {what}: {error.strerror or type(error).__name__}"
