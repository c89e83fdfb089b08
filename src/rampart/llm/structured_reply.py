"""How a reply that follows a JSON Schema is asked for."""

from __future__ import annotations

from typing import Any

from rampart.llm.schema_check import check_schema

_UNKNOWN_TO_STRICT = frozenset({"allOf", "definitions", "if", "not", "oneOf", "patternProperties"})


def response_format(schema: dict[str, Any]) -> dict[str, Any]:
    """The field `response_format` of a request.

    The strict mode of the protocol holds the model to the schema, and takes only schemas whose objects
    require all of their properties and forbid others; for another schema it is left off.

    Raises:
        TypeError: If the schema is no dict.
        ValueError: If it cannot be written as JSON.
    """
    check_schema(schema)
    wrapped = {"name": "reply", "schema": schema, "strict": _allows_strict(schema)}
    return {"type": "json_schema", "json_schema": wrapped}


def _allows_strict(schema: Any) -> bool:
    if isinstance(schema, list):
        return all(map(_allows_strict, schema))
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if isinstance(properties, dict):
        closed = schema.get("additionalProperties") is False
        required = schema.get("required")
        named = required if isinstance(required, list) else []
        if not closed or len(named) != len(properties) or any(name not in named for name in properties):
            return False
        return all(map(_allows_strict, properties.values())) and _rest_allows_strict(schema)
    return schema.get("type") != "object" and _rest_allows_strict(schema)


def _rest_allows_strict(schema: dict[str, Any]) -> bool:
    if not _UNKNOWN_TO_STRICT.isdisjoint(schema):
        return False
    definitions = schema.get("$defs")
    parts = list(definitions.values()) if isinstance(definitions, dict) else []
    return all(map(_allows_strict, [schema.get("items"), schema.get("anyOf"), *parts]))
