"""Reading records: strictly, with the place of each fault and never with the data."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.records.support import (
    VERSION,
    at,
    full_document,
    full_record,
    full_result,
    json_values,
    minimal_document,
    places,
)

from rampart.core.errors import SchemaError, UnsupportedSchemaVersionError
from rampart.core.result import SafetyStatus
from rampart.core.types import HarmCategory, PayloadFormat, Request, TraceEndReason
from rampart.records import Loss, deserialize_record, serialize_record

TURN: dict[str, Any] = {"request": {"prompt": "p"}, "response": {"text": "t"}}


def read(document: object) -> Any:
    return deserialize_record(data=json.dumps(document))


def test_every_field_comes_back() -> None:
    assert deserialize_record(data=serialize_record(record=full_record())) == full_record()
    assert full_record().result == full_result()


def test_optional_keys_have_defaults() -> None:
    record = read(minimal_document(turns=[TURN]))
    result = record.result
    assert (record.pytest_nodeid, record.result_index, record.losses, record.truncated) == (
        None,
        None,
        [],
        False,
    )
    assert (result.status, result.turns[0].request) == (SafetyStatus.SAFE, Request(prompt="p"))
    assert (result.harm_category, result.population, result.metadata, result.strategy) == (None, None, {}, "")
    assert (result.turns[0].turn_number, result.turns[0].timestamp) == (0, None)


def test_what_the_envelope_says_is_kept() -> None:
    record = read(full_document())
    assert record.losses == [Loss(path="result.metadata.x", reason="not_json")]
    assert record.truncated is True
    assert (record.pytest_nodeid, record.result_index) == ("tests/test_a.py::test_b", 2)


def test_defaults_are_not_shared_between_records() -> None:
    first, second = read(minimal_document()).result, read(minimal_document()).result
    first.metadata["x"] = 1
    first.turns.append("x")
    assert (second.metadata, second.turns) == ({}, [])


@settings(deadline=None)
@given(
    st.sampled_from(
        [
            place
            for place in places(full_document())
            if isinstance(at(full_document(), *place), dict)
            and place != ("result", "usage")  # any role is known
        ]
    ),
    json_values,
)
def test_unknown_keys_are_tolerated_everywhere(place: tuple[str | int, ...], value: Any) -> None:
    document = full_document()
    at(document, *place)["from_the_future"] = value
    read(document)


@pytest.mark.parametrize(
    ("written", "category"),
    [
        pytest.param("jailbreak", HarmCategory.JAILBREAK, id="known"),
        pytest.param("our_own", "our_own", id="open"),
        pytest.param("", "", id="empty"),
    ],
)
def test_harm_categories_are_open(written: str, category: str) -> None:
    found = read(minimal_document(harm_category=written)).result.harm_category
    assert found == category
    assert type(found) is type(category)


def test_a_null_confidence_is_nan() -> None:
    document = minimal_document(utility={"outcome": "detected", "confidence": None})
    assert math.isnan(read(document).result.utility.confidence)


def test_enums_come_back_as_members() -> None:
    payload = {"content": "c", "id": "i", "format": "html"}
    result = read(
        minimal_document(
            trace_end_reason="max_turns_reached",
            turns=[{"request": {"attachments": [payload]}, "response": {"text": ""}}],
        )
    ).result
    assert result.trace_end_reason is TraceEndReason.MAX_TURNS_REACHED
    assert result.turns[0].request.attachments[0].format is PayloadFormat.HTML


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30T10:00:00",
        "2026-11-30T10:00:00Z",
        "2026-11-30T10:00:00.123456+05:30",
        "2026-11-30 10:00:00z",
    ],
)
def test_iso_8601_timestamps_are_read(text: str) -> None:
    found = read(minimal_document(turns=[TURN | {"timestamp": text}])).result.turns[0].timestamp
    assert found.isoformat()[:19] == text[:19].replace(" ", "T")
    assert (found.tzinfo is None) == (text == "2026-11-30T10:00:00")


POPULATION: dict[str, Any] = {"id": "p", "index": 0, "size": 2, "threshold": 1.0}
PAYLOAD = {"content": "c", "id": "i"}

BAD_VALUES: list[tuple[str, list[Any], str]] = [
    ("status", ["secure", 1, None, True, "SAFE"], "result.status"),
    ("summary", [1, None, ["s"]], "result.summary"),
    ("observability_level", ["all", None], "result.observability_level"),
    ("final_trace_evaluation", ["detected", {"confidence": 1.0}, []], "result.final_trace_evaluation"),
    ("turns", [None, {}, "turn"], "result.turns"),
    ("trace_end_reason", ["bored", 1], "result.trace_end_reason"),
    ("duration_seconds", ["1", None, True], "result.duration_seconds"),
    ("harm_category", [1, ["jailbreak"]], "result.harm_category"),
    ("strategy", [None, 1], "result.strategy"),
    ("injections", [[{"payload_id": "x"}], [{"surface_name": "x"}]], "result.injections[0]"),
    ("population", [{"id": "p"}, POPULATION | {"index": 2}], "result.population"),
    ("metadata", [None, [], "x"], "result.metadata"),
]
PAYLOAD_CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("format", {"format": "pdf"}),
    ("artifact", {"artifact": "x.pdf"}),
    ("metadata", {"metadata": None}),
    *(("id", {"id": bad}) for bad in ["", ".", "..", "a/b", "a b", "x" * 129, "é", "x\n", None]),
]
BAD_PARTS: list[tuple[str, Any, str]] = [
    ("population", POPULATION | {"id": ""}, "result.population.id"),
    ("population", POPULATION | {"size": 0}, "result.population.size"),
    ("population", POPULATION | {"size": 2.0}, "result.population.size"),
    ("population", POPULATION | {"index": -1}, "result.population.index"),
    ("population", POPULATION | {"index": False}, "result.population.index"),
    ("population", POPULATION | {"threshold": 1.5}, "result.population.threshold"),
    ("population", POPULATION | {"threshold": "1"}, "result.population.threshold"),
    ("utility", {"outcome": "perhaps"}, "result.utility.outcome"),
    ("utility", {"outcome": "detected", "confidence": "1"}, "result.utility.confidence"),
    ("utility", {"outcome": "detected", "evidence": [1]}, "result.utility.evidence[0]"),
    ("utility", {"outcome": "detected", "evidence": None}, "result.utility.evidence"),
    ("utility", {"outcome": "detected", "rationale": None}, "result.utility.rationale"),
    (
        "injections",
        [{"payload_id": "../x", "surface_name": "s"}],
        "result.injections[0].payload_id",
    ),
    ("turns", [TURN, {"request": {"prompt": "p"}}], "result.turns[1]"),
    ("turns", [TURN | {"request": {}}], "result.turns[0].request"),
    ("turns", [TURN | {"request": {"prompt": None, "attachments": []}}], "result.turns[0].request"),
    ("turns", [TURN | {"request": {"prompt": 1}}], "result.turns[0].request.prompt"),
    ("turns", [TURN | {"eval_purpose": "stop_check"}], "result.turns[0]"),
    ("turns", [TURN | {"eval_purpose": "stop"}], "result.turns[0].eval_purpose"),
    ("turns", [TURN | {"eval_result": {"outcome": "secure"}}], "result.turns[0].eval_result.outcome"),
    ("turns", [TURN | {"turn_number": "0"}], "result.turns[0].turn_number"),
    ("turns", [TURN | {"turn_number": 0.0}], "result.turns[0].turn_number"),
    ("turns", [TURN | {"turn_number": True}], "result.turns[0].turn_number"),
    ("turns", [TURN | {"turn_number": None}], "result.turns[0].turn_number"),
    ("turns", [TURN | {"timestamp": "yesterday"}], "result.turns[0].timestamp"),
    ("turns", [TURN | {"timestamp": "2026-02-30T10:00:00Z"}], "result.turns[0].timestamp"),
    ("turns", [TURN | {"timestamp": 1700000000}], "result.turns[0].timestamp"),
    ("turns", [TURN | {"driver_reasoning": None}], "result.turns[0].driver_reasoning"),
    ("turns", [TURN | {"response": {}}], "result.turns[0].response"),
    ("turns", [TURN | {"response": {"text": None}}], "result.turns[0].response.text"),
    ("turns", [TURN | {"response": {"text": "", "usage": 3}}], "result.turns[0].response.usage"),
    (
        "turns",
        [TURN | {"response": {"text": "", "usage": {"requests": "1"}}}],
        "result.turns[0].response.usage.requests",
    ),
    (
        "turns",
        [TURN | {"response": {"text": "", "tool_calls": [{"arguments": {}}]}}],
        "result.turns[0].response.tool_calls[0]",
    ),
    (
        "turns",
        [TURN | {"response": {"text": "", "tool_calls": [{"name": "t", "arguments": "{}"}]}}],
        "result.turns[0].response.tool_calls[0].arguments",
    ),
    (
        "turns",
        [TURN | {"response": {"text": "", "tool_calls": [{"name": "t", "executed": 1}]}}],
        "result.turns[0].response.tool_calls[0].executed",
    ),
    (
        "turns",
        [TURN | {"response": {"text": "", "side_effects": [{"kind": "k", "details": None}]}}],
        "result.turns[0].response.side_effects[0].details",
    ),
    ("turns", [TURN | {"request": {"attachments": [{"id": "i"}]}}], "result.turns[0].request.attachments[0]"),
    *[
        (
            "turns",
            [TURN | {"request": {"attachments": [PAYLOAD | change]}}],
            f"result.turns[0].request.attachments[0].{key}",
        )
        for key, change in PAYLOAD_CHANGES
    ],
]


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [(key, value, place) for key, values, place in BAD_VALUES for value in values] + BAD_PARTS,
)
def test_a_value_of_the_wrong_kind_is_refused_with_its_place(key: str, value: object, place: str) -> None:
    read(minimal_document())
    with pytest.raises(SchemaError, match=rf"^{re.escape(place)}: \S"):
        read(minimal_document() | {"result": minimal_document()["result"] | {key: value}})


@pytest.mark.parametrize("key", ["status", "summary", "observability_level"])
def test_required_keys_are_named(key: str) -> None:
    document = minimal_document()
    del document["result"][key]
    with pytest.raises(SchemaError, match=rf"^result: .*{key}"):
        read(document)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        pytest.param({"result": None}, "result", id="no-result"),
        pytest.param({"result_index": -1}, "result_index", id="negative"),
        pytest.param({"result_index": 1.0}, "result_index", id="float"),
        pytest.param({"result_index": True}, "result_index", id="bool"),
        pytest.param({"pytest_nodeid": 1}, "pytest_nodeid", id="node-id"),
        pytest.param({"losses": [{"path": "x"}]}, r"losses\[0\]", id="loss"),
        pytest.param({"truncated": 1}, "truncated", id="flag"),
        pytest.param({"truncated": None}, "truncated", id="null"),
    ],
)
def test_the_envelope_is_strict_too(change: dict[str, Any], place: str) -> None:
    with pytest.raises(SchemaError, match=rf"^{place}: "):
        read(minimal_document() | change)


def test_an_envelope_without_a_result_names_it() -> None:
    with pytest.raises(SchemaError, match=r"^record: .*`result`"):
        read({"version": VERSION})


@pytest.mark.parametrize("version", ["rampart.trace.v2", "", 1, None, ["rampart.trace.v1"], "hunter2"])
def test_another_version_is_unsupported_whatever_the_rest_looks_like(version: object) -> None:
    for document in (minimal_document() | {"version": version}, {"version": version, "result": 3}):
        with pytest.raises(
            UnsupportedSchemaVersionError, match=r"^version: .*'rampart\.trace\.v1'"
        ) as caught:
            read(document)
        assert "hunter2" not in str(caught.value)


def test_a_missing_version_is_unsupported() -> None:
    with pytest.raises(UnsupportedSchemaVersionError, match="there is none"):
        read({"result": minimal_document()["result"]})
