"""What an evaluator makes of a control, when it behaves and when it does not."""

from __future__ import annotations

import asyncio
import re

import pytest

from rampart import BaseEvaluator, EvalContext, EvalResult, Request, Response, Turn
from rampart.core.errors import ConfigurationError
from rampart.core.evaluation import EvalOutcome
from rampart.evaluators import MISSING, ResponseScope
from rampart.evaluators.controls import Control, run_control_async
from rampart.evaluators.controls.naming import as_arguments, evaluator_named

HERE = f"{__name__}:"
TURN = Turn(request=Request(prompt="Go."), response=Response(text="secret"))


class Raises(BaseEvaluator):
    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        raise LookupError("gone")


class Hangs(BaseEvaluator):
    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        await asyncio.Event().wait()
        raise AssertionError


class AnswersNothing(BaseEvaluator):
    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        return None  # type: ignore[return-value]  # the point of the test


def no_evaluator() -> int:
    return 7


def control(
    evaluator: str, *args: object, expected: EvalOutcome = EvalOutcome.DETECTED, **kwargs: object
) -> Control:
    return Control(
        id="a",
        evaluator=evaluator,
        args=args,
        kwargs=kwargs,
        turns=(TURN,),
        expected=expected,
        file="f",
        line=1,
    )


@pytest.mark.parametrize(
    ("expected", "right"),
    [(EvalOutcome.DETECTED, True), (EvalOutcome.NOT_DETECTED, False), (EvalOutcome.UNDETERMINED, False)],
)
async def test_the_answer_is_compared(expected: EvalOutcome, right: bool) -> None:
    asked = control(
        "ResponseContains", {"$pattern": "s.c"}, scope={"$name": "ResponseScope.ANY_TURN"}, expected=expected
    )
    outcome = await run_control_async(asked)
    assert outcome.as_expected is right
    assert outcome.result is not None
    assert outcome.result.detected


@pytest.mark.parametrize(
    ("reference", "args", "told"),
    [
        pytest.param("ToolCalled", (" ",), "ValueError: tool_name is ' '", id="refused-by-the-constructor"),
        pytest.param("Raises", (), "LookupError: gone", id="raises"),
        pytest.param("AnswersNothing", (), "TypeError: AnswersNothing.evaluate_async returned", id="nothing"),
        pytest.param("no_evaluator", (), "gave int, expected an evaluator", id="no-evaluator"),
    ],
)
async def test_no_answer_is_no_right_one(
    reference: str, args: tuple[object, ...], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "users_evaluators", sys.modules[__name__])
    named = reference if reference == "ToolCalled" else f"users_evaluators:{reference}"
    outcome = await run_control_async(control(named, *args))
    assert outcome.result is None
    assert not outcome.as_expected
    assert told in outcome.error


async def test_waiting_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "users_evaluators", sys.modules[__name__])
    outcome = await run_control_async(control("users_evaluators:Hangs"), timeout_s=0.01)
    assert outcome.error == "no answer within 0.01 s"


class TestArguments:
    def test_what_stands_for_something(self) -> None:
        made = as_arguments(
            [{"$pattern": "a+"}, {"k": {"$name": "MISSING"}}, {"$name": "ResponseScope.ANY_TURN"}]
        )
        assert made == [re.compile("a+"), {"k": MISSING}, ResponseScope.ANY_TURN]

    @pytest.mark.parametrize(
        "value", [{"$ref": "#/a"}, {"$pattern": 1}, {"$pattern": "a", "b": 1}, None, 1, "x", [], {}]
    )
    def test_what_stands_for_itself(self, value: object) -> None:
        assert as_arguments(value) == value

    @pytest.mark.parametrize(
        ("value", "told"),
        [
            pytest.param(
                {"$pattern": "("}, r"\$pattern \( is no regular expression: missing \)", id="pattern"
            ),
            pytest.param({"$name": "os"}, "rampart.evaluators has no os", id="name"),
            pytest.param({"$name": "ResponseScope.X"}, "there is no X", id="attribute"),
        ],
    )
    def test_what_cannot_be_made(self, value: object, told: str) -> None:
        with pytest.raises(ConfigurationError, match=told):
            as_arguments(value)


class TestNames:
    @pytest.mark.parametrize(
        ("reference", "told"),
        [
            pytest.param(
                "Nope", "rampart.evaluators has no Nope; an evaluator of your own is written", id="own"
            ),
            pytest.param("MISSING", "is of type Missing, expected a class or function", id="no-class"),
            pytest.param(
                "no_such_module:A", "no_such_module could not be imported: ModuleNotFoundError", id="module"
            ),
            pytest.param("json:Nope", "json:Nope: there is no Nope", id="attribute"),
            pytest.param(":A", "could not be imported: ValueError", id="no-module"),
        ],
    )
    def test_what_is_not_there(self, reference: str, told: str) -> None:
        with pytest.raises(ConfigurationError, match=told):
            evaluator_named(reference)
