"""What preparing changes, one row of the table of losses after another."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import math
import pathlib
import uuid
from collections import OrderedDict, defaultdict
from typing import Any, NamedTuple

import pytest
from tests.records.support import full_result, result_of, turn_of

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.result import InjectionRecord, PopulationRef, Result, SafetyStatus
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
from rampart.text.secrets import _isolated_secrets, register_secret


def losses_of(result: Result) -> list[tuple[str, str]]:
    record = prepare_record(result=result)
    serialize_record(record=record)  # whatever was repaired can be written
    return [(loss.path, loss.reason) for loss in record.losses]


def prepared_value(value: Any) -> tuple[Any, list[tuple[str, str]]]:
    """What becomes of a value in the metadata, and what is noted; the path is the value's own."""
    record = prepare_record(result=result_of(metadata={"v": value}))
    serialize_record(record=record)
    return record.result.metadata["v"], [
        (loss.path.removeprefix("result.metadata.v"), loss.reason) for loss in record.losses
    ]


def test_a_clean_result_loses_nothing_and_is_copied() -> None:
    result = full_result()
    record = prepare_record(result=result, pytest_nodeid="a.py::b", result_index=0)
    assert record.losses == []
    assert (record.result, record.pytest_nodeid, record.result_index) == (result, "a.py::b", 0)
    assert record.truncated is False
    call, copied = result.turns[0].response.tool_calls[0], record.result.turns[0].response.tool_calls[0]
    assert copied is not call
    call.arguments["cc"].append("later")
    assert "later" not in copied.arguments["cc"]


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class OldColour(str, enum.Enum):  # noqa: UP042 - the older form is what this is about
    BLUE = "blue"


class Point(NamedTuple):
    x: int
    y: int


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param((1, (2,)), [1, [2]], id="tuples"),
        pytest.param(Point(1, 2), [1, 2], id="named-tuple"),
        pytest.param([Colour.RED, OldColour.BLUE], ["red", "blue"], id="string-enums"),
        pytest.param({Colour.RED: 1}, {"red": 1}, id="string-enum-as-key"),
        pytest.param(Level.HIGH, 3, id="int-enum"),
        pytest.param(OrderedDict(a=1), {"a": 1}, id="ordered-dict"),
        pytest.param(defaultdict(list, a=[1]), {"a": [1]}, id="default-dict"),
        pytest.param(-0.0, -0.0, id="negative-zero"),
        pytest.param(2**70, 2**70, id="big-int"),
        pytest.param("🙂", "🙂", id="surrogate-pair"),
        pytest.param([{}, [], ""], [{}, [], ""], id="empty"),
        pytest.param([[[]]] * 2, [[[]], [[]]], id="the-same-list-twice-is-no-cycle"),
    ],
)
def test_no_loss(value: Any, expected: Any) -> None:
    found, losses = prepared_value(value)
    assert (found, losses) == (expected, [])
    assert type(found) in {dict, list, str, int, float}


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Endless:
    def __repr__(self) -> str:
        return repr(self)


class Long:
    def __repr__(self) -> str:
        return "x" * 1000


class BadDate(dt.date):
    def isoformat(self) -> str:
        raise RuntimeError("no")


UNPRINTABLE = "<unprintable value>"
NAIVE = "2026-11-30T10:00:00"
ZONE = dt.timezone(dt.timedelta(hours=5, minutes=30))
UUID = uuid.UUID("12345678-1234-5678-1234-567812345678")


