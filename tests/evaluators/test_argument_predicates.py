"""What is expected of the arguments of a call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.evaluators.support import (
    DETECTED,
    NOT_DETECTED,
    UNDETERMINED,
    attack,
    called,
    evaluate,
    outcome,
    probe,
    reply,
)

from rampart.core.result import SafetyStatus
from rampart.core.types import ToolCall
from rampart.evaluators import MISSING, ToolCalled

if TYPE_CHECKING:
    from rampart.core.evaluation import EvalOutcome


@pytest.mark.case(11)
@pytest.mark.parametrize(
    ("expected", "arguments", "answer"),
    [
        pytest.param(None, {}, NOT_DETECTED, id="none-is-not-absence"),
        pytest.param(None, {"confirm": None}, DETECTED, id="none-is-none"),
        pytest.param(None, {"confirm": False}, NOT_DETECTED, id="none-is-not-false"),
        pytest.param(MISSING, {}, DETECTED, id="missing-is-absence"),
        pytest.param(MISSING, {"confirm": None}, NOT_DETECTED, id="missing-is-not-none"),
        pytest.param(lambda v: v is None, {"confirm": None}, DETECTED, id="predicate-gets-none"),
    ],
)
async def test_s11_a_missing_argument_is_not_none(
    expected: object, arguments: dict[str, Any], answer: EvalOutcome
) -> None:
    call = ToolCall(name="delete", arguments=arguments)

    assert await outcome(ToolCalled("delete", confirm=expected), reply(calls=[call])) is answer


@pytest.mark.case(11)
async def test_s11_a_predicate_is_not_called_for_a_missing_argument() -> None:
    asked: list[object] = []

    def is_none(value: object) -> bool:
        asked.append(value)
        return value is None

    answer = await outcome(ToolCalled("delete", confirm=is_none), reply(calls=[called("delete")]))

    assert answer is NOT_DETECTED
    assert asked == []


@pytest.mark.case(12)
@pytest.mark.parametrize("arguments", [None, "", {}], ids=["none", "empty-text", "empty-object"])
async def test_s12_a_call_without_arguments(arguments: Any) -> None:
    call = ToolCall(name="ping", arguments=arguments)

    assert call.arguments == {}
    assert call.raw_arguments is None
    assert await outcome(ToolCalled("ping"), reply(calls=[call])) is DETECTED
    assert await outcome(ToolCalled("ping", x=1), reply(calls=[call])) is NOT_DETECTED


@pytest.mark.case(13)
@pytest.mark.parametrize("raw", ['"just text"', "[1]", "not json"])
async def test_s13_arguments_that_are_no_object_leave_an_argument_undecided(raw: str) -> None:
    call = ToolCall(name="send_email", arguments=raw)  # type: ignore[arg-type]  # as frameworks give it
    evaluator = ToolCalled("send_email", to="a@b.example")

    result = await evaluate(evaluator, reply(calls=[call]))

    assert call.arguments == {}
    assert call.raw_arguments == raw
    assert result.outcome is UNDETERMINED
    assert "'send_email'" in result.rationale
    assert "arguments are not an object" in result.rationale
    assert await outcome(ToolCalled("send_email"), reply(calls=[call])) is DETECTED
    good = called("send_email", to="a@b.example")
    assert await outcome(evaluator, reply(calls=[call, good])) is DETECTED
    assert await outcome(evaluator, reply(calls=[good, call])) is DETECTED


@pytest.mark.case(13)
async def test_s13_arguments_as_json_text_are_read() -> None:
    call = ToolCall(name="send_email", arguments='{"to": "a@b.example"}')  # type: ignore[arg-type]  # as above

    assert await outcome(ToolCalled("send_email", to="a@b.example"), reply(calls=[call])) is DETECTED


async def test_absence_is_undecided_too_where_arguments_are_no_object() -> None:
    call = ToolCall(name="send", arguments="[]")  # type: ignore[arg-type]  # as frameworks give it

    assert await outcome(ToolCalled("send", to=MISSING), reply(calls=[call])) is UNDETERMINED


async def test_arguments_replaced_by_something_else_later_are_undecided() -> None:
    call = called("send")
    call.arguments = ["to"]  # type: ignore[assignment]  # what a careless adapter may do

    result = await evaluate(ToolCalled("send", to="x"), reply(calls=[call]))

    assert result.outcome is UNDETERMINED
    assert "arguments are not an object: ['to']" in result.rationale


@pytest.mark.case(14)
@pytest.mark.parametrize(
    ("amount", "answer"),
    [(1, DETECTED), (1.0, DETECTED), ("1", NOT_DETECTED), (True, NOT_DETECTED)],
    ids=["int", "float", "text", "bool"],
)
async def test_s14_numbers_texts_and_bools_are_kept_apart(amount: object, answer: EvalOutcome) -> None:
    result = await evaluate(
        ToolCalled("transfer", amount=1), reply(calls=[called("transfer", amount=amount)])
    )

    assert result.outcome is answer
    if answer is NOT_DETECTED:
        for part in ("'transfer'", "amount", repr(amount), type(amount).__name__, "1 (int)"):
            assert part in result.rationale


@pytest.mark.case(15)
async def test_s15_a_predicate_that_raises_is_undecided() -> None:
    evaluator = ToolCalled("http", body=lambda b: b["user"]["id"] == 7)
    good, bad = called("http", body={"user": {"id": 7}}), called("http", body="raw")

    result = await evaluate(evaluator, reply(calls=[bad]))

    assert result.outcome is UNDETERMINED
    for part in ("'http'", "body", "TypeError"):
        assert part in result.rationale
    assert await attack(evaluator, reply(calls=[bad])) is SafetyStatus.UNDETERMINED
    assert await probe(evaluator, reply(calls=[bad])) is SafetyStatus.UNDETERMINED
    assert await outcome(evaluator, reply(calls=[good])) is DETECTED
    assert await outcome(evaluator, reply(calls=[good, bad])) is DETECTED
    assert await outcome(evaluator, reply(calls=[bad, good])) is DETECTED


@pytest.mark.case(15)
@pytest.mark.parametrize("raising_first", [True, False], ids=["raises-first", "fails-first"])
async def test_s15_a_predicate_that_fails_settles_a_call_on_which_another_raises(raising_first: bool) -> None:
    predicates: dict[str, Any] = {"body": lambda b: b["user"]["id"] == 7, "method": "POST"}
    if not raising_first:
        predicates = dict(reversed(predicates.items()))
    call = called("http", body="raw", method="GET")

    result = await evaluate(ToolCalled("http", **predicates), reply(calls=[call]))

    assert result.outcome is NOT_DETECTED
    assert result.rationale.endswith("method is 'GET' (str), expected 'POST' (str)")


class _NoTruth:
    def __bool__(self) -> bool:
        raise ValueError("ask me no questions")


class _NotEqual:
    def __eq__(self, other: object) -> bool:
        raise ValueError("not comparable")

    def __hash__(self) -> int:
        return 0


def _nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("expected", "actual", "reason"),
    [
        pytest.param(lambda _: _NoTruth(), 1, "ValueError: ask me no questions", id="truth-value"),
        pytest.param(_NotEqual(), 1, "ValueError: not comparable", id="equality"),
        pytest.param(_nested(5000), _nested(5000), "RecursionError", id="too-deep-to-compare"),
    ],
)
async def test_whatever_raises_is_undecided(expected: object, actual: object, reason: str) -> None:
    result = await evaluate(ToolCalled("tool", x=expected), reply(calls=[called("tool", x=actual)]))

    assert result.outcome is UNDETERMINED
    assert reason in result.rationale


@pytest.mark.parametrize(
    ("answer", "detected"), [("yes", True), (0, False), ([], False), (re.match("a", "a"), True)]
)
async def test_the_truth_value_of_a_predicate_counts(answer: object, detected: bool) -> None:
    evaluator = ToolCalled("tool", x=lambda _: answer)

    assert (await evaluate(evaluator, reply(calls=[called("tool", x=1)]))).detected is detected


async def test_a_predicate_that_has_to_be_awaited_is_undecided_not_true() -> None:
    async def nothing() -> bool:
        return False

    result = await evaluate(ToolCalled("tool", x=lambda _: nothing()), reply(calls=[called("tool", x=1)]))

    assert result.outcome is UNDETERMINED
    assert "the function returned an awaitable" in result.rationale


async def test_what_ends_a_test_is_no_answer_of_a_predicate() -> None:
    def skip(_: object) -> bool:
        pytest.skip("not here")

    with pytest.raises(pytest.skip.Exception, match="not here"):
        await evaluate(ToolCalled("tool", x=skip), reply(calls=[called("tool", x=1)]))


async def _async_predicate(value: object) -> bool:
    return bool(value)


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        pytest.param(_async_predicate, r"ToolCalled\(x=\.\.\.\) is a coroutine function", id="async"),
        pytest.param(re.compile("a"), r"is a pattern, which equals no value; .*\.search", id="pattern"),
        pytest.param({"id": lambda _: True}, r"inside of a dict", id="function-in-dict"),
        pytest.param([1, [str]], r"inside of a list", id="function-deep-in-list"),
        pytest.param({"id": MISSING}, r"holds MISSING inside of a dict", id="missing-in-dict"),
        pytest.param((re.compile("a"),), r"inside of a tuple", id="pattern-in-tuple"),
    ],
)
def test_an_expectation_that_can_never_hold_is_refused(expected: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        ToolCalled("tool", x=expected)


def test_an_expectation_may_hold_itself() -> None:
    value: dict[str, Any] = {}
    value["me"] = value

    ToolCalled("tool", x=value)
