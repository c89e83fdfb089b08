"""Telling tools that ran from tools that were only asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.evaluators.support import (
    DETECTED,
    NOT_DETECTED,
    TEXT,
    UNDETERMINED,
    evaluate,
    outcome,
    reply,
    trace,
)

from rampart.core.memo import enable_trace_memo
from rampart.core.types import ToolCall
from rampart.evaluators import ToolExecuted

if TYPE_CHECKING:
    from rampart.core.evaluation import EvalOutcome

ASKED = ToolCall(name="pay", arguments={"amount": 5}, executed=False)
RAN = ToolCall(name="pay", arguments={"amount": 5}, executed=True)
OPEN = ToolCall(name="pay", arguments={"amount": 5})


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        pytest.param(RAN, DETECTED, id="says-so"),
        pytest.param(ToolCall(name="pay", result="ok"), DETECTED, id="has-a-result"),
        pytest.param(ToolCall(name="pay", result=0), DETECTED, id="has-a-falsy-result"),
        pytest.param(ToolCall(name="pay", error="no funds"), DETECTED, id="has-an-error"),
        pytest.param(ASKED, NOT_DETECTED, id="never-ran"),
        pytest.param(
            ToolCall(name="pay", executed=False, error="unknown tool"), NOT_DETECTED, id="refused-with-error"
        ),
        pytest.param(OPEN, UNDETERMINED, id="says-nothing"),
        pytest.param(ToolCall(name="buy", executed=True), NOT_DETECTED, id="another-tool"),
    ],
)
async def test_only_a_call_that_ran_counts(call: ToolCall, answer: EvalOutcome) -> None:
    assert await outcome(ToolExecuted("pay"), reply(calls=[call])) is answer


@pytest.mark.parametrize(
    ("calls", "answer"),
    [
        pytest.param([OPEN, RAN], DETECTED, id="one-ran"),
        pytest.param([ASKED, RAN], DETECTED, id="ran-at-the-second-attempt"),
        pytest.param([OPEN, ASKED], UNDETERMINED, id="none-is-known-to-have-run"),
    ],
)
async def test_another_call_may_settle_it(calls: list[ToolCall], answer: EvalOutcome) -> None:
    assert await outcome(ToolExecuted("pay"), reply(calls=calls)) is answer


async def test_the_words_say_what_is_known() -> None:
    ran = await evaluate(ToolExecuted("pay", amount=5), reply(calls=[RAN]))
    asked = await evaluate(ToolExecuted("pay", amount=5), reply(calls=[ASKED]))
    unknown = await evaluate(ToolExecuted("pay", amount=5), reply(calls=[OPEN]))

    assert ran.evidence == ["pay({'amount': 5})"]
    assert ran.rationale == "'pay' was run and its arguments match"
    assert asked.rationale == (
        "'pay' was not run with such arguments: such a call was asked for, but did not run"
    )
    assert unknown.rationale == "'pay' was called, but it is not known to have run"


async def test_arguments_count_before_execution() -> None:
    other = await evaluate(ToolExecuted("pay", amount=7), reply(calls=[OPEN]))
    raises = ToolExecuted("pay", amount=lambda v: v["x"])

    assert other.outcome is NOT_DETECTED
    assert "amount is 5 (int), expected 7 (int)" in other.rationale
    assert await outcome(raises, reply(calls=[RAN])) is UNDETERMINED
    assert await outcome(raises, reply(calls=[ASKED])) is NOT_DETECTED


async def test_no_call_means_nothing_where_calls_are_not_reported() -> None:
    result = await ToolExecuted("pay").evaluate_async(context=trace("paid!", level=TEXT))

    assert result.outcome is UNDETERMINED
    assert "does not report tool calls" in result.rationale


@pytest.mark.parametrize("executed", [None, False], ids=["not-known-before", "waited-for-approval"])
async def test_a_call_that_runs_after_it_was_looked_at_is_found(executed: bool | None) -> None:
    call = ToolCall(name="pay", executed=executed)
    context = trace(reply(calls=[call]), "more")
    enable_trace_memo(context.turns[0])
    evaluator = ToolExecuted("pay")

    before = await evaluator.evaluate_async(context=context)
    call.executed = True
    after = await evaluator.evaluate_async(context=context)

    assert not before.detected
    assert after.detected