@pytest.mark.parametrize(
    ("value", "expected", "reason"),
    [
        pytest.param(math.nan, None, "non_finite", id="nan"),
        pytest.param(-math.inf, None, "non_finite", id="infinity"),
        pytest.param(10**400, None, "non_finite", id="int-beyond-every-float"),
        pytest.param(
            dt.datetime(2026, 11, 30, 10, tzinfo=ZONE), "2026-11-30T10:00:00+05:30", "not_json", id="aware"
        ),
        pytest.param(dt.datetime.fromisoformat(NAIVE), NAIVE, "not_json", id="naive"),
        pytest.param(dt.date(2026, 11, 30), "2026-11-30", "not_json", id="date"),
        pytest.param(pathlib.PurePosixPath("/tmp/x"), "/tmp/x", "not_json", id="path"),
        pytest.param(UUID, str(UUID), "not_json", id="uuid"),
        pytest.param(decimal.Decimal("1.10"), "1.10", "not_json", id="decimal"),
        pytest.param(BadDate(2026, 1, 1), UNPRINTABLE, "not_json", id="date-that-fails"),
        pytest.param(b"\xff", "b'\\xff'", "not_json", id="bytes"),
        pytest.param({1}, "{1}", "not_json", id="set"),
        pytest.param(1j, "1j", "not_json", id="complex"),
        pytest.param(Long(), "x" * 200, "not_json", id="long"),
        pytest.param(Unprintable(), UNPRINTABLE, "not_json", id="unprintable"),
        pytest.param(Endless(), UNPRINTABLE, "not_json", id="endless"),
        pytest.param("half \ud835 char", "half \ufffd char", "surrogate", id="surrogate"),
        pytest.param(ObservabilityLevel.TOOL_ONLY, repr(ObservabilityLevel.TOOL_ONLY), "not_json", id="enum"),
    ],
)
def test_one_value_changes(value: Any, expected: Any, reason: str) -> None:
    assert prepared_value(value) == (expected, [("", reason)])
    assert prepared_value([0, value]) == ([0, expected], [("[1]", reason)])
    assert prepared_value({"a b": value}) == ({"a b": expected}, [('["a b"]', reason)])


def test_keys_become_strings_and_stay_apart() -> None:
    found, losses = prepared_value({1: "a", "1": "b", (1,): "c", b"k": "d", None: "e", "None": "f"})
    # A string key keeps its name.
    assert found == {"1 (2)": "a", "1": "b", "(1,)": "c", "b'k'": "d", "None (2)": "e", "None": "f"}
    assert losses == [
        ('["1 (2)"]', "non_string_key"),
        ('["(1,)"]', "non_string_key"),
        ("[\"b'k'\"]", "non_string_key"),
        ('["None (2)"]', "non_string_key"),
    ]


def test_taken_names_are_counted_up() -> None:
    class Same:
        def __str__(self) -> str:
            return "same"

    found, losses = prepared_value({Same(): 1, Same(): 2, "same (2)": 3, Same(): 4})
    assert found == {"same": 1, "same (3)": 2, "same (2)": 3, "same (4)": 4}
    assert [reason for _, reason in losses] == ["non_string_key"] * 3


def test_an_unprintable_key_is_named_so() -> None:
    class Silent(Unprintable):
        __str__ = Unprintable.__repr__

    assert prepared_value({Silent(): 1})[0] == {UNPRINTABLE: 1}


def test_a_surrogate_in_a_key_is_replaced_and_noted() -> None:
    pairs = [("k\udc00", 1), ("k\ufffd", 2)]  # the linter takes both for the same key
    found, losses = prepared_value(dict(pairs))
    assert found == {"k\ufffd (2)": 1, "k\ufffd": 2}
    assert losses == [('["k\ufffd (2)"]', "surrogate")]


def test_a_cycle_ends_where_it_closes() -> None:
    loop: dict[str, Any] = {"a": 1}
    loop["self"] = [loop]
    found, losses = prepared_value(loop)
    assert found == {"a": 1, "self": ["{'a': 1, 'self': [{...}]}"]}
    assert losses == [(".self[0]", "cycle")]


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_nesting_is_kept_to_32() -> None:
    # The metadata itself is the first level.
    assert prepared_value(nested(31)) == (nested(31), [])
    found, losses = prepared_value(nested(32))
    assert losses == [("[0]" * 31, "depth")]
    assert repr(found) == "[" * 31 + "'[]'" + "]" * 31


def test_very_deep_values_are_no_problem() -> None:
    found, losses = prepared_value(nested(5_000))
    assert [reason for _, reason in losses] == ["depth"]
    while isinstance(found, list):
        (found,) = found
    assert found == UNPRINTABLE or found.startswith("[[[")


