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
