"""Writing records: what the text looks like, and what is refused."""

from __future__ import annotations

import datetime as dt
import json
import math
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from inline_snapshot import snapshot
from tests.records.support import full_record, full_result, result_of, turn_of

from rampart.core.attempt import Attempt
from rampart.core.errors import SchemaError
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.result import InjectionRecord, PopulationRef, Result, SafetyStatus
from rampart.core.types import (
    EvaluationPurpose,
    HarmCategory,
    Payload,
    PayloadFormat,
    Request,
    Response,
    SideEffect,
    ToolCall,
    Usage,
)
from rampart.records import Loss, ResultRecord, deserialize_record, serialize_record
from rampart.records.codec import encode_prepared, encode_record

if TYPE_CHECKING:
    from collections.abc import Callable


def test_every_key_is_written_where_nothing_has_its_default() -> None:
    assert json.loads(serialize_record(record=full_record())) == snapshot(
        {
            "version": "rampart.trace.v1",
            "result": {
                "status": "unsafe",
                "summary": "unsafe: not seen",
                "observability_level": "tool_and_side_effects",
                "final_trace_evaluation": {
                    "outcome": "not_detected",
                    "confidence": 0.25,
                    "evidence": ["the reply"],
                    "rationale": "not seen",
                    "undetermined_operands": ["the log was not there"],
                },
                "turns": [
                    {
                        "request": {
                            "prompt": "Summarise it",
                            "attachments": [
                                {
                                    "content": "# Hi",
                                    "id": "mail-1",
                                    "format": "markdown",
                                    "artifact": None,
                                    "metadata": {"by": "us"},
                                }
                            ],
                        },
                        "response": {
                            "text": "Done 🙂",
                            "tool_calls": [
                                {
                                    "name": "send_email",
                                    "arguments": {
                                        "to": "a@b.example",
                                        "cc": [None, 1, 2.5, True, {"x": "y"}],
                                    },
                                    "raw_arguments": "not an object",
                                    "id": "call_1",
                                    "result": {"sent": False},
                                    "error": "refused",
                                    "executed": True,
                                    "timestamp": "2026-04-25T14:30:00.123456Z",
                                }
                            ],
                            "side_effects": [
                                {"kind": "http_request", "details": {"url": "https://example.org"}}
                            ],
                            "usage": {
                                "input_tokens": 10,
                                "cached_input_tokens": 2,
                                "output_tokens": 5,
                                "reasoning_tokens": 1,
                                "requests": 1,
                                "cost_usd": 0.003,
                            },
                            "metadata": {"model": "m"},
                        },
                        "eval_result": {
                            "outcome": "not_detected",
                            "confidence": 0.25,
                            "evidence": ["the reply"],
                            "rationale": "not seen",
                            "undetermined_operands": ["the log was not there"],
                        },
                        "eval_purpose": "stop_check",
                        "turn_number": 3,
                        "timestamp": "2026-04-25T14:30:00.123456Z",
                        "duration_seconds": 1.5,
                        "driver_reasoning": "because",
                    }
                ],
                "trace_end_reason": "stop_condition_met",
                "duration_seconds": 2.0,
                "harm_category": "data_leakage",
                "strategy": "probe",
                "utility": {
                    "outcome": "detected",
                    "confidence": 1.0,
                    "evidence": [],
                    "rationale": "",
                    "undetermined_operands": [],
                },
                "injections": [{"payload_id": "mail-1", "surface_name": "inbox", "delivery": "observed"}],
                "population": {"id": "p1", "index": 1, "size": 3, "threshold": 0.5},
                "metadata": {"error": "none"},
                "control": {
                    "status": "safe",
                    "summary": "no sign of the attack objective",
                    "observability_level": "tool_only",
                    "final_trace_evaluation": None,
                    "turns": [
                        {
                            "request": {
                                "prompt": "Summarise it",
                                "attachments": [
                                    {
                                        "content": "# Hi",
                                        "id": "mail-1",
                                        "format": "markdown",
                                        "artifact": None,
                                        "metadata": {"by": "us"},
                                    }
                                ],
                            },
                            "response": {
                                "text": "Done 🙂",
                                "tool_calls": [
                                    {
                                        "name": "send_email",
                                        "arguments": {
                                            "to": "a@b.example",
                                            "cc": [None, 1, 2.5, True, {"x": "y"}],
                                        },
                                        "raw_arguments": "not an object",
                                        "id": "call_1",
                                        "result": {"sent": False},
                                        "error": "refused",
                                        "executed": True,
                                        "timestamp": "2026-04-25T14:30:00.123456Z",
                                    }
                                ],
                                "side_effects": [
                                    {"kind": "http_request", "details": {"url": "https://example.org"}}
                                ],
                                "usage": {
                                    "input_tokens": 10,
                                    "cached_input_tokens": 2,
                                    "output_tokens": 5,
                                    "reasoning_tokens": 1,
                                    "requests": 1,
                                    "cost_usd": 0.003,
                                },
                                "metadata": {"model": "m"},
                            },
                            "eval_result": {
                                "outcome": "not_detected",
                                "confidence": 0.25,
                                "evidence": ["the reply"],
                                "rationale": "not seen",
                                "undetermined_operands": ["the log was not there"],
                            },
                            "eval_purpose": "stop_check",
                            "turn_number": 3,
                            "timestamp": "2026-04-25T14:30:00.123456Z",
                            "duration_seconds": 1.5,
                            "driver_reasoning": "because",
                        }
                    ],
                    "trace_end_reason": None,
                    "duration_seconds": 0.0,
                    "harm_category": None,
                    "strategy": "xpia-control",
                    "utility": {
                        "outcome": "detected",
                        "confidence": 1.0,
                        "evidence": [],
                        "rationale": "",
                        "undetermined_operands": [],
                    },
                    "injections": [],
                    "population": None,
                    "metadata": {},
                },
                "attempts": [
                    {
                        "outcome": "refused",
                        "parent": 0,
                        "turns": [
                            {
                                "request": {"prompt": "Hi", "attachments": []},
                                "response": {
                                    "text": "No",
                                    "tool_calls": [],
                                    "side_effects": [],
                                    "usage": None,
                                    "metadata": {},
                                },
                                "eval_result": None,
                                "eval_purpose": None,
                                "turn_number": 0,
                                "timestamp": None,
                                "duration_seconds": None,
                                "driver_reasoning": "",
                            }
                        ],
                        "evaluation": {
                            "outcome": "not_detected",
                            "confidence": 1.0,
                            "evidence": [],
                            "rationale": "",
                            "undetermined_operands": [],
                        },
                        "score": 0.25,
                        "trace_end_reason": "driver_exhausted",
                        "injections": [
                            {"payload_id": "mail-2", "surface_name": "inbox", "delivery": "unknown"}
                        ],
                        "metadata": {"reason": "the agent refused"},
                    }
                ],
                "usage": {
                    "judge": {
                        "input_tokens": 7,
                        "cached_input_tokens": None,
                        "output_tokens": None,
                        "reasoning_tokens": None,
                        "requests": 1,
                        "cost_usd": None,
                    }
                },
            },
            "pytest_nodeid": "tests/test_a.py::test_b",
            "result_index": 2,
        }
    )


