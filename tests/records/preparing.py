"""What the tests of preparing share: prepared parts with the losses they cost."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from tests.records.support import result_of

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.records import prepare_record, serialize_record

if TYPE_CHECKING:
    from rampart.core.result import Result
    from rampart.core.types import (
        Turn,
    )


def losses_of(result: Result) -> list[tuple[str, str]]:
    record = prepare_record(result=result)
    serialize_record(record=record)  # whatever was repaired can be written
    return [(loss.path, loss.reason) for loss in record.losses]


def prepared_value(value: Any) -> tuple[Any, list[tuple[str, str]]]:
    """What becomes of a value in the metadata, and what is noted; the path is the value's own."""
    record = prepare_record(result=result_of(metadata={"v": value}))
    serialize_record(record=record)
    return record.result.metadata["v"], [
        (loss.path.removeprefix("result.metadata.v"), loss.reason) for loss in record.losses
    ]


def changed(part: Any, **given: Any) -> Any:
    for name, value in given.items():
        object.__setattr__(part, name, value)
    return part


def prepared_turn(turn: Any) -> tuple[Turn, list[tuple[str, str]]]:
    record = prepare_record(result=result_of(turns=[turn]))
    serialize_record(record=record)
    losses = [(loss.path.removeprefix("result.turns[0]."), loss.reason) for loss in record.losses]
    return record.result.turns[0], losses


def evaluation(**given: Any) -> EvalResult:
    facts: dict[str, Any] = {"outcome": EvalOutcome.DETECTED}
    return EvalResult(**(facts | given))


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3
