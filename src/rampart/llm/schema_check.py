"""Whether a JSON Schema can be handed to a model at all."""

from __future__ import annotations

import json

from rampart.text.oneline import quote


def check_schema(schema: object, /) -> None:
    """Refuse what no request can carry.

    Raises:
        TypeError: If the schema is no dict.
        ValueError: If it cannot be written as JSON.
    """
    if not isinstance(schema, dict):
        msg = f"response_schema must be a dict, a JSON Schema, got {type(schema).__name__}"
        raise TypeError(msg)
    try:
        json.dumps(schema, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        reason = quote(str(error), limit=200)
        msg = f"response_schema must be a JSON Schema, got what cannot be written as JSON: {reason}"
        raise ValueError(msg) from None
