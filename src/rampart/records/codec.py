"""Records to JSON and back, strictly: nothing is repaired on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from rampart.core.errors import SchemaError
from rampart.records import wire
from rampart.records._kinds import refuse
from rampart.records.decode_errors import FIELDS, decoding_error
from rampart.records.duplicates import duplicate_key
from rampart.records.json_values import MAX_NESTING, check_text
from rampart.records.nesting import too_deep
from rampart.records.paths import render
from rampart.records.population import Population, population_from_wire
from rampart.records.record import Loss, ResultRecord
from rampart.records.result_shape import RESULT, WRITTEN_IF_ANY

if TYPE_CHECKING:
    from rampart.core.result import Result

_RECORD = msgspec.json.Decoder(wire.Record)
_LINE = msgspec.json.Decoder(wire.Line)


def serialize_record(*, record: ResultRecord) -> str:
    """`record` as one line of JSON, without a line break at its end.

    Raises:
        SchemaError: If the record holds what the format cannot; `prepare_record` makes one that fits.
    """
    return encode_record(record).decode()


def encode_record(record: ResultRecord) -> bytes:
    """`record` as one line of JSON in UTF-8.

    Raises:
        SchemaError: If the record holds what the format cannot.
    """
    try:
        return msgspec.json.encode(checked_envelope(record))
    except (ValueError, OverflowError) as error:
        if isinstance(error, SchemaError):
            raise
        raise SchemaError("record: an integer has too many digits to be written") from None


def encode_prepared(record: ResultRecord) -> bytes:
    """As `encode_record`, for a record straight from `prepare_record`: it needs no second look.

    Its result is made of plain records and JSON values, which the encoder writes field by field.
    """
    return msgspec.json.encode(_envelope(record, result=_written(record.result)))


def _written(result: Result) -> dict[str, Any]:
    """The fields of a prepared result, without those that are written only where there is something."""
    fields = {name: value for name, value in vars(result).items() if value or name not in WRITTEN_IF_ANY}
    if result.control is not None:
        fields["control"] = _written(result.control)
    return fields


def checked_envelope(record: ResultRecord) -> dict[str, Any]:
    """`record` as JSON values, with the keys of the envelope that are set.

    Raises:
        SchemaError: If the record holds what the format cannot.
    """
    if not isinstance(record, ResultRecord):
        raise refuse(None, "record", "ResultRecord", record)
    return _envelope(record, result=RESULT.check(record.result, None, "result"))


def _envelope(record: ResultRecord, *, result: object) -> dict[str, Any]:
    envelope = {"version": wire.TRACE_SCHEMA_VERSION, "result": result}
    if record.pytest_nodeid is not None:
        envelope["pytest_nodeid"] = check_text(record.pytest_nodeid, None, "pytest_nodeid")
    if record.result_index is not None:
        envelope["result_index"] = _checked_index(record.result_index)
    if record.losses:
        envelope["losses"] = [_checked_loss(loss, index) for index, loss in enumerate(record.losses)]
    if record.truncated:
        envelope["truncated"] = True
    return envelope


def _checked_index(index: object) -> int:
    if type(index) is not int:
        raise refuse(None, "result_index", "an integer", index)
    if index < 0:
        raise SchemaError("result_index: expected 0 or more")
    return index


def _checked_loss(loss: Loss, index: int) -> dict[str, str]:
    here = (None, "losses"), index
    return {
        "path": check_text(loss.path, here, "path"),
        "reason": check_text(loss.reason, here, "reason"),
    }


def deserialize_record(*, data: str) -> ResultRecord:
    """The record that `data` holds.

    Raises:
        UnsupportedSchemaVersionError: If the version is missing or another one.
        SchemaError: If `data` is no JSON or does not follow the format; the text names the place and
            never shows the data.
    """
    return _record(_decoded(_RECORD, data))


def decode_line(data: bytes) -> ResultRecord | Population:
    """What one line of a journal holds.

    Raises:
        SchemaError: If the line does not follow the format.
    """
    line = _decoded(_LINE, data)
    return _record(line) if line.population is msgspec.UNSET else population_from_wire(line.population)


def _decoded(decoder: msgspec.json.Decoder[Any], data: str | bytes) -> Any:
    try:
        decoded = decoder.decode(data)
    except Exception as error:  # whatever the parser does, callers see one kind of error
        raise decoding_error(error, data) from None
    if too_deep(data):
        raise SchemaError(f"record: nested deeper than {MAX_NESTING}")
    twice = duplicate_key(data, known=FIELDS)
    if twice is not None:
        raise SchemaError(f"{render(*twice)}: stands twice in the same object, expected each name once")
    return decoded


def _record(envelope: Any) -> ResultRecord:
    return ResultRecord(
        result=RESULT.read(envelope.result),
        pytest_nodeid=envelope.pytest_nodeid,
        result_index=envelope.result_index,
        losses=[Loss(path=loss.path, reason=loss.reason) for loss in envelope.losses],
        truncated=envelope.truncated,
    )