def test_keys_with_their_default_are_written_too_but_the_envelope_stays_short() -> None:
    record = ResultRecord(result=result_of(turns=[turn_of()]))
    request = '{"prompt":"What is the capital of France?","attachments":[]}'
    response = '{"text":"Paris.","tool_calls":[],"side_effects":[],"usage":null,"metadata":{}}'
    assert serialize_record(record=record) == (
        '{"version":"rampart.trace.v1","result":{"status":"safe","summary":"expected behaviour seen",'
        '"observability_level":"tool_only","final_trace_evaluation":null,'
        f'"turns":[{{"request":{request},"response":{response},'
        '"eval_result":null,"eval_purpose":null,"turn_number":0,"timestamp":null,"duration_seconds":null,'
        '"driver_reasoning":""}],"trace_end_reason":null,"duration_seconds":0.0,"harm_category":null,'
        '"strategy":"","utility":null,"injections":[],"population":null,"metadata":{}}}'
    )


def test_a_record_is_one_line_whatever_its_text_holds() -> None:
    text = serialize_record(record=ResultRecord(result=result_of(summary="a\r\n\u2028\x85b")))
    assert "\n" not in text
    assert "\r" not in text
    assert deserialize_record(data=text).result.summary == "a\r\n\u2028\x85b"


