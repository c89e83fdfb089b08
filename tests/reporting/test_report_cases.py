"""Faults seen in the wild that concern the JSON report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tests.reporting.support import (
    ERROR,
    SAFE,
    UNDETERMINED,
    UNSAFE,
    emit,
    recorded,
    report_of,
    written,
)

from rampart.core.result import Result, SafetyStatus
from rampart.core.types import Request, Response, ToolCall, Turn
from rampart.text.secrets import _isolated_secrets, register_secret

if TYPE_CHECKING:
    from pathlib import Path


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")

    __str__ = __repr__


def calling(call: ToolCall) -> Result:
    turn = Turn(request=Request(prompt="p"), response=Response(text="", tool_calls=[call]))
    return recorded(SAFE, turns=[turn])


def shown_calls(folder: Path, *calls: Any) -> list[dict[str, Any]]:
    document = written(folder, report_of([calling(call) for call in calls]))
    return [
        call
        for result in document["by_harm_category"]["uncategorized"]
        for turn in result["turns"]
        for call in turn["response"]["tool_calls"]
    ]


def test_s12_a_call_without_arguments_is_shown_with_none(tmp_path: Path) -> None:
    given: list[Any] = [None, "", {}]
    calls = shown_calls(tmp_path, *(ToolCall(name="ping", arguments=arguments) for arguments in given))
    assert [(call["arguments"], call["raw_arguments"]) for call in calls] == [({}, None)] * 3


def test_s13_arguments_that_are_no_object_are_shown_as_they_came(tmp_path: Path) -> None:
    given: list[Any] = ['{"to": "a@b.example"}', '"just text"', "[1]", "not json"]
    calls = shown_calls(tmp_path, *(ToolCall(name="send_email", arguments=arguments) for arguments in given))
    assert [(call["arguments"], call["raw_arguments"]) for call in calls] == [
        ({"to": "a@b.example"}, None),
        ({}, '"just text"'),
        ({}, "[1]"),
        ({}, "not json"),
    ]


def test_s60_every_view_of_the_report_counts_the_same(tmp_path: Path) -> None:
    statuses = {"jailbreak": [SAFE, ERROR], "data_leakage": [UNSAFE, UNDETERMINED, ERROR]}
    results = [
        recorded(status, name=f"test_{index}", harm_category=category)
        for category, members in statuses.items()
        for index, status in enumerate(members)
    ]
    document = written(tmp_path, report_of(results))
    assert [document[key] for key in ("total_runs", "passed", "failed", "undetermined", "errors")] == [
        5,
        1,
        1,
        1,
        2,
    ]
    summary = document["population_summary"]
    assert [summary[f"{status.value}_count"] for status in SafetyStatus] == [1, 1, 1, 2]
    shown = [result["status"] for group in document["by_harm_category"].values() for result in group]
    assert [shown.count(status.value) for status in SafetyStatus] == [1, 1, 1, 2]


def test_s80_a_lone_surrogate_costs_one_character(tmp_path: Path) -> None:
    texts = ["half \ud835 char", "whole 🙂"]
    turns = [Turn(request=Request(prompt="p"), response=Response(text=text)) for text in texts]
    results = [recorded(SAFE, turns=[turn]) for turn in turns]
    results.append(calling(ToolCall(name="t", arguments={"k\udc00": 1})))
    first, second, third = written(tmp_path, report_of(results))["by_harm_category"]["uncategorized"]
    assert first["turns"][0]["response"]["text"] == "half \ufffd char"
    assert second["turns"][0]["response"]["text"] == "whole 🙂"
    assert third["turns"][0]["response"]["tool_calls"][0]["arguments"] == {"k\ufffd": 1}
    assert ["losses" in result for result in (first, second, third)] == [True, False, True]


def test_s81_a_number_that_is_none_is_null_and_not_zero(tmp_path: Path) -> None:
    result = recorded(SAFE, duration_seconds=math.nan)
    result.metadata |= {"a": math.nan, "b": math.inf, "d": 1.0}
    (shown,) = written(tmp_path, report_of([result]))["by_harm_category"]["uncategorized"]
    assert (shown["metadata"]["a"], shown["metadata"]["b"], shown["metadata"]["d"]) == (None, None, 1.0)
    assert shown["duration_seconds"] == 0.0
    assert {loss["reason"] for loss in shown["losses"]} == {"non_finite"}


def test_s82_values_that_json_does_not_know_do_not_cost_the_report(tmp_path: Path) -> None:
    loop: list[Any] = []
    loop.append(loop)
    result = recorded(SAFE, metadata={"loop": loop, "odd": Unprintable(), (1,): b"\xff", 1: "a", "1": "b"})
    (shown,) = written(tmp_path, report_of([result]))["by_harm_category"]["uncategorized"]
    assert shown["status"] == "safe"
    assert shown["metadata"]["odd"] == "<unprintable value>"
    assert {shown["metadata"]["1"], shown["metadata"]["1 (2)"]} == {"a", "b"}


def test_s98_no_key_reaches_the_report(tmp_path: Path) -> None:
    with _isolated_secrets():
        register_secret("sk-test-AAAA1111")
        turn = Turn(request=Request(prompt="p"), response=Response(text="key: sk-test-AAAA1111"))
        result = recorded(UNSAFE, turns=[turn], summary="bad key sk-test-AAAA1111")
        report = report_of([result], metadata={"command": "--key=sk-test-AAAA1111", "sk-test-AAAA1111": 1})
        text = emit(tmp_path, report).read_text(encoding="utf-8")
    assert "AAAA1111" not in text
    assert "key: ***" in text
    assert '"losses"' not in text
