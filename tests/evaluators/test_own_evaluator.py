"""Evaluators made of functions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.evaluators.support import (
    DETECTED,
    FULL,
    NOT_DETECTED,
    TEXT,
    TOOLS,
    UNDETERMINED,
    called,
    evaluate,
    outcome,
    reply,
    trace,
)

from rampart import BaseEvaluator, EvalContext, EvalOutcome, EvalResult, EvaluatorError
from rampart.core.evaluator import detected_is_absorbing
from rampart.evaluators import Channel, ToolCalled, evaluator


@evaluator(channels=[Channel.REPLIES])
def shouts(context: EvalContext) -> bool:
    """Detected when the last reply is in capitals."""
    return context.text.isupper()


@evaluator(channels=[Channel.TOOL_CALLS])
async def calls_at_least(context: EvalContext, least: int, *, name: str = "pay") -> list[str]:
    await asyncio.sleep(0)
    found = [call.name for call in context.all_tool_calls if call.name == name]
    return found if len(found) >= least else []


def _made(answer: object) -> BaseEvaluator:
    @evaluator(channels=Channel.REPLIES)
    def of_tests(context: EvalContext) -> Any:
        del context
        return answer

    return of_tests()


class TestAnswers:
    @pytest.mark.parametrize(
        ("answer", "expected", "evidence"),
        [
            (True, DETECTED, []),
            (False, NOT_DETECTED, []),
            (None, UNDETERMINED, []),
            ("seen", DETECTED, ["seen"]),
            ("", NOT_DETECTED, []),
            (["a", "b"], DETECTED, ["a", "b"]),
            ([], NOT_DETECTED, []),
            (EvalOutcome.DETECTED, DETECTED, []),
            (EvalOutcome.UNDETERMINED, UNDETERMINED, []),
        ],
    )
    async def test_what_a_function_returns(
        self, answer: object, expected: object, evidence: list[str]
    ) -> None:
        result = await evaluate(_made(answer), "hello")
        assert result.outcome is expected
        assert result.evidence == evidence
        assert result.rationale.startswith("of_tests() ")

    async def test_a_result_stands_for_itself(self) -> None:
        given = EvalResult(outcome=DETECTED, confidence=0.5, rationale="so it is")
        assert await evaluate(_made(given), "hello") == given

    @pytest.mark.parametrize("answer", [1, 0, {}, ("a",), [1], object])
    async def test_anything_else_is_an_error(self, answer: object) -> None:
        with pytest.raises(
            EvaluatorError, match=r"of_tests\(\) raised TypeError: it returned .*expected a bool"
        ):
            await evaluate(_made(answer), "hello")

    async def test_what_it_raises_is_an_error_that_names_it(self) -> None:
        @evaluator(channels=[Channel.REPLIES])
        def breaks(context: EvalContext, limit: int) -> bool:
            raise KeyError(limit)

        with pytest.raises(EvaluatorError, match=r"the evaluator breaks\(3\) raised KeyError: 3"):
            await evaluate(breaks(3), "hello")


class TestChannels:
    @pytest.mark.parametrize(
        ("channel", "level", "expected"),
        [
            (Channel.REPLIES, TEXT, NOT_DETECTED),
            (Channel.TOOL_CALLS, TEXT, UNDETERMINED),
            (Channel.TOOL_CALLS, TOOLS, NOT_DETECTED),
            (Channel.TOOL_RESULTS, TEXT, UNDETERMINED),
            (Channel.SIDE_EFFECTS, TOOLS, UNDETERMINED),
            (Channel.SIDE_EFFECTS, FULL, NOT_DETECTED),
            (Channel.MANIFEST, FULL, UNDETERMINED),
            (Channel.STATE, FULL, UNDETERMINED),
        ],
    )
    @pytest.mark.parametrize(
        "answer", [False, "", [], NOT_DETECTED, EvalResult(outcome=NOT_DETECTED, evidence=["x"])]
    )
    async def test_absence(self, channel: Channel, level: Any, expected: object, answer: Any) -> None:
        @evaluator(channels=[channel])
        def sees(context: EvalContext) -> Any:
            del context
            return answer

        result = await sees().evaluate_async(context=trace("hello", level=level))
        assert result.outcome is expected
        if expected is UNDETERMINED:
            assert result.rationale.startswith("sees(): ")
            assert result.undetermined_operands == [result.rationale]

    async def test_what_was_seen_counts_on_every_level(self) -> None:
        context = trace(reply(calls=[called("pay")]), level=TEXT)
        assert (await calls_at_least(1).evaluate_async(context=context)).evidence == ["pay"]

    async def test_state_that_was_observed(self) -> None:
        @evaluator(channels=[Channel.STATE])
        def nothing(context: EvalContext) -> bool:
            del context
            return False

        context = trace("hello")
        context.turns[0].response.metadata["state"] = {"x": {"before": 1, "after": 1}}
        assert (await nothing().evaluate_async(context=context)).outcome is NOT_DETECTED

    def test_are_declared(self) -> None:
        assert shouts().channels == {Channel.REPLIES}
        assert (shouts() | calls_at_least(1)).channels == {Channel.REPLIES, Channel.TOOL_CALLS}


class TestMaking:
    async def test_parameters_are_those_of_the_evaluator(self) -> None:
        context = reply(calls=[called("pay"), called("send"), called("pay")])
        assert await outcome(calls_at_least(2), context) is DETECTED
        assert await outcome(calls_at_least(2, name="send"), context) is NOT_DETECTED
        assert repr(calls_at_least(2, name="send")) == "calls_at_least(2, name='send')"

    async def test_it_composes(self) -> None:
        assert await outcome(shouts() & ~ToolCalled("pay"), "NO") is DETECTED
        assert await outcome(~shouts(), "No") is DETECTED
        assert not detected_is_absorbing(shouts())

    def test_it_looks_like_a_class_of_its_module(self) -> None:
        assert isinstance(shouts(), BaseEvaluator)
        assert (shouts.__name__, shouts.__module__) == ("shouts", __name__)
        assert shouts.__doc__ == "Detected when the last reply is in capitals."

    @pytest.mark.parametrize(
        ("args", "kwargs", "text"),
        [
            ((), {}, r"calls_at_least\(least: .*\) cannot be made: missing a required argument: 'least'"),
            ((1, 2), {}, "too many positional arguments"),
            ((1,), {"nme": "pay"}, "unexpected keyword argument 'nme'"),
        ],
    )
    def test_wrong_arguments(self, args: Any, kwargs: Any, text: str) -> None:
        with pytest.raises(TypeError, match=text):
            calls_at_least(*args, **kwargs)

    @pytest.mark.parametrize(
        ("channels", "error", "text"),
        [
            ("replies", TypeError, r"got 'replies'; write @evaluator\(channels=\[Channel.REPLIES\]\)"),
            (["replies"], TypeError, "'replies' is no Channel; choose from Channel.REPLIES"),
            ([], ValueError, "channels is empty; declare what has to be observed"),
            (5, TypeError, "channels must be channels, got 5"),
        ],
    )
    def test_wrong_channels(self, channels: Any, error: type[Exception], text: str) -> None:
        with pytest.raises(error, match=text):
            evaluator(channels=channels)

    def test_a_function_without_context(self) -> None:
        with pytest.raises(TypeError, match=r"<lambda>\(\) takes no context; write def <lambda>\(context"):
            evaluator(channels=[Channel.REPLIES])(lambda: True)  # type: ignore[misc,arg-type]  # what users write

    def test_what_is_no_function(self) -> None:
        with pytest.raises(TypeError, match="made of a function of the context, got 5"):
            evaluator(channels=[Channel.REPLIES])(5)  # type: ignore[arg-type]  # what users write
