"""What preparing makes of fields that hold something else than they should."""

from __future__ import annotations

import datetime as dt
import math
import pathlib
from typing import Any

import pytest
from tests.records.preparing import (
    Colour,
    Level,
    changed,
    evaluation,
    losses_of,
    prepared_turn,
)
from tests.records.support import full_result, result_of, turn_of

from rampart.core.evaluation import EvalOutcome
from rampart.core.result import InjectionRecord, PopulationRef, SafetyStatus
from rampart.core.types import (
    HarmCategory,
    ObservabilityLevel,
    Payload,
    PayloadFormat,
    Request,
    Response,
    SideEffect,
    ToolCall,
    Turn,
    Usage,
    validate_payload_id,
)
from rampart.records import Loss, prepare_record, serialize_record


@pytest.mark.parametrize(
    ("given", "place", "expected"),
    [
        pytest.param({"status": "safe"}, "status", SafetyStatus.ERROR, id="status-as-text"),
        pytest.param({"status": True}, "status", SafetyStatus.ERROR, id="status-as-bool"),
        pytest.param({"status": EvalOutcome.DETECTED}, "status", SafetyStatus.ERROR, id="another-enum"),
        pytest.param(
            {"observability_level": "tool_only"},
            "observability_level",
            ObservabilityLevel.RESPONSE_ONLY,
            id="level",
        ),
        pytest.param({"summary": None}, "summary", "None", id="no-summary"),
        pytest.param({"summary": 3}, "summary", "3", id="number-as-summary"),
        pytest.param({"strategy": ["x"]}, "strategy", "['x']", id="strategy"),
        pytest.param({"turns": None}, "turns", [], id="no-turns"),
        pytest.param({"turns": "turn"}, "turns", [], id="text-as-turns"),
        pytest.param({"final_trace_evaluation": "detected"}, "final_trace_evaluation", None, id="evaluation"),
        pytest.param({"utility": 1}, "utility", None, id="utility"),
        pytest.param({"trace_end_reason": "max_turns_reached"}, "trace_end_reason", None, id="end-reason"),
        pytest.param({"duration_seconds": "1"}, "duration_seconds", 0.0, id="duration"),
        pytest.param({"duration_seconds": True}, "duration_seconds", 0.0, id="duration-as-bool"),
        pytest.param({"harm_category": 7}, "harm_category", None, id="category"),
        pytest.param({"injections": 1}, "injections", [], id="injections"),
        pytest.param({"population": "p"}, "population", None, id="population"),
        pytest.param({"metadata": None}, "metadata", {}, id="metadata"),
        pytest.param({"metadata": [1]}, "metadata", {}, id="list-as-metadata"),
    ],
)
def test_a_field_of_the_wrong_type_of_the_result(given: dict[str, Any], place: str, expected: Any) -> None:
    result = result_of(**given)
    record = prepare_record(result=result)
    assert vars(record.result)[place] == expected
    assert record.losses == [Loss(path=f"result.{place}", reason="wrong_type")]
    serialize_record(record=record)


@pytest.mark.parametrize(
    ("given", "place", "expected"),
    [
        pytest.param({"outcome": "detected"}, "outcome", EvalOutcome.UNDETERMINED, id="outcome-as-text"),
        pytest.param({"outcome": None}, "outcome", EvalOutcome.UNDETERMINED, id="no-outcome"),
        pytest.param({"confidence": "high"}, "confidence", 1.0, id="confidence"),
        pytest.param({"rationale": 1}, "rationale", "1", id="rationale"),
        pytest.param({"evidence": "one text"}, "evidence", ["one text"], id="text-as-evidence"),
        pytest.param({"evidence": None}, "evidence", [], id="no-evidence"),
        pytest.param({"evidence": ["a", 2]}, "evidence[1]", ["a", "2"], id="number-as-evidence"),
        pytest.param({"undetermined_operands": 1}, "undetermined_operands", [], id="operands"),
    ],
)
def test_a_field_of_the_wrong_type_of_an_evaluation(given: dict[str, Any], place: str, expected: Any) -> None:
    turn, losses = prepared_turn(turn_of(eval_result=evaluation(**given)))
    assert vars(turn.eval_result)[place.partition("[")[0]] == expected
    assert losses == [(f"eval_result.{place}", "wrong_type")]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"eval_result": 1}, {"eval_result": None}, id="evaluation"),
        pytest.param({"turn_number": "1"}, {"turn_number": 0}, id="number"),
        pytest.param({"turn_number": True}, {"turn_number": 0}, id="bool"),
        pytest.param({"timestamp": "2026"}, {"timestamp": None}, id="timestamp"),
        pytest.param({"timestamp": dt.date(2026, 1, 1)}, {"timestamp": None}, id="date-as-timestamp"),
        pytest.param({"duration_seconds": "1"}, {"duration_seconds": None}, id="duration"),
        pytest.param({"driver_reasoning": None}, {"driver_reasoning": "None"}, id="reasoning"),
        pytest.param({"request": "Hello"}, {"request": Request(prompt="Hello")}, id="text-as-request"),
        pytest.param({"response": "Hi"}, {"response": Response(text="Hi")}, id="text-as-response"),
        pytest.param({"response": None}, {"response": Response(text="")}, id="no-response"),
    ],
)
def test_a_field_of_the_wrong_type_of_a_turn(given: dict[str, Any], expected: dict[str, Any]) -> None:
    turn, losses = prepared_turn(changed(turn_of(), **given))
    assert {name: vars(turn)[name] for name in expected} == expected
    assert losses == [(next(iter(given)), "wrong_type")]


