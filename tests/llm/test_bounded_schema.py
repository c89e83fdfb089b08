"""What is closed in a schema, what is left alone, and that what follows the result follows the schema."""

from copy import deepcopy
from typing import Any

import jsonschema
import pytest

from rampart.llm.bounded_schema import bounded_schema

VERDICT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "outcome": {"enum": ["detected", "not_detected"]},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "rationale": {"type": "string"},
        "evidence": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["outcome", "confidence", "rationale", "evidence"],
    "additionalProperties": False,
}


def test_text_shares_what_fits_into_the_tokens() -> None:
    bounded = bounded_schema(VERDICT, max_tokens=400)["properties"]
    assert bounded["rationale"] == {"type": "string", "maxLength": 148}
    assert bounded["evidence"] == {
        "type": "array",
        "maxItems": 4,
        "items": {"type": "string", "maxLength": 31},
    }
    assert bounded["outcome"] == VERDICT["properties"]["outcome"]


def test_a_reply_of_few_tokens_has_fewer_and_shorter_items() -> None:
    bounded = bounded_schema(VERDICT, max_tokens=130)["properties"]
    assert bounded["evidence"]["maxItems"] == 2
    assert bounded["evidence"]["items"]["maxLength"] == 8
    bounded = bounded_schema(VERDICT, max_tokens=10)["properties"]
    assert bounded["evidence"] == {
        "type": "array",
        "maxItems": 1,
        "items": {"type": "string", "maxLength": 8},
    }


def test_the_given_schema_is_left_as_it_is() -> None:
    before = deepcopy(VERDICT)
    bounded_schema(VERDICT, max_tokens=100)
    assert before == VERDICT


def test_a_range_of_numbers_becomes_a_list_within_it() -> None:
    steps = bounded_schema(VERDICT, max_tokens=100)["properties"]["confidence"]["enum"]
    assert (len(steps), steps[0], steps[50], steps[-1]) == (101, 0.0, 0.5, 1.0)
    jsonschema.validate(steps[33], VERDICT["properties"]["confidence"])


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "maxLength": 9},
        {"type": "string", "pattern": "^a+$"},
        {"type": "string", "format": "date"},
        {"type": "array", "maxItems": 2, "items": {"type": "boolean"}},
        {"type": "number", "minimum": 0, "maximum": 9, "multipleOf": 3},
        {"type": "integer", "minimum": 0, "maximum": 9},
        {"const": "a word"},
        {},
    ],
    ids=lambda schema: "-".join(str(value) for pair in schema.items() for value in pair)[:40] or "empty",
)
def test_what_is_closed_already_or_has_a_grammar_of_its_own_is_kept(schema: dict[str, Any]) -> None:
    assert bounded_schema(schema, max_tokens=100) == schema


@pytest.mark.parametrize(
    ("schema", "added"),
    [
        pytest.param({"type": "integer"}, {"minimum": -(10**12), "maximum": 10**12}, id="integer"),
        pytest.param({"type": "integer", "minimum": 10**13}, {"maximum": 11 * 10**12}, id="large"),
        pytest.param({"type": "integer", "exclusiveMaximum": 5}, {"minimum": -(10**12)}, id="below"),
        pytest.param({"type": "number", "minimum": 0}, {"maximum": 10**12, "multipleOf": 0.001}, id="number"),
        pytest.param(
            {"type": "number", "exclusiveMinimum": 0, "maximum": 1}, {"multipleOf": 0.001}, id="open-range"
        ),
        pytest.param({"type": "number", "minimum": 1, "maximum": 1}, {"multipleOf": 0.001}, id="one-number"),
        pytest.param({"type": "number", "minimum": 0, "maximum": 101}, {"multipleOf": 0.001}, id="wide"),
    ],
)
def test_numbers_come_to_an_end(schema: dict[str, Any], added: dict[str, Any]) -> None:
    assert bounded_schema(schema, max_tokens=100) == {**schema, **added}


def test_required_lengths_are_never_undercut() -> None:
    schema = {"type": "array", "minItems": 7, "items": {"type": "string", "minLength": 50}}
    bounded = bounded_schema(schema, max_tokens=10)
    assert bounded["maxItems"] == 7
    assert bounded["items"]["maxLength"] == 50


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        pytest.param({"anyOf": [{"type": "string"}, {"type": "null"}]}, ("anyOf", 0), id="any-of"),
        pytest.param({"$defs": {"name": {"type": "string"}}}, ("$defs", "name"), id="definitions"),
        pytest.param({"properties": {"a": {"type": ["string", "null"]}}}, ("properties", "a"), id="kinds"),
    ],
)
def test_text_is_found_wherever_it_stands(schema: dict[str, Any], place: tuple[Any, ...]) -> None:
    found: Any = bounded_schema(schema, max_tokens=100)
    for step in place:
        found = found[step]
    assert found["maxLength"] >= 8


def test_parts_that_are_no_schemas_are_passed_over() -> None:
    schema = {"anyOf": [True], "properties": {"a": True}, "$defs": []}
    assert bounded_schema(schema, max_tokens=100) == schema
