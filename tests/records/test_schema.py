"""The JSON Schema and the codec describe one format."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.records.support import (
    any_text,
    anything,
    at,
    full_document,
    minimal_document,
    places,
    result_of,
    turn_of,
)

from rampart.core.errors import SchemaError
from rampart.records import (
    TRACE_SCHEMA_VERSION,
    ResultRecord,
    deserialize_record,
    prepare_record,
    serialize_record,
)

SCHEMA = ResultRecord.json_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def decodes(document: object) -> bool:
    try:
        deserialize_record(data=json.dumps(document))
    except SchemaError:
        return False
    return True


def test_the_schema_is_one_of_draft_2020_12() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["$id"] == "urn:rampart:trace:v1"
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


def test_the_version_is_part_of_the_record_and_of_the_schema() -> None:
    assert ResultRecord.VERSION == TRACE_SCHEMA_VERSION == "rampart.trace.v1"
    assert SCHEMA["$defs"]["Record"]["properties"]["version"] == {"enum": ["rampart.trace.v1"]}


def test_callers_may_change_the_schema_they_get() -> None:
    ResultRecord.json_schema()["$defs"].clear()
    assert ResultRecord.json_schema() == SCHEMA


@settings(deadline=None)
@given(
    st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("summary", "metadata", "turns", "harm_category", "strategy"), anything)
    ),
    any_text,
)
def test_whatever_is_written_validates(given: dict[str, Any], text: str) -> None:
    result = result_of(turns=[turn_of(text=text, prompt=text)])
    for name, value in given.items():
        setattr(result, name, value)
    written = serialize_record(record=prepare_record(result=result, pytest_nodeid=text, result_index=0))
    VALIDATOR.validate(json.loads(written))


def test_a_full_and_a_minimal_document_validate() -> None:
    for document in (full_document(), minimal_document()):
        VALIDATOR.validate(document)
        assert decodes(document)


_DROPPED = object()
MUTATIONS = [None, True, -1, "", "x", 10**30, 0.5, [], [None], ["x"], {}, {"a": 1}, _DROPPED]


@settings(deadline=None)
@given(
    st.sampled_from([place for place in places(full_document()) if place]),
    st.sampled_from(MUTATIONS),
)
def test_a_changed_document_is_taken_by_both_or_by_none(place: tuple[str | int, ...], change: object) -> None:
    document = full_document()
    holder, last = at(document, *place[:-1]), place[-1]
    if change is _DROPPED:
        del holder[last]
    else:
        holder[last] = change
    if "population" in place and last in {"index", "size"}:
        return  # whether the index lies below the size is beyond JSON Schema
    assert VALIDATOR.is_valid(document) == decodes(document), (place, change)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"status": "secure"}, id="status"),
        pytest.param({"observability_level": "all"}, id="level"),
        pytest.param({"duration_seconds": "1"}, id="number"),
        pytest.param({"metadata": None}, id="null"),
        pytest.param({"harm_category": 1}, id="category"),
        pytest.param({"turns": [{"request": {}, "response": {"text": ""}}]}, id="silent-request"),
        pytest.param(
            {"turns": [{"request": {"prompt": ""}, "response": {"text": ""}, "eval_purpose": "stop_check"}]},
            id="idle-purpose",
        ),
        pytest.param(
            {"turns": [{"request": {"prompt": ""}, "response": {"text": ""}, "timestamp": "now"}]},
            id="timestamp",
        ),
        pytest.param({"injections": [{"payload_id": "x\n", "surface_name": "s"}]}, id="line-break-in-an-id"),
        pytest.param({"population": {"id": "p", "index": 0, "size": 1, "threshold": 2}}, id="threshold"),
    ],
)
def test_both_refuse(change: dict[str, Any]) -> None:
    document = minimal_document(**change)
    assert not VALIDATOR.is_valid(document)
    assert not decodes(document)


@pytest.mark.parametrize(
    "timestamp",
    [
        "2026-11-30T10:00:00",
        "2026-11-30T10:00:00Z",
        "2026-11-30t10:00:00.5z",
        "2026-11-30 10:00:00.123456789+05:30",
        "2026-11-30T10:00:00+0530",
        "2026-11-30T10:00",
        "2026-11-30T10:00:00+05",
        "2026-11-30T10:00:00.",
        "2026-11-30T10:00:00Z\n",
        "20261130T100000Z",
        "2026-11-30",
    ],
)
def test_both_mean_the_same_by_a_timestamp(timestamp: str) -> None:
    turn = {"request": {"prompt": ""}, "response": {"text": ""}, "timestamp": timestamp}
    document = minimal_document(turns=[turn])
    assert VALIDATOR.is_valid(document) == decodes(document)


def test_the_schema_says_what_it_cannot_say() -> None:
    beyond = minimal_document(population={"id": "p", "index": 1, "size": 1, "threshold": 1})
    assert VALIDATOR.is_valid(beyond)
    assert not decodes(beyond)
    assert "index is below its size" in SCHEMA["$comment"]
