"""Calls that failed; the plain cases are controls."""

from __future__ import annotations

import re

import pytest
from tests.evaluators.support import (
    DETECTED,
    NOT_DETECTED,
    UNDETERMINED,
    called,
    evaluate,
    outcome,
    reply,
    trace,
)

from rampart.core.types import ToolCall
from rampart.evaluators import ToolFailed

DECLINED = ToolCall(name="pay", error="card declined\nat bank.py line 3")


async def test_evidence_is_the_error() -> None:
    result = await evaluate(ToolFailed("pay"), reply(calls=[called("now"), DECLINED]))
    assert result.outcome is DETECTED
    assert result.evidence == [r"turn 0 call 1 (pay) error: 'card declined\\nat bank.py line 3'"]
    assert result.rationale == "'pay' in turn 0 failed"


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        pytest.param(lambda text: "bank.py" in text, DETECTED, id="function"),
        pytest.param(lambda text: False, NOT_DETECTED, id="function-that-says-no"),
        pytest.param(lambda text: 1 / 0, UNDETERMINED, id="function-that-raises"),
        pytest.param("DECLINED AT", DETECTED, id="folded"),
        pytest.param(re.compile("DECLINED"), NOT_DETECTED, id="pattern-as-it-is"),
    ],
)
async def test_the_text_of_the_error(error: object, answer: object) -> None:
    evaluator = ToolFailed(error=error)  # type: ignore[arg-type]  # of several types
    assert await outcome(evaluator, reply(calls=[DECLINED])) is answer


async def test_what_is_not_known_is_told() -> None:
    result = await evaluate(ToolFailed(), reply(calls=[called("pay")]))
    assert result.undetermined_operands == [
        "what became of 'pay' in turn 0 is not known: it has neither a result nor an error"
    ]


async def test_a_failure_settles_what_is_not_known() -> None:
    assert await outcome(ToolFailed(), reply(calls=[called("pay"), DECLINED])) is DETECTED


async def test_a_name_that_nothing_has_is_told() -> None:
    context = trace("done", tools=["pay"])
    with pytest.warns(UserWarning, match="tool 'paid' is not declared"):
        result = await ToolFailed("paid").evaluate_async(context=context)
    assert result.outcome is NOT_DETECTED


@pytest.mark.parametrize(
    ("name", "error", "kind", "told"),
    [
        pytest.param(" ", None, ValueError, "tool_name is ' '", id="blank-name"),
        pytest.param("pay", " ", ValueError, "which is blank", id="blank-error"),
        pytest.param("pay", re.compile("x*"), ValueError, "matches every reply", id="matches-all"),
        pytest.param("pay", 7, TypeError, "is of type int", id="type"),
    ],
)
def test_refused(name: str, error: object, kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=told):
        ToolFailed(name, error=error)  # type: ignore[arg-type]  # the point of the test


def test_repr() -> None:
    assert repr(ToolFailed()) == "ToolFailed()"
    assert repr(ToolFailed("a", error="b")) == "ToolFailed('a', error='b')"