def test_a_purpose_without_an_evaluation_is_dropped() -> None:
    turn, losses = prepared_turn(changed(full_result().turns[0], eval_result=None))
    assert turn.eval_purpose is None
    assert losses == [("eval_purpose", "wrong_type")]


def test_a_request_that_lost_its_prompt_asks_nothing() -> None:
    turn, losses = prepared_turn(changed(turn_of(), request=changed(Request(prompt="x"), prompt=None)))
    assert turn.request == Request(prompt="")
    assert losses == [("request.prompt", "wrong_type")]


@pytest.mark.parametrize(
    ("given", "place", "expected"),
    [
        pytest.param({"text": None}, "text", "None", id="no-text"),
        pytest.param({"usage": 3}, "usage", None, id="usage"),
        pytest.param({"usage": Usage(requests="1")}, "usage.requests", Usage(), id="usage-as-text"),  # type: ignore[arg-type]  # on purpose
        pytest.param({"usage": Usage(requests=True)}, "usage.requests", Usage(), id="usage-as-bool"),
        pytest.param({"tool_calls": {"name": "x"}}, "tool_calls", [], id="calls"),
        pytest.param(
            {"tool_calls": [None, ToolCall(name="t")]}, "tool_calls[0]", [ToolCall(name="t")], id="call"
        ),
        pytest.param({"side_effects": ["x"]}, "side_effects[0]", [], id="effect"),
        pytest.param({"metadata": "m"}, "metadata", {}, id="metadata"),
    ],
)
def test_a_field_of_the_wrong_type_of_a_response(given: dict[str, Any], place: str, expected: Any) -> None:
    facts: dict[str, Any] = {"text": ""}
    turn, losses = prepared_turn(changed(turn_of(), response=Response(**(facts | given))))
    assert vars(turn.response)[place.partition("[")[0].partition(".")[0]] == expected
    assert losses == [(f"response.{place}", "wrong_type")]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"name": 1}, {"name": "1"}, id="name"),
        pytest.param({"arguments": [1]}, {"arguments": {}}, id="arguments"),
        pytest.param({"raw_arguments": 5}, {"raw_arguments": "5"}, id="raw"),
        pytest.param({"id": 7}, {"id": "7"}, id="id"),
        pytest.param({"error": ValueError("no")}, {"error": "no"}, id="error"),
        pytest.param({"executed": "yes"}, {"executed": None}, id="executed"),
        pytest.param({"executed": 1}, {"executed": None}, id="executed-as-number"),
        pytest.param({"timestamp": 1.5}, {"timestamp": None}, id="timestamp"),
    ],
)
def test_a_field_of_the_wrong_type_of_a_tool_call(given: dict[str, Any], expected: dict[str, Any]) -> None:
    call = changed(ToolCall(name="t"), **given)
    turn, losses = prepared_turn(changed(turn_of(), response=Response(text="", tool_calls=[call])))
    assert {name: vars(turn.response.tool_calls[0])[name] for name in expected} == expected
    assert losses == [(f"response.tool_calls[0].{next(iter(given))}", "wrong_type")]


def test_a_tool_result_may_be_any_json_value() -> None:
    calls = [ToolCall(name="t", result=value) for value in (None, 1, "x", [1], {"a": None})]
    turn, losses = prepared_turn(changed(turn_of(), response=Response(text="", tool_calls=calls)))
    assert [call.result for call in turn.response.tool_calls] == [None, 1, "x", [1], {"a": None}]
    assert losses == []


def test_a_side_effect_of_the_wrong_types() -> None:
    effect = SideEffect(kind=3, details=None)  # type: ignore[arg-type]  # on purpose
    turn, losses = prepared_turn(changed(turn_of(), response=Response(text="", side_effects=[effect])))
    assert turn.response.side_effects == [SideEffect(kind="3", details={})]
    assert [reason for _, reason in losses] == ["wrong_type"] * 2


@pytest.mark.parametrize("bad", [5, None, "", "..", "a/b", "x" * 129])
def test_a_payload_id_that_is_none_becomes_a_new_one(bad: Any) -> None:
    payload = changed(Payload(content="c", id="good"), id=bad)
    turn, losses = prepared_turn(changed(turn_of(), request=Request(attachments=[payload])))
    found = turn.request.attachments[0].id
    assert found != bad
    assert validate_payload_id(found)
    assert losses == [("request.attachments[0].id", "wrong_type")]


