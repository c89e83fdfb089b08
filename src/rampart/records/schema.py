"""The record format as JSON Schema."""

from __future__ import annotations

from typing import Any

import msgspec

from rampart.records import wire

_LIMITS_OF_JSON_SCHEMA = (
    "A decoder checks what JSON Schema cannot say: index fields are written as integers (1, not 1.0), a "
    "population's index is below its size, timestamps name days that exist, no string or key holds a lone "
    "surrogate, numbers are finite in double precision, no object "
    "holds a name twice, and nothing is nested deeper than 64."
)
_NULL = {"type": "null"}


def json_schema() -> dict[str, Any]:
    """The JSON Schema (Draft 2020-12) of one serialised record."""
    schema = msgspec.json.schema(wire.Record)
    definitions = schema["$defs"]
    definitions["Request"]["anyOf"] = [
        {"required": ["prompt"], "properties": {"prompt": {"type": "string"}}},
        {"required": ["attachments"], "properties": {"attachments": {"minItems": 1}}},
    ]
    definitions["Turn"]["anyOf"] = [
        {"properties": {"eval_purpose": _NULL}},
        {"required": ["eval_result"], "properties": {"eval_result": {"not": _NULL}}},
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:rampart:trace:v1",
        "$comment": _LIMITS_OF_JSON_SCHEMA,
    } | schema
