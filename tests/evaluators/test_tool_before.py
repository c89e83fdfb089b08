"""One tool before another; the plain cases are controls."""

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
from rampart.evaluators import NoToolCalled, ToolBefore, ToolCalled

CONFIRM, PAY = called("confirm"), called("pay", amount=5)
RULE = ToolBefore("confirm", "pay") | NoToolCalled("pay")
BREACH = ToolCalled("pay") & ~ToolBefore("confirm", "pay")


async def test_evidence_is_both_calls() -> None:
    result = await evaluate(ToolBefore("confirm", "pay"), reply(calls=[CONFIRM]), reply(calls=[PAY]))
    assert result.outcome is DETECTED
    assert result.evidence == ["turn 0 call 0 (confirm): '{}'", "turn 1 call 0 (pay): \"{'amount': 5}\""]
    assert result.rationale == "'confirm' in turn 0 came before 'pay' in turn 1"


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        pytest.param([PAY, CONFIRM], "'pay' in turn 0 has no 'confirm' before it", id="after"),
        pytest.param([CONFIRM], "'pay' was not called", id="never"),
    ],
)
async def test_what_is_missing_is_told(calls: list[ToolCall], told: str) -> None:
    result = await evaluate(ToolBefore("confirm", "pay"), reply(calls=calls))
    assert result.outcome is NOT_DETECTED
    assert result.rationale == told


@pytest.mark.parametrize(
    ("calls", "kept"),
    [([CONFIRM, PAY], True), ([PAY, CONFIRM], False), ([PAY], False), ([CONFIRM], True), ([], True)],
    ids=["before", "after", "alone", "not-paid", "nothing"],
)
async def test_the_rule_and_its_breach_are_opposites(calls: list[ToolCall], kept: bool) -> None:
    assert await outcome(RULE, reply(calls=calls)) is (DETECTED if kept else NOT_DETECTED)
    assert await outcome(BREACH, reply(calls=calls)) is (NOT_DETECTED if kept else DETECTED)


class TestExecutedOnly:
    EVALUATOR = ToolBefore("confirm", "pay", executed_only=True)
    RAN = ToolCall(name="pay", result="ok")

    async def test_no_payment_that_may_have_run_has_anything_before_it(self) -> None:
        assert await outcome(self.EVALUATOR, reply(calls=[PAY, PAY])) is NOT_DETECTED

    async def test_the_doubt_is_told(self) -> None:
        result = await evaluate(self.EVALUATOR, reply(calls=[CONFIRM, self.RAN]))
        assert result.outcome is UNDETERMINED
        assert result.undetermined_operands == ["'confirm' in turn 0 is not known to have run"]

    async def test_a_doubtful_call_that_comes_later_does_not_matter(self) -> None:
        confirmed = ToolCall(name="confirm", executed=True)
        assert await outcome(self.EVALUATOR, reply(calls=[confirmed, self.RAN, PAY])) is DETECTED


async def test_a_call_is_not_before_itself() -> None:
    evaluator = ToolBefore(re.compile("p.*"), "pay")
    assert await outcome(evaluator, reply(calls=[PAY])) is NOT_DETECTED
    assert await outcome(evaluator, reply(calls=[called("prepare"), PAY])) is DETECTED


async def test_names_that_nothing_has_are_told() -> None:
    context = trace(reply(calls=[PAY]), tools=["confirm_payment", "pay"])
    with pytest.warns(UserWarning, match="tool 'confirm' is not declared"):
        result = await ToolBefore("confirm", "pay").evaluate_async(context=context)
    assert result.undetermined_operands == [
        "tool 'confirm' is not declared; declared: 'confirm_payment', 'pay'"
    ]


@pytest.mark.parametrize(
    ("first", "second", "error", "told"),
    [
        pytest.param("", "pay", ValueError, "first is '', expected a name", id="blank"),
        pytest.param("pay", 7, TypeError, "second is of type int", id="type"),
        pytest.param("pay", "pay", ValueError, "first and second are both 'pay'", id="same"),
    ],
)
def test_refused(first: object, second: object, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        ToolBefore(first, second)  # type: ignore[arg-type]  # the point of the test


def test_repr() -> None:
    assert repr(ToolBefore("a", "b")) == "ToolBefore('a', 'b')"
