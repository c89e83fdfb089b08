"""A JSON Schema made narrower, so that a reply that is forced to follow it also comes to an end.

A small model that is made to write a string may repeat itself until its tokens are used up, and a reply that
is cut is no JSON. Lengths that the schema leaves open are therefore closed: what follows the narrower schema
follows the wider one as well.
"""

from __future__ import annotations

from typing import Any

from rampart.text.oneline import quote

_MOST_ITEMS = 4
"""Items of an array that sets no limit, if there is room for them."""
_SHORTEST = 8
"""Characters that a string may always have."""
_MARGIN = 0.9
"""Of the tokens of a reply, what is shared out."""
_AROUND = 6
"""Tokens for the white space and the marks around a key, a value or an item."""
_WORD = 8
"""Tokens for one of a list of words, or for true and false."""
_NUMBER = 16
"""Tokens for a number."""
_LARGEST_NUMBER = 10**12
"""What a number comes to at most where nothing is said; small models write digits for ever."""
_FINEST_STEP = 0.001
_SMALLEST_ITEM = 12
_STEPS = 100
"""Into which a range of numbers that is not wider is divided; some grammars know no limits for them."""
_OF_MANY = ("anyOf", "oneOf", "allOf")
_OF_REFERENCES = ("$defs", "definitions")


def bounded_schema(schema: dict[str, Any], *, max_tokens: int) -> dict[str, Any]:
    """Narrow a schema to what fits into a number of tokens.

    A token is taken for one character of text, as it is in digits. Text of other scripts can take more than
    one, and schemas that refer to themselves nest without end, so a reply may be cut nevertheless.

    Args:
        schema: The JSON Schema; it is left as it is.
        max_tokens: Length at which a reply is cut.

    Raises:
        ValueError: If its limits are no numbers.
    """
    try:
        return _bounded_object(schema, int(max_tokens * _MARGIN))
    except TypeError as error:
        msg = f"response_schema must be a JSON Schema, got limits that are no numbers: {quote(str(error))}"
        raise ValueError(msg) from None


def _bounded(schema: Any, tokens: int) -> Any:
    return _bounded_object(schema, tokens) if isinstance(schema, dict) else schema


def _bounded_object(schema: dict[str, Any], tokens: int) -> dict[str, Any]:
    if "enum" in schema or "const" in schema:
        return schema
    bounded = dict(schema)
    for key in _OF_MANY:
        if isinstance(schema.get(key), list):
            bounded[key] = [_bounded(one, tokens) for one in schema[key]]
    for key in _OF_REFERENCES:
        if isinstance(schema.get(key), dict):
            bounded[key] = {name: _bounded(one, tokens // 4) for name, one in schema[key].items()}
    if isinstance(schema.get("properties"), dict):
        bounded["properties"] = _bounded_properties(schema["properties"], tokens)
    kinds = schema.get("type")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind == "string":
            _bound_string(bounded, tokens)
        elif kind == "array":
            _bound_array(bounded, tokens)
        elif kind == "number" and kinds == kind and _is_range(bounded):
            return _stepped(bounded)
        elif kind in ("number", "integer"):
            _bound_number(bounded, is_whole=kind == "integer")
    return bounded


def _bounded_properties(properties: dict[str, Any], tokens: int) -> dict[str, Any]:
    """Share what is left beside the keys among the properties that are open in length."""
    keys = sum(len(name) // 2 + _AROUND for name in properties)
    fixed = [_fixed_tokens(one) for one in properties.values()]
    left = tokens - keys - sum(size for size in fixed if size is not None)
    share = max(0, left) // max(1, fixed.count(None))
    return {name: _bounded(one, share) for name, one in properties.items()}


def _fixed_tokens(schema: Any) -> int | None:
    """The tokens of a value that cannot grow; None for one that can."""
    if not isinstance(schema, dict):
        return None
    if "enum" in schema or "const" in schema or schema.get("type") in ("boolean", "null"):
        return _WORD
    return _NUMBER if schema.get("type") in ("number", "integer") else None


def _bound_string(schema: dict[str, Any], tokens: int) -> None:
    # Patterns and formats have grammars of their own, in which lengths are not looked at.
    if not {"maxLength", "pattern", "format"} & schema.keys():
        schema["maxLength"] = max(_SHORTEST, tokens, schema.get("minLength", 0))


def _bound_array(schema: dict[str, Any], tokens: int) -> None:
    room = min(_MOST_ITEMS, max(1, tokens // _SMALLEST_ITEM))
    most = schema.setdefault("maxItems", max(room, schema.get("minItems", 0)))
    if "items" in schema:
        schema["items"] = _bounded(schema["items"], max(0, tokens // max(1, most) - _AROUND))


def _bound_number(schema: dict[str, Any], *, is_whole: bool) -> None:
    if not is_whole:
        schema.setdefault("multipleOf", _FINEST_STEP)
    if not {"minimum", "exclusiveMinimum"} & schema.keys():
        highest = schema.get("maximum", schema.get("exclusiveMaximum", 0))
        schema["minimum"] = min(0, highest) - _LARGEST_NUMBER
    if not {"maximum", "exclusiveMaximum"} & schema.keys():
        lowest = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        schema["maximum"] = max(0, lowest) + _LARGEST_NUMBER


def _is_range(schema: dict[str, Any]) -> bool:
    low, high = schema.get("minimum"), schema.get("maximum")
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return False
    if not 0 < high - low <= _STEPS:
        return False
    return not {"exclusiveMinimum", "exclusiveMaximum", "multipleOf"} & schema.keys()


def _stepped(schema: dict[str, Any]) -> dict[str, Any]:
    """Turn a range of numbers, whose limits a grammar may not keep, into a list of numbers within it."""
    low, width = schema["minimum"], schema["maximum"] - schema["minimum"]
    return {"enum": [round(low + width * step / _STEPS, 6) for step in range(_STEPS + 1)]}
