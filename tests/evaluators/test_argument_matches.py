"""Values deep inside of arguments; the plain cases are controls."""

from __future__ import annotations

import asyncio
import re
import sys
import time
from typing import Any

import pytest
from tests.evaluators.support import (
    DETECTED,
    NOT_DETECTED,
    UNDETERMINED,
    called,
    evaluate,
    outcome,
    reply,
    turns_of,
)

from rampart.core.errors import ConfigurationError
from rampart.core.evaluation import EvalContext
from rampart.core.memo import enable_trace_memo
from rampart.core.types import ObservabilityLevel, ToolCall
from rampart.evaluators import ArgumentMatches

SEND = called("send", to=[{"address": "a@b.example"}, {"address": "eve@evil.example"}], note="x\ud800y")


def raises(value: object) -> bool:
    raise LookupError("gone")


@pytest.mark.parametrize(
    ("path", "expected", "evidence"),
    [
        pytest.param(
            "$.to[-1].address",
            re.compile("evil"),
            "turn 0 call 0 (send) arguments.to[1].address: 'eve@evil.example'",
            id="text",
        ),
        pytest.param("$.to", len, "turn 0 call 0 (send) arguments.to: ", id="list"),
        pytest.param("$['note']", bool, "turn 0 call 0 (send) arguments.note: 'x\ufffdy'", id="halves"),
    ],
)
async def test_evidence_points_at_the_value(path: str, expected: Any, evidence: str) -> None:
    result = await evaluate(ArgumentMatches("send", path, expected), reply(calls=[SEND]))
    assert result.outcome is DETECTED
    assert result.evidence[0].startswith(evidence)


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        pytest.param(lambda value: value.endswith("evil.example"), DETECTED, id="function"),
        pytest.param(lambda value: False, NOT_DETECTED, id="function-that-says-no"),
        pytest.param(raises, UNDETERMINED, id="function-that-raises"),
        pytest.param(lambda value: value[0] == "e" or raises(value), DETECTED, id="raises-for-another"),
        pytest.param(re.compile("EVIL"), NOT_DETECTED, id="pattern-as-it-is"),
    ],
)
async def test_expectations(expected: Any, answer: object) -> None:
    evaluator = ArgumentMatches("send", "$.to[*].address", expected)
    assert await outcome(evaluator, reply(calls=[SEND])) is answer


async def test_a_pattern_that_runs_out_of_time() -> None:
    evaluator = ArgumentMatches("send", "$.*", re.compile("^(a|a?)+$"))
    blows_up = called("send", text="a" * 40 + "c", n=1)
    result = await evaluate(evaluator, reply(calls=[blows_up]))
    assert result.outcome is UNDETERMINED
    assert "arguments.text could not be judged: matching the pattern" in result.rationale
    assert await outcome(evaluator, reply(calls=[blows_up, called("send", text="aa")])) is DETECTED


class TestBadInput:
    @pytest.mark.parametrize("raw", [[1], "not an object", 7, True], ids=repr)
    async def test_arguments_of_any_shape(self, raw: Any) -> None:
        call = ToolCall(name="send", arguments=raw)
        result = await evaluate(ArgumentMatches("send", "$.a"), reply(calls=[call]))
        assert result.outcome is UNDETERMINED
        assert result.undetermined_operands == [
            "'send' in turn 0 was called, but its arguments are not an object"
        ]

    async def test_nested_a_thousand_deep(self) -> None:
        value: Any = "deep"
        for number in range(1000):
            value = [value] if number % 2 else {"a": value}
        answer = await evaluate(ArgumentMatches("send", "$..zz"), reply(calls=[called("send", v=value)]))
        # How deep is too deep depends on the version of Python; nothing found is never silent about it.
        assert answer.outcome is NOT_DETECTED or "$..zz could not be followed: Recursion" in answer.rationale
        assert (
            await outcome(ArgumentMatches("send", "$.v"), reply(calls=[called("send", v=value)])) is DETECTED
        )

    async def test_ten_megabytes_do_not_hold_up_the_loop(self) -> None:
        rows = [{"id": number, "text": "x" * 100} for number in range(80_000)]
        longest = 0.0

        async def watch() -> None:
            nonlocal longest
            while True:
                started = time.monotonic()
                await asyncio.sleep(0.005)
                longest = max(longest, time.monotonic() - started)

        watcher = asyncio.create_task(watch())
        evaluator = ArgumentMatches("send", "$.rows[?@.id == 79999].text", "x" * 100)
        assert await outcome(evaluator, reply(calls=[called("send", rows=rows)])) is DETECTED
        watcher.cancel()
        assert longest < 0.2


async def test_calls_are_judged_once_in_a_growing_trace() -> None:
    seen: list[object] = []

    def note(value: object) -> bool:
        seen.append(value)
        return False

    evaluator = ArgumentMatches("send", "$.n", note)
    turns = turns_of(*[reply(calls=[called("send", n=number)]) for number in range(5)])
    enable_trace_memo(turns[0])
    for count in [*range(1, 6), 2, 5]:
        context = EvalContext(turns=turns[:count], observability_level=ObservabilityLevel.TOOL_ONLY)
        assert (await evaluator.evaluate_async(context=context)).outcome is NOT_DETECTED
    # Asked about a shorter trace it starts over, as for any trace that is not the continuation.
    assert seen[:5] == [0, 1, 2, 3, 4]
    assert len(seen) <= 12


async def test_calls_whose_end_is_open_are_judged_again() -> None:
    waiting = ToolCall(name="send", arguments={"n": 1}, executed=False)
    evaluator = ArgumentMatches("send", "$.n", 1, executed_only=True)
    turns = turns_of(reply(calls=[called("other"), waiting, called("other")]))
    enable_trace_memo(turns[0])
    context = EvalContext(turns=turns, observability_level=ObservabilityLevel.TOOL_ONLY)
    assert (await evaluator.evaluate_async(context=context)).outcome is NOT_DETECTED
    waiting.executed = True
    assert (await evaluator.evaluate_async(context=context)).outcome is DETECTED


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonpath", None)
    with pytest.raises(ConfigurationError, match=re.escape('pip install "rampart[jsonpath]"')):
        ArgumentMatches("send", "$.to")


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        pytest.param((" ", "$.a"), ValueError, "tool_name is ' '", id="blank"),
        pytest.param(
            ("send", "to"), ValueError, "path 'to' cannot be used: .*expected a JSONPath", id="no-path"
        ),
        pytest.param(("send", "$.["), ValueError, r"path '\$\.\[' cannot be used", id="syntax"),
        pytest.param(("send", ""), ValueError, "path '' cannot be used", id="empty"),
        pytest.param(("send", 7), TypeError, "path is of type int", id="type"),
        pytest.param(("send", "$[?match(@.a, '(a+)+$')]"), ValueError, "cannot be used: .*match", id="regex"),
        pytest.param(("send", "$.a | $.b"), ValueError, "cannot be used", id="beyond-the-standard"),
        pytest.param(("send", "$.a", re.compile(b"x")), TypeError, "pattern for bytes", id="bytes"),
        pytest.param(("send", "$.a", {"b": len}), TypeError, "inside of a dict", id="nested"),
    ],
)
def test_refused(arguments: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        ArgumentMatches(*arguments)


def test_repr() -> None:
    assert repr(ArgumentMatches("a", "$.b")) == "ArgumentMatches('a', '$.b')"
    assert repr(ArgumentMatches("a", "$.b", 1)) == "ArgumentMatches('a', '$.b', 1)"
