"""Which schemas the strict mode of the protocol takes."""

from __future__ import annotations

from typing import Any

import pytest

from rampart.llm.structured_reply import response_format

LEAF = {"type": "string"}


def closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        pytest.param(closed(a=LEAF), True, id="closed"),
        pytest.param(closed(a=closed(b=LEAF)), True, id="closed-inside"),
        pytest.param(closed(a={"type": "array", "items": closed(b=LEAF)}), True, id="closed-items"),
        pytest.param({"type": "object"}, False, id="any-object"),
        pytest.param({**closed(a=LEAF), "additionalProperties": True}, False, id="open"),
        pytest.param({**closed(a=LEAF, b=LEAF), "required": ["a"]}, False, id="optional"),
        pytest.param(closed(a={"type": "object", "properties": {"b": LEAF}}), False, id="open-inside"),
        pytest.param(closed(a={"type": "array", "items": {"type": "object"}}), False, id="open-items"),
        pytest.param(closed(a={"anyOf": [LEAF, {"type": "object"}]}), False, id="open-choice"),
        pytest.param({**closed(a=LEAF), "$defs": {"x": {"type": "object"}}}, False, id="open-definition"),
        pytest.param({**closed(a=LEAF), "$defs": {"x": closed(b=LEAF)}}, True, id="closed-definition"),
        pytest.param(closed(a={"oneOf": [LEAF]}), False, id="unknown-keyword"),
    ],
)
def test_strict(schema: dict[str, Any], strict: bool) -> None:
    wrapped = response_format(schema)
    assert wrapped["type"] == "json_schema"
    assert wrapped["json_schema"] == {"name": "reply", "schema": schema, "strict": strict}


def itself() -> dict[str, Any]:
    schema = closed()
    schema["properties"]["a"] = schema
    return schema


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        pytest.param(itself(), "Circular reference", id="contains-itself"),
        pytest.param({"enum": {1, 2}}, "set is not JSON serializable", id="set"),
        pytest.param({"description": "\ud800"}, "surrogates not allowed", id="half-a-character"),
        pytest.param({"minimum": float("nan")}, "not JSON compliant", id="nan"),
    ],
)
def test_what_cannot_be_written_as_json_is_refused(schema: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=f"response_schema must be a JSON Schema, .*{text}"):
        response_format(schema)


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({**closed(a=LEAF), "required": 5}, id="required-a-number"),
        pytest.param({**closed(a=LEAF), "required": [["a"]]}, id="required-a-list-of-lists"),
        pytest.param({**closed(a=LEAF), "required": ["a", "b"]}, id="required-what-is-not-there"),
        pytest.param({**closed(a=LEAF), "required": None}, id="required-null"),
    ],
)
def test_an_odd_list_of_what_is_required_is_not_strict(schema: dict[str, Any]) -> None:
    assert response_format(schema)["json_schema"]["strict"] is False


@pytest.mark.parametrize("definitions", [None, [], 5])
def test_odd_definitions_do_no_harm(definitions: object) -> None:
    assert response_format({**closed(a=LEAF), "$defs": definitions})["json_schema"]["strict"] is True
