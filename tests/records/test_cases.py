"""Faults seen in the wild that concern what is written down."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.records.support import result_of, turn_of

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.llm import LLMConfig
from rampart.core.result import Result, SafetyStatus
from rampart.core.types import Request, Response, ToolCall, Turn
from rampart.records import ResultRecord, deserialize_record, iter_records, prepare_record, serialize_record
from rampart.records.journal import Journal
from rampart.text.secrets import _isolated_secrets, register_secret


def calling(*calls: ToolCall, text: str = "") -> Result:
    turn = Turn(request=Request(prompt="p"), response=Response(text=text, tool_calls=list(calls)))
    return result_of(turns=[turn])


def written(root: Path, *results: Result) -> tuple[list[ResultRecord], str]:
    """The records that a journal of these results holds, and its text."""
    journal = Journal(root=root)
    for index, result in enumerate(results):
        journal.write_result(result, pytest_nodeid="a.py::t", result_index=index)
    journal.close()
    return list(iter_records(path=journal.path)), journal.path.read_bytes().decode("utf-8", errors="strict")


def strict_json(text: str) -> Any:
    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("arguments", [None, "", {}], ids=["none", "empty-text", "empty"])
def test_s12_a_call_without_arguments_is_written_with_none(tmp_path: Path, arguments: Any) -> None:
    (record,), text = written(tmp_path, calling(ToolCall(name="ping", arguments=arguments)))
    assert '"arguments":{},"raw_arguments":null' in text
    assert record.result.turns[0].response.tool_calls == [ToolCall(name="ping")]


@pytest.mark.parametrize("arguments", ['"just text"', "[1]", "not json"])
def test_s13_arguments_that_are_no_object_are_kept_as_they_came(tmp_path: Path, arguments: Any) -> None:
    (record,), _ = written(tmp_path, calling(ToolCall(name="send_email", arguments=arguments)))
    (call,) = record.result.turns[0].response.tool_calls
    assert (call.arguments, call.raw_arguments) == ({}, arguments)
    assert record.losses == []


def test_s13_arguments_that_are_the_text_of_an_object_are_written_as_one(tmp_path: Path) -> None:
    call: Any = ToolCall(name="send_email", arguments='{"to": "a@b.example"}')  # type: ignore[arg-type]  # as models do
    _, text = written(tmp_path, calling(call))
    assert '"arguments":{"to":"a@b.example"},"raw_arguments":null' in text


def test_s80_a_lone_surrogate_costs_one_character(tmp_path: Path) -> None:
    records, text = written(
        tmp_path,
        calling(text="half \ud835 char"),
        calling(ToolCall(name="t", arguments={"k\udc00": 1})),
        calling(text="whole 🙂"),
    )
    assert [json.loads(line)["version"] for line in text.splitlines()] == ["rampart.trace.v1"] * 3
    first, second, third = (record.result.turns[0].response for record in records)
    assert first.text == "half \ufffd char"
    assert second.tool_calls[0].arguments == {"k\ufffd": 1}
    assert third.text == "whole 🙂"
    assert [[loss.reason for loss in record.losses] for record in records] == [
        ["surrogate"],
        ["surrogate"],
        [],
    ]


def test_s81_a_number_that_is_none_does_not_come_back_as_zero(tmp_path: Path) -> None:
    result = calling(ToolCall(name="t", arguments={"x": math.nan}))
    result.metadata = {"a": math.nan, "b": math.inf, "c": -math.inf, "d": 1.0}
    result.duration_seconds = math.nan
    object.__setattr__(result.turns[0], "duration_seconds", math.nan)
    (record,), text = written(tmp_path, result)
    document = strict_json(text)
    assert document["result"]["duration_seconds"] == 0.0
    assert document["result"]["turns"][0]["duration_seconds"] is None
    assert record.result.metadata == {"a": None, "b": None, "c": None, "d": 1.0}
    assert "e" not in record.result.metadata
    assert record.result.turns[0].response.tool_calls[0].arguments == {"x": None}
    assert {(loss.path, loss.reason) for loss in record.losses} == {
        (path, "non_finite")
        for path in [
            "result.metadata.a",
            "result.metadata.b",
            "result.metadata.c",
            "result.duration_seconds",
            "result.turns[0].duration_seconds",
            "result.turns[0].response.tool_calls[0].arguments.x",
        ]
    }


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_s82_values_that_json_does_not_know_have_a_readable_stand_in(tmp_path: Path) -> None:
    loop: dict[str, Any] = {}
    loop["self"] = loop
    deep: Any = "bottom"
    for _ in range(5_000):
        deep = [deep]
    zone = dt.timezone(dt.timedelta(hours=5, minutes=30))
    arguments = {
        "bytes": b"\xff",
        "aware": dt.datetime(2026, 11, 30, 10, tzinfo=zone),
        "naive": dt.datetime.fromisoformat("2026-11-30T10:00:00"),
        "path": Path("/srv/data"),
        "set": {1},
        "decimal": decimal.Decimal("0.10"),
        (1, 2): "tuple",
        b"k": "bytes",
        "loop": loop,
        "deep": deep,
        "numbers": {1: "a", "1": "b"},
        "odd": Unprintable(),
    }
    result = calling(ToolCall(name="t", arguments=arguments))  # type: ignore[arg-type]  # what tools really get
    (record,), text = written(tmp_path, result)
    strict_json(text)
    found = record.result.turns[0].response.tool_calls[0].arguments
    assert record.result.status is SafetyStatus.SAFE
    assert found["bytes"] == "b'\\xff'"
    assert found["aware"] == "2026-11-30T10:00:00+05:30"
    assert found["naive"] == "2026-11-30T10:00:00"
    assert Path(found["path"]) == Path("/srv/data")
    assert (found["set"], found["decimal"], found["odd"]) == ("{1}", "0.10", "<unprintable value>")
    assert (found["(1, 2)"], found["b'k'"]) == ("tuple", "bytes")
    assert found["loop"] == {"self": "{'self': {...}}"}
    assert set(found["numbers"]) == {"1", "1 (2)"}
    assert set(found["numbers"].values()) == {"a", "b"}
    assert len(record.losses) == 12
    assert {loss.reason for loss in record.losses} == {"not_json", "non_string_key", "cycle", "depth"}


@pytest.mark.parametrize("status", ["safe", True, 1, None, EvalOutcome.DETECTED])
def test_s82_a_status_of_a_wrong_type_is_never_a_pass(tmp_path: Path, status: Any) -> None:
    (record,), _ = written(tmp_path, result_of(status=status))
    assert record.result.status is SafetyStatus.ERROR
    assert not record.result.safe
    assert [(loss.path, loss.reason) for loss in record.losses] == [("result.status", "wrong_type")]


def test_s82_an_outcome_of_a_wrong_type_is_never_an_answer(tmp_path: Path) -> None:
    outcome: Any = "detected"
    (record,), _ = written(tmp_path, result_of(final_trace_evaluation=EvalResult(outcome=outcome)))
    evaluation = record.result.final_trace_evaluation
    assert evaluation is not None
    assert evaluation.outcome is EvalOutcome.UNDETERMINED


def test_s98_no_key_reaches_the_journal(tmp_path: Path) -> None:
    with _isolated_secrets():
        LLMConfig(model="m", api_key="sk-test-AAAA1111")
        register_secret("hunter2-hunter2")
        result = calling(text="your key is sk-test-AAAA1111")
        result.summary = "AuthError: bad key sk-test-AAAA1111"
        result.metadata = {"error": "sk-test-AAAA1111", "sk-test-AAAA1111": [b"hunter2-hunter2"]}
        (record,), text = written(tmp_path, result)
    assert "AAAA1111" not in text
    assert "hunter2" not in text
    assert record.result.turns[0].response.text == "your key is ***"
    assert record.result.summary == "AuthError: bad key ***"
    # The one loss is that bytes are no JSON.
    assert [loss.reason for loss in record.losses] == ["not_json"]


def test_s98_no_key_is_in_an_error_text() -> None:
    text = serialize_record(record=prepare_record(result=result_of(summary="sk-test-AAAA1111")))
    with pytest.raises(ValueError, match="record: expected one line") as caught:
        deserialize_record(data=text[:-1])
    assert "AAAA1111" not in str(caught.value)


WRITES_UNICODE = """
import pathlib, sys
from rampart.records.journal import Journal
from tests.records.support import result_of
journal = Journal(root=pathlib.Path(sys.argv[1]), run_id="2026-04-25T14-30-00-0123abcd")
journal.write_result(result_of(summary="日本 ﬁ 🙂 1.5°"))
journal.close()
"""


def test_s99_the_journal_is_utf_8_whatever_the_locale_says(tmp_path: Path) -> None:
    script = tmp_path / "write.py"
    script.write_text(WRITES_UNICODE, encoding="utf-8")
    root = Path(__file__).parents[2]
    environment = os.environ | {
        "PYTHONUTF8": "0",
        "PYTHONIOENCODING": "cp1252:strict",
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONPATH": str(root),
    }
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True, env=environment, cwd=root)
    (path,) = tmp_path.glob(".rampart/runs/*/results.jsonl")
    assert "日本 ﬁ 🙂 1.5°".encode() in path.read_bytes()
    assert [record.result.summary for record in iter_records(path=path)] == ["日本 ﬁ 🙂 1.5°"]


def test_an_ordinary_result_costs_no_loss(tmp_path: Path) -> None:
    """The control of the cases above."""
    (record,), _ = written(tmp_path, result_of(turns=[turn_of()]))
    assert record.losses == []
