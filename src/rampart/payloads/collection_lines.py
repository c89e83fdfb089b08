"""The lines of `payloads.jsonl`: one payload each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rampart.core.errors import SchemaError
from rampart.core.types import Payload, PayloadFormat, validate_payload_id
from rampart.payloads.collection_names import artifact_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FORMATS = {one.value: one for one in PayloadFormat}


def encode_json(value: object, *, what: str, indent: int | None = None) -> str:
    """`value` as strict JSON; everything beyond ASCII is escaped, so that what is invisible shows.

    Raises:
        SchemaError: If JSON cannot hold it, saying what it is.
    """
    try:
        return json.dumps(value, allow_nan=False, indent=indent)
    except (TypeError, ValueError, RecursionError) as error:
        msg = f"{what} cannot be stored as JSON: {error}; use str, numbers, bool, None, list and dict"
        raise SchemaError(msg) from error


def encode_payload(payload: Payload, *, artifact: str | None) -> str:
    """One line, without its line break."""
    record: dict[str, Any] = {
        "id": payload.id,
        "content": payload.content,
        "format": payload.format.value,
        "metadata": payload.metadata,
    }
    if artifact is not None:
        record["artifact"] = artifact
    return encode_json(record, what=f"payload {payload.id!r}")


def decode_payloads(text: str, *, folder: Path, format_filter: PayloadFormat | None) -> Iterator[Payload]:
    """The payloads of a collection, in order; those of other formats are checked, and left out.

    Args:
        text: What `payloads.jsonl` holds.
        folder: The collection's folder.
        format_filter: The only format to give back; None gives all.

    Raises:
        ValueError: If a line is malformed, an id is invalid, or an artifact lies where it must not.
        FileNotFoundError: If an artifact is missing.
    """
    # By line feeds alone: other line breaks of Unicode may stand in the text of a payload.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            record = _record(line, place=f"line {number} of {folder / 'payloads.jsonl'}")
            if format_filter is None or record["format"] is format_filter:
                yield _payload(record, folder)


def _record(line: str, *, place: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        msg = f"{place} is no JSON"
        raise SchemaError(msg) from None
    if not isinstance(record, dict):
        msg = f"{place} is no JSON object"
        raise SchemaError(msg)
    validate_payload_id(record.get("id"))
    if not isinstance(record.get("content"), str):
        msg = f"{place}: 'content' must be a text"
        raise SchemaError(msg)
    value = record.get("format")
    if not isinstance(value, str) or value not in _FORMATS:
        msg = f"{place}: 'format' must be one of {', '.join(_FORMATS)}"
        raise SchemaError(msg)
    if not isinstance(record.setdefault("metadata", {}), dict):
        msg = f"{place}: 'metadata' must be an object"
        raise SchemaError(msg)
    if _FORMATS[value].is_text and record.get("artifact") is not None:
        msg = f"{place}: the format {value!r} has no 'artifact'"
        raise SchemaError(msg)
    return {**record, "format": _FORMATS[value]}


def _payload(record: dict[str, Any], folder: Path) -> Payload:
    kind: PayloadFormat = record["format"]
    return Payload(
        content=record["content"],
        id=record["id"],
        format=kind,
        artifact=artifact_path(folder, record.get("artifact")) if kind.is_binary else None,
        metadata=record["metadata"],
    )
