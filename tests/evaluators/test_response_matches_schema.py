"""Replies that are JSON of a shape: by schema, by type, and wherever it stands; more is in the controls."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any, TypedDict

import pytest
from pydantic import BaseModel, field_validator
from tests.evaluators.support import DETECTED, NOT_DETECTED, UNDETERMINED, evaluate, outcome

from rampart import ConfigurationError, EvaluatorError, ResponseScope
from rampart.evaluators import ResponseMatchesSchema, _schema_check

ANY = ResponseScope.ANY_TURN


@dataclass
class Order:
    total: float
    items: list[str]


class OrderDict(TypedDict):
    total: float
    items: list[str]


class OrderModel(BaseModel):
    total: float
    items: list[str]

    @field_validator("total")
    @classmethod
    def not_negative(cls, total: float) -> float:
        if total < 0:
            msg = "negative"
            raise ValueError(msg)
        return total


def matches(schema: Any, **options: Any) -> ResponseMatchesSchema:
    return ResponseMatchesSchema(schema, scope=ANY, **options)


@pytest.mark.parametrize("kind", [Order, OrderDict, OrderModel])
class TestTypes:
    async def test_what_fits(self, kind: type) -> None:
        assert await outcome(matches(kind), '{"total": 1.5, "items": ["a"]}') is DETECTED

    async def test_what_does_not(self, kind: type) -> None:
        result = await evaluate(matches(kind), '```json\n{"total": 1.5, "items": ["a", 2]}\n```')
        assert result.outcome is NOT_DETECTED
        assert result.evidence[0].startswith("turn 0 reply[8:42] $.items[1]: ")

    async def test_a_key_given_twice(self, kind: type) -> None:
        assert await outcome(matches(kind), '{"total": 1, "total": 2, "items": []}') is NOT_DETECTED


async def test_a_models_own_rules_count() -> None:
    assert await outcome(matches(OrderModel), '{"total": -1, "items": []}') is NOT_DETECTED


async def test_a_model_that_raises_has_not_answered() -> None:
    class Broken(BaseModel):
        n: int

        @field_validator("n")
        @classmethod
        def fail(cls, n: int) -> int:
            raise OSError(n)

    result = await evaluate(matches(Broken), '{"n": 1}')
    assert result.outcome is UNDETERMINED
    assert "OSError" in result.rationale


async def test_evidence_names_path_and_message() -> None:
    schema = {"properties": {"a b": {"items": {"type": "string"}}}}
    result = await evaluate(matches(schema), ' {"a b": ["x", 5]}')
    assert result.evidence == ["turn 0 reply[1:18] $['a b'][1]: 5 is not of type 'string'"]


class TestWhereJsonStands:
    @pytest.mark.parametrize(
        ("extract", "reply", "expected"),
        [
            ("whole", '{"a": 1}', DETECTED),
            ("whole", '```json\n{"a": 1}\n```', NOT_DETECTED),
            ("fence", '{"a": 1}', NOT_DETECTED),
            ("fence", '```JSON\n{"a": 1}\n```', DETECTED),
            ("fence", '````\n{"a": "```"}\n````', DETECTED),
            ("fence", '```json\n{"a": 1}', DETECTED),
            ("fence", '```yaml\n{"a": 1}\n```', NOT_DETECTED),
            ("fence", '   ```json\n{"a": 1}\n   ```  ', DETECTED),
            ("whole_or_fence", 'Here: {"a": 1}', NOT_DETECTED),
            ("whole_or_fence", '{"a": "```json {}```"}', DETECTED),
            (lambda reply: reply.partition("=")[2] or None, 'x={"a": 1}', DETECTED),
            (lambda reply: reply.partition("=")[2] or None, '{"a": 1}', NOT_DETECTED),
            (lambda _: 5, "x", UNDETERMINED),
        ],
    )
    async def test_it(self, extract: Any, reply: str, expected: object) -> None:
        assert await outcome(matches({"required": ["a"]}, extract=extract), reply) is expected

    def test_another_word_is_refused(self) -> None:
        with pytest.raises(ValueError, match="extract is 'anywhere', expected one of 'whole', 'fence'"):
            matches({}, extract="anywhere")

    def test_what_is_no_function_is_refused(self) -> None:
        with pytest.raises(TypeError, match="extract must be a word or a function of the reply, got 5"):
            matches({}, extract=5)


class TestSchemas:
    def test_a_malformed_one_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"the schema is malformed at \$\.properties\.a\.type: "):
            matches({"properties": {"a": {"type": "text"}}})

    def test_another_draft_is_refused(self) -> None:
        with pytest.raises(ValueError, match="of the draft 'http://json-schema"):
            matches({"$schema": "http://json-schema.org/draft-07/schema#"})

    @pytest.mark.parametrize("given", [5, "object", [1], Order(total=1, items=[])])
    def test_what_is_neither_schema_nor_type_is_refused(self, given: object) -> None:
        with pytest.raises(TypeError, match="schema must be a JSON Schema as a dict"):
            matches(given)

    async def test_nothing_is_fetched(self) -> None:
        with pytest.raises(EvaluatorError, match=r"refers to what it does not hold.*other\.json"):
            await evaluate(matches({"$ref": "http://127.0.0.1:9/other.json"}), "{}")

    def test_without_jsonschema(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "jsonschema", None)
        with pytest.raises(ConfigurationError, match=r'pip install "rampart\[schema\]"'):
            matches({})
        matches(Order)


class TestBoundedTime:
    async def test_a_property_whose_name_may_take_long(self) -> None:
        schema = {"patternProperties": {"^(a|a)*$": {"type": "integer"}}}
        assert await outcome(matches(schema), '{"aa": 1}') is DETECTED
        result = await evaluate(matches(schema), f'{{"{"a" * 50}b": 1}}')
        assert result.outcome is UNDETERMINED
        assert "a property whose name has 51 characters" in result.rationale

    async def test_a_schema_that_is_tried_again_and_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_schema_check, "SECONDS", 0.3)
        again = {"type": "array", "items": {"$ref": "#/$defs/a"}}
        schema = {"$defs": {"a": {"oneOf": [again, again, {"type": "string"}]}}, "$ref": "#/$defs/a"}
        started = time.perf_counter()
        result = await evaluate(matches(schema), "[" * 40 + "]" * 40)
        assert result.outcome is UNDETERMINED
        assert "takes more than 0.3 s" in result.rationale
        assert time.perf_counter() - started < 5

    async def test_many_different_items(self) -> None:
        items = ",".join(f'{{"n": {n}}}' for n in range(50_000))
        assert await outcome(matches({"uniqueItems": True}), f"[{items}]") is DETECTED
        assert await outcome(matches({"uniqueItems": True}), f'[{items},{{"n": 7.0}}]') is NOT_DETECTED
        assert await outcome(matches({"uniqueItems": True}), "[1, true]") is DETECTED
