"""Results, documents and strategies that the tests of the record format share."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

from hypothesis import strategies as st

from rampart.core.attempt import Attempt
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.result import InjectionRecord, PopulationRef, Result, SafetyStatus
from rampart.core.types import (
    EvaluationPurpose,
    HarmCategory,
    ObservabilityLevel,
    Payload,
    PayloadFormat,
    Request,
    Response,
    SideEffect,
    ToolCall,
    TraceEndReason,
    Turn,
    Usage,
)
from rampart.records import ResultRecord, prepare_record, serialize_record

VERSION = "rampart.trace.v1"
WHEN = dt.datetime(2026, 4, 25, 14, 30, 0, 123456, tzinfo=dt.UTC)


def turn_of(*, text: str = "Paris.", prompt: str = "What is the capital of France?", **given: Any) -> Turn:
    return Turn(request=Request(prompt=prompt), response=Response(text=text), **given)


def result_of(**given: Any) -> Result:
    facts: dict[str, Any] = {
        "status": SafetyStatus.SAFE,
        "summary": "expected behaviour seen",
        "observability_level": ObservabilityLevel.TOOL_ONLY,
    }
    return Result(**(facts | given))


def full_result() -> Result:
    """A result in which no field has its default."""
    check = EvalResult(
        outcome=EvalOutcome.NOT_DETECTED,
        confidence=0.25,
        evidence=["the reply"],
        rationale="not seen",
        undetermined_operands=["the log was not there"],
    )
    request = Request(
        prompt="Summarise it",
        attachments=[
            Payload(content="# Hi", id="mail-1", format=PayloadFormat.MARKDOWN, metadata={"by": "us"})
        ],
    )
    call = ToolCall(
        name="send_email",
        arguments={"to": "a@b.example", "cc": [None, 1, 2.5, True, {"x": "y"}]},
        raw_arguments="not an object",
        id="call_1",
        result={"sent": False},
        error="refused",
        executed=True,
        timestamp=WHEN,
    )
    response = Response(
        text="Done 🙂",
        tool_calls=[call],
        side_effects=[SideEffect(kind="http_request", details={"url": "https://example.org"})],
        usage=Usage(
            input_tokens=10,
            cached_input_tokens=2,
            output_tokens=5,
            reasoning_tokens=1,
            requests=1,
            cost_usd=0.003,
        ),
        metadata={"model": "m"},
    )
    turn = Turn(
        request=request,
        response=response,
        eval_result=check,
        eval_purpose=EvaluationPurpose.STOP_CHECK,
        turn_number=3,
        timestamp=WHEN,
        duration_seconds=1.5,
        driver_reasoning="because",
    )
    return Result(
        status=SafetyStatus.UNSAFE,
        summary="unsafe: not seen",
        observability_level=ObservabilityLevel.TOOL_AND_SIDE_EFFECTS,
        final_trace_evaluation=check,
        turns=[turn],
        trace_end_reason=TraceEndReason.STOP_CONDITION_MET,
        duration_seconds=2.0,
        harm_category=HarmCategory.DATA_LEAKAGE,
        strategy="probe",
        utility=EvalResult(outcome=EvalOutcome.DETECTED),
        injections=[InjectionRecord(payload_id="mail-1", surface_name="inbox", delivery="observed")],
        population=PopulationRef(id="p1", index=1, size=3, threshold=0.5),
        metadata={"error": "none"},
        control=Result(
            status=SafetyStatus.SAFE,
            summary="no sign of the attack objective",
            observability_level=ObservabilityLevel.TOOL_ONLY,
            turns=[turn],
            strategy="xpia-control",
            utility=EvalResult(outcome=EvalOutcome.DETECTED),
        ),
        attempts=[
            Attempt(
                outcome="refused",
                parent=0,
                turns=[Turn(request=Request(prompt="Hi"), response=Response(text="No"))],
                evaluation=EvalResult(outcome=EvalOutcome.NOT_DETECTED),
                score=0.25,
                trace_end_reason=TraceEndReason.DRIVER_EXHAUSTED,
                injections=[InjectionRecord(payload_id="mail-2", surface_name="inbox")],
                metadata={"reason": "the agent refused"},
            )
        ],
        usage={"judge": Usage(input_tokens=7, requests=1)},
    )


def full_record() -> ResultRecord:
    return prepare_record(result=full_result(), pytest_nodeid="tests/test_a.py::test_b", result_index=2)


def full_document() -> dict[str, Any]:
    """A serialised record with every key of the format."""
    document: dict[str, Any] = json.loads(serialize_record(record=full_record()))
    document |= {"losses": [{"path": "result.metadata.x", "reason": "not_json"}], "truncated": True}
    return document


def minimal_document(**given: Any) -> dict[str, Any]:
    """A serialised record with nothing but what the format asks for; `given` goes into the result."""
    result = {"status": "safe", "summary": "s", "observability_level": "tool_only"} | given
    return {"version": VERSION, "result": result}


def at(document: Any, *steps: str | int) -> Any:
    """The value at a place in a document."""
    for step in steps:
        document = document[step]
    return document


def places(value: Any, *before: str | int) -> list[tuple[str | int, ...]]:
    """Every place in a document, the whole of it first."""
    found = [before]
    if isinstance(value, dict):
        found += [place for key, item in value.items() for place in places(item, *before, key)]
    elif isinstance(value, list):
        found += [place for index, item in enumerate(value) for place in places(item, *before, index)]
    return found


texts = st.text(max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)

any_text = st.text(st.characters(), max_size=6) | st.sampled_from(["half \ud835 char", "\udc00", "日本 ﬁ 🙂"])
anything: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**300, max_value=10**400)
    | st.floats()
    | any_text
    | st.binary(max_size=3)
    | st.datetimes(timezones=st.none() | st.timezones())
    | st.uuids()
    | st.decimals()
    | st.sampled_from([*SafetyStatus, *HarmCategory, {1, 2}, object, int, ..., Request(prompt="x")]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(any_text | st.integers() | st.binary(max_size=2) | st.tuples(), inner, max_size=3)
    ),
    max_leaves=6,
)
"""What a hand-made result may hold in any of its fields."""