def test_what_is_written_fast_is_what_is_written_strictly() -> None:
    assert encode_prepared(full_record()) == encode_record(full_record())


def test_a_timestamp_keeps_its_offset() -> None:
    zone = dt.timezone(dt.timedelta(hours=5, minutes=30))
    turn = turn_of(timestamp=dt.datetime(2026, 11, 30, 10, tzinfo=zone))
    text = serialize_record(record=ResultRecord(result=result_of(turns=[turn])))
    assert '"timestamp":"2026-11-30T10:00:00+05:30"' in text
    assert deserialize_record(data=text).result.turns[0].timestamp == turn.timestamp


def test_an_infinite_confidence_is_refused_but_nan_is_written_as_null() -> None:
    nan = result_of(final_trace_evaluation=EvalResult(outcome=EvalOutcome.DETECTED, confidence=math.nan))
    assert '"confidence":null' in serialize_record(record=ResultRecord(result=nan))
    infinite = result_of(final_trace_evaluation=EvalResult(outcome=EvalOutcome.DETECTED, confidence=math.inf))
    with pytest.raises(SchemaError, match=r"^result\.final_trace_evaluation\.confidence: .*finite"):
        serialize_record(record=ResultRecord(result=infinite))


def _set(*path: str | int, to: object) -> Callable[[Result], None]:
    def change(result: Result) -> None:
        target: Any = result
        for step in path[:-1]:
            target = target[step] if isinstance(step, int) else getattr(target, step)
        object.__setattr__(target, str(path[-1]), to)

    return change


class Text(str):
    __slots__ = ()


_DEEP: list[Any] = []
for _ in range(70):
    _DEEP = [_DEEP]
_CYCLE: dict[str, Any] = {}
_CYCLE["self"] = _CYCLE

