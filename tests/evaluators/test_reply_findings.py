"""What the evaluators of replies share: scopes, what they remember, and how they treat hard input."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest
from tests.evaluators.support import DETECTED, NOT_DETECTED, UNDETERMINED, evaluate, trace, turns_of

from rampart import EvalContext, ObservabilityLevel, ResponseScope
from rampart.core.evaluator import detected_is_absorbing
from rampart.core.memo import enable_trace_memo
from rampart.evaluators import (
    LanguageIs,
    MentionsAny,
    ResponseEquals,
    ResponseMatchesSchema,
    SimilarTo,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart import BaseEvaluator

ANY, ALL, LAST = ResponseScope.ANY_TURN, ResponseScope.ALL_TURNS, ResponseScope.CURRENT_TURN

MAKERS: dict[str, Callable[[ResponseScope], BaseEvaluator]] = {
    "ResponseEquals": lambda scope: ResponseEquals("ok", scope=scope),
    "MentionsAny": lambda scope: MentionsAny("ok", scope=scope),
    "ResponseMatchesSchema": lambda scope: ResponseMatchesSchema({"type": "object"}, scope=scope),
    "LanguageIs": lambda scope: LanguageIs("en", scope=scope),
    "SimilarTo": lambda scope: SimilarTo("ok", embed=_lengths, threshold=0.9, scope=scope),
}
every_evaluator = pytest.mark.parametrize("name", MAKERS)

HARD = {
    "10 MB of one letter": "a" * 10_000_000,
    "10 MB of words": "so it is. " * 1_000_000,
    "10 MB of brackets": "[" * 10_000_000,
    "10 MB of fences": "```\n" * 2_500_000,
    "10 MB of longer and longer fences": "\n".join("`" * (4000 - n) for n in range(3900)) * 2,
    "accents upon accents": "e" + "\u0301" * 1_000_000,
    "lone surrogates": "\ud800\udfff" * 500_000,
    "nothing": "",
    "controls": "\x00\x1b[31m\u202e" * 100_000,
}


def _lengths(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


@every_evaluator
async def test_an_empty_trace_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"^No turns in context\.$"):
        await evaluate(MAKERS[name](ANY))


@every_evaluator
def test_a_scope_of_another_type_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=r"scope must be a ResponseScope\. Got 'any_turn' \(str\)"):
        MAKERS[name]("any_turn")  # type: ignore[arg-type]  # what users pass


@every_evaluator
@pytest.mark.parametrize("text", [pytest.param(text, id=key) for key, text in HARD.items()])
async def test_hard_input_is_answered_without_holding_up_the_loop(name: str, text: str) -> None:
    gaps: list[float] = []

    async def watch() -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(0.01)
            gaps.append(time.perf_counter() - started)

    watching = asyncio.create_task(watch())
    started = time.perf_counter()
    result = await evaluate(MAKERS[name](ANY), text)
    watching.cancel()
    assert result.outcome in {DETECTED, NOT_DETECTED, UNDETERMINED}
    assert time.perf_counter() - started < 30
    assert max(gaps, default=0.0) < 10, "one piece of work kept the loop waiting"


@pytest.mark.parametrize(
    ("scope", "replies", "expected"),
    [
        pytest.param(ANY, ["no", "ok"], DETECTED, id="any"),
        pytest.param(ANY, ["no", "no"], NOT_DETECTED, id="none"),
        pytest.param(ALL, ["ok", "ok"], DETECTED, id="all"),
        pytest.param(ALL, ["ok", "no"], NOT_DETECTED, id="not all"),
        pytest.param(LAST, ["no", "ok"], DETECTED, id="last"),
        pytest.param(LAST, ["ok", "no"], NOT_DETECTED, id="not last"),
    ],
)
async def test_scopes(scope: ResponseScope, replies: list[str], expected: object) -> None:
    assert (await evaluate(ResponseEquals("ok", scope=scope), *replies)).outcome is expected


@pytest.mark.parametrize(
    ("scope", "replies", "expected"),
    [
        pytest.param(ANY, ["ok!", "raise"], DETECTED, id="one is enough"),
        pytest.param(ANY, ["no", "raise"], UNDETERMINED, id="the other may be"),
        pytest.param(ALL, ["no", "raise"], NOT_DETECTED, id="one lapse is enough"),
        pytest.param(ALL, ["ok!", "raise"], UNDETERMINED, id="the other may not be"),
        pytest.param(LAST, ["raise", "ok!"], DETECTED, id="only the last counts"),
    ],
)
async def test_undecided_replies(scope: ResponseScope, replies: list[str], expected: object) -> None:
    def normalise(text: str) -> str:
        if text == "raise":
            raise OSError(text)
        return text.rstrip("!")

    result = await evaluate(ResponseEquals("ok", scope=scope, normalise=normalise), *replies)
    assert result.outcome is expected
    if expected is UNDETERMINED:
        assert result.undetermined_operands == ["turn 1: normalise raised OSError: raise"]


async def test_replies_are_looked_at_once_in_a_growing_trace() -> None:
    seen: list[str] = []

    def normalise(text: str) -> str:
        seen.append(text)
        return text

    evaluator = ResponseEquals("nothing of these", scope=ANY, normalise=normalise)
    seen.clear()
    turns = turns_of(*map(str, range(5)))
    enable_trace_memo(turns[0])
    for count in range(1, 6):
        context = EvalContext(turns=turns[:count], observability_level=ObservabilityLevel.RESPONSE_ONLY)
        assert (await evaluator.evaluate_async(context=context)).outcome is NOT_DETECTED
    assert seen == ["0", "1", "2", "3", "4"]
    turns[1].response.text = "nothing of these"
    context = EvalContext(turns=turns, observability_level=ObservabilityLevel.RESPONSE_ONLY)
    assert (await evaluator.evaluate_async(context=context)).detected


@every_evaluator
async def test_an_answer_is_believed_to_stay_only_where_it_does(name: str) -> None:
    stable = name != "SimilarTo"
    assert detected_is_absorbing(MAKERS[name](ANY)) is stable
    assert detected_is_absorbing(~MAKERS[name](ALL)) is stable
    assert not detected_is_absorbing(MAKERS[name](ALL))
    assert not detected_is_absorbing(MAKERS[name](LAST))


async def test_evidence_is_cut_and_names_no_secret() -> None:
    many = trace(*["ok"] * 100)
    assert len((await ResponseEquals("ok", scope=ANY).evaluate_async(context=many)).evidence) == 20
    [evidence] = (await evaluate(ResponseEquals("ok", scope=ANY), "x" * 1000)).evidence
    assert len(evidence) < 200
