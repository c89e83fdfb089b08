"""Whatever a result holds: it is prepared, written, read back and the same."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.records.support import anything, full_result, json_values

from rampart.core.attempt import Attempt
from rampart.core.checked import was_read
from rampart.core.evaluation import EvalResult
from rampart.core.result import InjectionRecord, PopulationRef, Result
from rampart.core.types import Payload, Request, Response, SideEffect, ToolCall, Turn, Usage
from rampart.records import deserialize_record, prepare_record, serialize_record
from rampart.records.codec import encode_prepared, encode_record


def every_part(result: Result) -> list[Any]:
    """Each record that a full result is made of."""
    turn = result.turns[0]
    return [
        result,
        result.utility,
        result.injections[0],
        result.population,
        turn,
        turn.request,
        turn.request.attachments[0],
        turn.response,
        turn.response.tool_calls[0],
        turn.response.side_effects[0],
        turn.response.usage,
        result.attempts[0],
    ]


FIELDS = [(index, name) for index, part in enumerate(every_part(full_result())) for name in vars(part)]


def test_the_fields_that_are_spoilt_below_are_those_of_all_records() -> None:
    kinds = {type(part) for part in every_part(full_result())}
    assert kinds == {
        Result,
        EvalResult,
        InjectionRecord,
        PopulationRef,
        Turn,
        Request,
        Payload,
        Response,
        ToolCall,
        SideEffect,
        Usage,
        Attempt,
    }


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(FIELDS), anything), min_size=1, max_size=4))
def test_a_spoilt_result_is_prepared_written_and_read_back(
    changes: list[tuple[tuple[int, str], Any]],
) -> None:
    result = full_result()
    parts = every_part(result)
    for (index, name), value in changes:
        object.__setattr__(parts[index], name, value)
    before = {index: dict(vars(part)) for index, part in enumerate(parts)}

    record = prepare_record(result=result)
    written = serialize_record(record=record)

    assert json.loads(written, parse_constant=_refuse)["version"] == "rampart.trace.v1"
    read = deserialize_record(data=written)
    assert serialize_record(record=read) == written
    assert encode_prepared(record) == encode_record(record)
    assert {index: dict(vars(part)) for index, part in enumerate(parts)} == before
    assert not was_read(result)


def _refuse(constant: str) -> None:
    raise AssertionError(constant)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=5), json_values, max_size=4))
def test_json_values_pass_unchanged(metadata: dict[str, Any]) -> None:
    result = full_result()
    result.metadata = copy.deepcopy(metadata)
    record = prepare_record(result=result)
    assert record.losses == []
    assert deserialize_record(data=serialize_record(record=record)) == record
    assert record.result.metadata == metadata


@settings(deadline=None)
@given(st.sampled_from([10, 100]), st.integers(1, 5))
def test_preparing_twice_changes_nothing_more(length: int, depth: int) -> None:
    result = full_result()
    result.metadata = {"set": {length}, "deep": [[[depth]]], 1: "x"}  # type: ignore[dict-item]  # on purpose
    once = prepare_record(result=result)
    assert once.losses
    twice = prepare_record(result=once.result)
    assert twice.losses == []
    assert twice.result == once.result