REFUSED = [
    pytest.param(_set("status", to="safe"), "result.status: expected SafetyStatus, got str", id="status"),
    pytest.param(_set("observability_level", to=None), "result.observability_level: ", id="level"),
    pytest.param(_set("summary", to=b"x"), "result.summary: expected a string, got bytes", id="bytes"),
    pytest.param(_set("summary", to=None), "result.summary: expected a string, got NoneType", id="no-text"),
    pytest.param(_set("summary", to="\ud800"), "result.summary: .*surrogate", id="surrogate"),
    pytest.param(_set("summary", to=Text("x")), "result.summary: .*got Text", id="str-subclass"),
    pytest.param(_set("trace_end_reason", to="driver_exhausted"), "result.trace_end_reason: ", id="reason"),
    pytest.param(_set("duration_seconds", to=math.nan), "result.duration_seconds: .*finite", id="nan"),
    pytest.param(_set("duration_seconds", to=10**400), "result.duration_seconds: .*finite", id="huge"),
    pytest.param(_set("duration_seconds", to=True), "result.duration_seconds: .*got bool", id="bool-number"),
    pytest.param(_set("harm_category", to=3), "result.harm_category: expected a string, got int", id="harm"),
    pytest.param(_set("turns", to=()), "result.turns: expected a list, got tuple", id="tuple-of-turns"),
    pytest.param(_set("turns", to=[None]), r"result.turns\[0\]: expected Turn, got NoneType", id="no-turn"),
    pytest.param(_set("utility", to="yes"), "result.utility: expected EvalResult, got str", id="utility"),
    pytest.param(
        _set("final_trace_evaluation", "outcome", to="detected"),
        "result.final_trace_evaluation.outcome: expected EvalOutcome, got str",
        id="outcome",
    ),
    pytest.param(
        _set("final_trace_evaluation", "evidence", to=["a", 1]),
        r"result.final_trace_evaluation.evidence\[1\]: expected a string, got int",
        id="evidence",
    ),
    pytest.param(_set("metadata", to=None), "result.metadata: expected an object, got NoneType", id="no-map"),
    pytest.param(_set("metadata", to={1: 2}), r"result.metadata\[...\]: expected a string as key", id="key"),
    pytest.param(_set("metadata", to={"\ud800": 2}), r"result.metadata\[...\]: .*surrogate", id="odd-key"),
    pytest.param(
        _set("metadata", to={"a": [1, {"b": math.inf}]}),
        r"result.metadata\[...\]\[1\]\[...\]: expected a finite number",
        id="infinity-inside",
    ),
    pytest.param(_set("metadata", to={"a": (1,)}), r"result.metadata\[...\]: .*got tuple", id="tuple"),
    pytest.param(_set("metadata", to={"a": object()}), r"result.metadata\[...\]: .*got object", id="object"),
    pytest.param(_set("metadata", to={"a": _DEEP}), r"nested deeper than 64", id="deep"),
    pytest.param(_set("metadata", to=_CYCLE), r"nested deeper than 64", id="cycle"),
    pytest.param(_set("metadata", to={"a": 10**5000}), "record: an integer has too many digits", id="digits"),
    pytest.param(
        _set("turns", 0, "request", to=Response(text="")), r"result.turns\[0\].request: ", id="request"
    ),
    pytest.param(
        _set("turns", 0, "request", "attachments", 0, "format", to=PayloadFormat.PDF),
        r"result.turns\[0\].request.attachments\[0\]: .*binary",
        id="binary-payload",
    ),
    pytest.param(
        _set("turns", 0, "request", "attachments", 0, "artifact", to="x.pdf"),
        r"result.turns\[0\].request.attachments\[0\].artifact: expected null",
        id="artifact",
    ),
    pytest.param(
        _set("turns", 0, "request", "attachments", 0, "id", to="../x"),
        r"result.turns\[0\].request.attachments\[0\].id: expected 1 to 128 characters",
        id="payload-id",
    ),
    pytest.param(_set("turns", 0, "turn_number", to=1.0), r"turn_number: .*integer, got float", id="float"),
    pytest.param(_set("turns", 0, "turn_number", to=True), r"turn_number: .*integer, got bool", id="bool"),
    pytest.param(_set("turns", 0, "timestamp", to="2026"), r"timestamp: .*datetime, got str", id="when"),
    pytest.param(_set("turns", 0, "duration_seconds", to=-math.inf), r"\[0\].duration_seconds: ", id="turn"),
    pytest.param(
        _set("turns", 0, "eval_result", to=None), r"turns\[0\]: eval_purpose needs an eval_result", id="idle"
    ),
    pytest.param(
        _set("turns", 0, "response", "tool_calls", 0, "executed", to=1),
        r"result.turns\[0\].response.tool_calls\[0\].executed: expected a boolean, got int",
        id="executed",
    ),
    pytest.param(
        _set("turns", 0, "response", "usage", "cost_usd", to=math.nan), r"usage.cost_usd: ", id="usage"
    ),
    pytest.param(_set("injections", 0, "payload_id", to="a b"), r"injections\[0\].payload_id: ", id="inject"),
    pytest.param(_set("population", "index", to=3), "result.population: .*index must be", id="population"),
]


@pytest.mark.parametrize(("spoil", "message"), REFUSED)
def test_what_the_format_cannot_hold_is_refused_with_its_place(
    spoil: Callable[[Result], None], message: str
) -> None:
    result = full_record().result
    serialize_record(record=ResultRecord(result=result))  # the control: as it is, it can be written
    spoil(result)
    with pytest.raises(SchemaError, match=message):
        serialize_record(record=ResultRecord(result=result))