def test_a_binary_payload_becomes_its_description(tmp_path: pathlib.Path) -> None:
    artifact = tmp_path / "invoice.pdf"
    artifact.write_bytes(b"%PDF")
    payload = Payload(
        content="an invoice", id="inv", format=PayloadFormat.PDF, artifact=artifact, metadata={"a": 1}
    )
    turn, losses = prepared_turn(changed(turn_of(), request=Request(attachments=[payload])))
    assert turn.request.attachments == [
        Payload(
            content="an invoice",
            id="inv",
            metadata={
                "a": 1,
                "_rampart_original_format": "pdf",
                "_rampart_original_artifact": str(artifact),
            },
        )
    ]
    assert losses == [("request.attachments[0]", "artifact")]
    assert payload.format is PayloadFormat.PDF


def test_a_text_payload_with_an_artifact_loses_it() -> None:
    payload = changed(Payload(content="c", id="p"), artifact=pathlib.Path("x.txt"))
    turn, losses = prepared_turn(changed(turn_of(), request=Request(attachments=[payload])))
    assert turn.request.attachments[0].artifact is None
    assert losses == [("request.attachments[0].artifact", "wrong_type")]


def test_an_attachment_that_is_no_payload_leaves_the_prompt() -> None:
    turn, losses = prepared_turn(changed(turn_of(), request=Request(prompt="p", attachments=["x"])))  # type: ignore[list-item]  # on purpose
    assert turn.request == Request(prompt="p")
    assert losses == [("request.attachments[0]", "wrong_type")]


@pytest.mark.parametrize(
    ("turn", "expected", "place"),
    [
        pytest.param(
            turn_of(duration_seconds=math.nan), {"duration_seconds": None}, "duration_seconds", id="turn"
        ),
        pytest.param(
            turn_of(eval_result=evaluation(confidence=math.inf)),
            {},
            "eval_result.confidence",
            id="confidence",
        ),
        pytest.param(
            changed(turn_of(), response=Response(text="", usage=Usage(cost_usd=math.nan))),
            {"response": Response(text="", usage=Usage())},
            "response.usage.cost_usd",
            id="usage",
        ),
    ],
)
def test_numbers_that_are_not_finite_are_null_where_null_is_allowed(
    turn: Turn, expected: dict[str, Any], place: str
) -> None:
    prepared, losses = prepared_turn(turn)
    assert {name: vars(prepared)[name] for name in expected} == expected
    assert losses == [(place, "non_finite")]


def test_a_confidence_that_is_not_finite_is_nan_and_written_as_null() -> None:
    record = prepare_record(result=result_of(utility=evaluation(confidence=-math.inf)))
    assert record.result.utility is not None
    assert math.isnan(record.result.utility.confidence)
    assert '"confidence":null' in serialize_record(record=record)


def test_a_duration_of_the_result_that_is_not_finite_is_zero() -> None:
    assert losses_of(result_of(duration_seconds=math.nan)) == [("result.duration_seconds", "non_finite")]
    assert prepare_record(result=result_of(duration_seconds=math.nan)).result.duration_seconds == 0.0


def test_ints_become_floats_where_a_float_belongs_and_stay_ints_in_usage() -> None:
    turn, losses = prepared_turn(
        changed(turn_of(duration_seconds=2), response=Response(text="", usage=Usage(requests=3)))
    )
    assert type(turn.duration_seconds) is float
    assert turn.response.usage is not None
    assert type(turn.response.usage.requests) is int
    assert losses == []


@pytest.mark.parametrize(
    "change",
    [
        {"index": 9},
        {"index": "0"},
        {"size": 0},
        {"size": True},
        {"threshold": math.nan},
        {"id": ""},
        {"id": 3},
    ],
)
def test_a_broken_place_among_trials_is_dropped_as_a_whole(change: dict[str, Any]) -> None:
    reference = changed(PopulationRef(id="p", index=0, size=2, threshold=0.5), **change)
    assert losses_of(result_of(population=reference)) == [("result.population", "wrong_type")]
    assert prepare_record(result=result_of(population=reference)).result.population is None


def test_int_enums_in_a_place_among_trials_become_ints() -> None:
    reference = PopulationRef(id="p", index=Level.HIGH, size=4, threshold=1)
    prepared = prepare_record(result=result_of(population=reference)).result.population
    assert prepared is not None
    assert type(prepared.index) is int
    assert losses_of(result_of(population=reference)) == []


def test_an_injection_of_the_wrong_types() -> None:
    record = InjectionRecord(payload_id=7, surface_name=None)  # type: ignore[arg-type]  # on purpose
    result = prepare_record(result=result_of(injections=[record, "x"])).result
    assert len(result.injections) == 1
    assert result.injections[0].surface_name == "None"
    assert losses_of(result_of(injections=[record, "x"])) == [
        ("result.injections[0].payload_id", "wrong_type"),
        ("result.injections[0].surface_name", "wrong_type"),
        ("result.injections[1]", "wrong_type"),
    ]


def test_known_categories_become_members_and_others_stay_text() -> None:
    assert (
        prepare_record(result=result_of(harm_category="jailbreak")).result.harm_category
        is HarmCategory.JAILBREAK
    )
    assert prepare_record(result=result_of(harm_category="ours")).result.harm_category == "ours"
    assert prepare_record(result=result_of(harm_category=Colour.RED)).result.harm_category == "red"