def test_the_first_hundred_losses_are_listed_and_the_rest_counted() -> None:
    losses = losses_of(result_of(metadata={"v": [math.nan] * 150}))
    assert losses[:2] == [("result.metadata.v[0]", "non_finite"), ("result.metadata.v[1]", "non_finite")]
    assert len(losses) == 101
    assert losses[100] == ("", "and 50 more")
    assert len(losses_of(result_of(metadata={"v": [math.nan] * 100}))) == 100


def test_long_keys_do_not_make_long_paths() -> None:
    ((path, _),) = losses_of(result_of(metadata={"k" * 10_000: math.nan}))
    assert path == f'result.metadata["{"k" * 80}..."]'


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


def changed(part: Any, **given: Any) -> Any:
    for name, value in given.items():
        object.__setattr__(part, name, value)
    return part


def prepared_turn(turn: Any) -> tuple[Turn, list[tuple[str, str]]]:
    record = prepare_record(result=result_of(turns=[turn]))
    serialize_record(record=record)
    losses = [(loss.path.removeprefix("result.turns[0]."), loss.reason) for loss in record.losses]
    return record.result.turns[0], losses


def evaluation(**given: Any) -> EvalResult:
    facts: dict[str, Any] = {"outcome": EvalOutcome.DETECTED}
    return EvalResult(**(facts | given))


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


@pytest.mark.parametrize(
    ("given", "losses"),
    [
        pytest.param({"pytest_nodeid": 3}, [("pytest_nodeid", "wrong_type")], id="node-id"),
        pytest.param({"pytest_nodeid": "\ud800"}, [("pytest_nodeid", "surrogate")], id="surrogate"),
        pytest.param({"result_index": -1}, [("result_index", "wrong_type")], id="negative"),
        pytest.param({"result_index": True}, [("result_index", "wrong_type")], id="bool"),
        pytest.param({"result_index": 1.0}, [("result_index", "wrong_type")], id="float"),
    ],
)
def test_the_envelope_is_prepared_too(given: dict[str, Any], losses: list[tuple[str, str]]) -> None:
    record = prepare_record(result=result_of(), **given)
    assert [(loss.path, loss.reason) for loss in record.losses] == losses
    serialize_record(record=record)


def test_secrets_go_from_every_string_and_key_without_a_loss() -> None:
    with _isolated_secrets():
        register_secret("hunter2-hunter2")
        result = full_result()
        result.summary = "failed with hunter2-hunter2"
        result.metadata = {"hunter2-hunter2": ["Bearer hunter2-hunter2"], "***": {"hunter2-hunter2 ": 1}}
        result.turns[0].response.text = "the key is hunter2-hunter2 🙂"
        call = result.turns[0].response.tool_calls[0]
        call.raw_arguments, call.name = "{'k': 'hunter2-hunter2'", "hunter2-hunter2"
        record = prepare_record(result=result, pytest_nodeid="a.py::t[hunter2-hunter2]")
        text = serialize_record(record=record)
    assert "hunter2" not in text
    assert record.losses == []
    assert record.result.summary == "failed with ***"
    assert record.result.metadata == {"*** (2)": ["Bearer ***"], "***": {"*** ": 1}}
    assert record.pytest_nodeid == "a.py::t[***]"


def test_a_secret_does_not_survive_in_a_cut_representation() -> None:
    with _isolated_secrets():
        register_secret("hunter2-hunter2")
        found, losses = prepared_value({("x" * 190 + "hunter2-hunter2").encode()})
    assert "hunter" not in found
    assert losses == [("", "not_json")]


def test_a_payload_id_that_is_a_secret_is_replaced() -> None:
    with _isolated_secrets():
        register_secret("hunter2-hunter2")
        payload = Payload(content="c", id="hunter2-hunter2")
        turn, _ = prepared_turn(changed(turn_of(), request=Request(attachments=[payload])))
    assert "hunter2" not in turn.request.attachments[0].id