def test_a_request_that_lost_its_prompt_is_refused() -> None:
    turn = turn_of()
    turn.request.prompt = None
    with pytest.raises(SchemaError, match=r"^result\.turns\[0\]\.request: a prompt or an attachment"):
        serialize_record(record=ResultRecord(result=result_of(turns=[turn])))


@pytest.mark.parametrize(
    ("envelope", "message"),
    [
        pytest.param({"result_index": -1}, "result_index: expected 0 or more", id="negative"),
        pytest.param({"result_index": True}, "result_index: expected an integer, got bool", id="bool"),
        pytest.param({"result_index": 1.0}, "result_index: expected an integer, got float", id="float"),
        pytest.param({"pytest_nodeid": 3}, "pytest_nodeid: expected a string, got int", id="node-id"),
        pytest.param(
            {"losses": [Loss(path="\ud800", reason="x")]}, r"losses\[0\]\.path: .*surrogate", id="loss"
        ),
    ],
)
def test_the_envelope_is_checked_too(envelope: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        serialize_record(record=ResultRecord(result=result_of(), **envelope))


def test_only_records_are_written() -> None:
    with pytest.raises(SchemaError, match=r"^record: expected ResultRecord, got Result"):
        serialize_record(record=result_of())  # type: ignore[arg-type]  # the mistake under test
    imitation: Any = SimpleNamespace(**vars(result_of()))
    with pytest.raises(SchemaError, match=r"^result: expected Result, got SimpleNamespace"):
        serialize_record(record=ResultRecord(result=imitation))


def test_an_error_does_not_show_what_it_refuses() -> None:
    result = result_of(metadata={"hunter2-key": {"x": {"hunter2-value"}}})
    with pytest.raises(SchemaError) as caught:
        serialize_record(record=ResultRecord(result=result))
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_time_zone_that_fails_is_refused() -> None:
    class Broken(dt.tzinfo):
        def utcoffset(self, when: dt.datetime | None) -> dt.timedelta:
            raise RuntimeError("hunter2")

        dst = utcoffset

        def tzname(self, when: dt.datetime | None) -> str:
            return "broken"

    turn = replace(turn_of(), timestamp=dt.datetime(2026, 1, 1, tzinfo=Broken()))
    with pytest.raises(SchemaError, match=r"turns\[0\]\.timestamp: its time zone failed with RuntimeError$"):
        serialize_record(record=ResultRecord(result=result_of(turns=[turn])))


def test_the_parts_of_a_record_are_what_the_core_defines() -> None:
    """The table of shapes must not fall behind the records: a new field has to be written."""
    kinds = {
        Result: full_result(),
        PopulationRef: full_result().population,
        InjectionRecord: full_result().injections[0],
        EvalResult: full_result().utility,
        Payload: full_result().turns[0].request.attachments[0],
        Request: full_result().turns[0].request,
        ToolCall: full_result().turns[0].response.tool_calls[0],
        SideEffect: full_result().turns[0].response.side_effects[0],
        Usage: full_result().turns[0].response.usage,
        Response: full_result().turns[0].response,
        Attempt: full_result().attempts[0],
    }
    written = json.loads(serialize_record(record=full_record()))["result"]
    turn = written["turns"][0]
    shown = {
        Result: written,
        PopulationRef: written["population"],
        InjectionRecord: written["injections"][0],
        EvalResult: written["utility"],
        Payload: turn["request"]["attachments"][0],
        Request: turn["request"],
        ToolCall: turn["response"]["tool_calls"][0],
        SideEffect: turn["response"]["side_effects"][0],
        Usage: turn["response"]["usage"],
        Response: turn["response"],
        Attempt: written["attempts"][0],
    }
    for kind, value in kinds.items():
        assert set(vars(value)) == set(shown[kind]), kind


def test_categories_and_purposes_are_written_by_value() -> None:
    document = json.loads(serialize_record(record=full_record()))
    assert document["result"]["harm_category"] == HarmCategory.DATA_LEAKAGE.value
    assert document["result"]["turns"][0]["eval_purpose"] == EvaluationPurpose.STOP_CHECK.value
    assert document["result"]["status"] == SafetyStatus.UNSAFE.value
