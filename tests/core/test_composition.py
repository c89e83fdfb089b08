"""What compositions of evaluators say, and what they may be made of."""

from __future__ import annotations

import copy
import math
import re
from typing import Any

import pytest
from tests.core.stub_evaluators import D, N, Structural, Stub, U, ask, outcome

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator, Evaluator, checked_evaluation

LEFT: dict[str, Any] = {"confidence": 0.8, "evidence": ["l"], "rationale": "left"}
RIGHT: dict[str, Any] = {"confidence": 0.6, "evidence": ["r"], "rationale": "right"}


def left(outcome: EvalOutcome, **fields: Any) -> Stub:
    return Stub(EvalResult(outcome=outcome, **copy.deepcopy(LEFT) | fields))


def right(outcome: EvalOutcome, **fields: Any) -> Stub:
    return Stub(EvalResult(outcome=outcome, **copy.deepcopy(RIGHT) | fields))


@pytest.mark.parametrize(
    ("one", "other", "compose", "says"),
    [
        pytest.param(D, N, "|", (["l"], "left", 0.8), id="or-left"),
        pytest.param(N, D, "|", (["r"], "right", 0.6), id="or-right"),
        pytest.param(U, D, "|", (["r"], "right", 0.6), id="or-right-after-open-left"),
        pytest.param(N, N, "|", ([], "neither operand detected", 0.6), id="or-neither"),
        pytest.param(U, N, "|", (["l", "r"], "left undetermined: left", 0.8), id="or-left-open"),
        pytest.param(N, U, "|", (["l", "r"], "right undetermined: right", 0.6), id="or-right-open"),
        pytest.param(U, U, "|", (["l", "r"], "left undetermined: left", 0.6), id="or-both-open"),
        pytest.param(N, D, "&", ([], "left not detected: left", 0.8), id="and-left"),
        pytest.param(D, N, "&", ([], "right not detected: right", 0.6), id="and-right"),
        pytest.param(U, N, "&", ([], "right not detected: right", 0.6), id="and-right-after-open-left"),
        pytest.param(D, D, "&", (["l", "r"], "(left) AND (right)", 0.6), id="and-both"),
        pytest.param(U, D, "&", (["l", "r"], "left undetermined: left", 0.8), id="and-left-open"),
        pytest.param(D, U, "&", (["l", "r"], "right undetermined: right", 0.6), id="and-right-open"),
        pytest.param(U, U, "&", (["l", "r"], "left undetermined: left", 0.6), id="and-both-open"),
    ],
)
async def test_what_a_composition_of_two_says(
    one: EvalOutcome, other: EvalOutcome, compose: str, says: tuple[list[str], str, float]
) -> None:
    a, b = left(one), right(other)

    result = await ask(a | b if compose == "|" else a & b)

    assert (result.evidence, result.rationale, result.confidence) == says


@pytest.mark.parametrize("given", [D, N])
async def test_what_a_settled_inversion_says(given: EvalOutcome) -> None:
    result = await ask(~left(given))

    assert (result.evidence, result.rationale, result.confidence) == (["l"], "left (negated)", 0.8)


async def test_an_undetermined_inversion_is_the_inner_answer_itself() -> None:
    inner = left(U)

    assert await ask(~inner) is inner.answer


@pytest.mark.parametrize(
    ("one", "other", "compose"),
    [(D, N, "|"), (N, D, "|"), (U, U, "|"), (D, D, "&"), (U, D, "&"), (D, U, "&"), (D, D, "~"), (N, N, "~")],
)
async def test_evidence_lists_are_copied(one: EvalOutcome, other: EvalOutcome, compose: str) -> None:
    a, b = left(one), right(other)
    result = await ask(~a if compose == "~" else a | b if compose == "|" else a & b)

    result.evidence.append("mine")

    assert isinstance(a.answer, EvalResult)
    assert isinstance(b.answer, EvalResult)
    assert (a.answer.evidence, b.answer.evidence) == (["l"], ["r"])


@pytest.mark.parametrize(
    ("one", "compose", "asked"),
    [(D, "|", 0), (N, "|", 1), (U, "|", 1), (D, "&", 1), (N, "&", 0), (U, "&", 1)],
)
async def test_the_right_operand_is_skipped_only_where_the_left_decides(
    one: EvalOutcome, compose: str, asked: int
) -> None:
    other = Stub(D)
    await ask(Stub(one) | other if compose == "|" else Stub(one) & other)

    assert other.calls == asked


@pytest.mark.parametrize("compose", ["|", "&"])
async def test_an_operand_that_raises_ends_the_composition(compose: str) -> None:
    boom = Stub(RuntimeError("judge down"))
    settles, opens = (D, N) if compose == "|" else (N, D)

    def composed(a: BaseEvaluator, b: BaseEvaluator) -> BaseEvaluator:
        return a | b if compose == "|" else a & b

    for evaluator in (composed(boom, Stub(settles)), composed(Stub(opens), boom), composed(Stub(U), boom)):
        with pytest.raises(RuntimeError, match="judge down"):
            await ask(evaluator)
    assert await outcome(composed(Stub(settles), boom)) is settles


@pytest.mark.parametrize(
    "confidence",
    [math.nan, math.inf, -math.inf, "0.9", None, True, 10**400],
    ids=["nan", "inf", "minus-inf", "text", "none", "bool", "huge-int"],
)
async def test_a_confidence_that_is_no_finite_number_counts_as_none(confidence: Any) -> None:
    odd = left(D, confidence=confidence)

    for evaluator in (odd | Stub(N), Stub(N) | odd, odd & Stub(D), ~odd):
        assert (await ask(evaluator)).confidence == 0.0
    assert (await ask(left(U, confidence=confidence) | right(U))).confidence == 0.0


async def test_a_confidence_outside_of_its_usual_range_is_kept() -> None:
    assert (await ask(left(D, confidence=7) | Stub(N))).confidence == 7


@pytest.mark.parametrize(
    ("one", "other", "compose", "reasons"),
    [
        pytest.param(
            {"outcome": U, "rationale": " no sight "}, {"outcome": N}, "|", ["no sight"], id="rationale"
        ),
        pytest.param(
            {"outcome": U, "rationale": " "}, {"outcome": N}, "|", ["an operand gave no reason"], id="none"
        ),
        pytest.param(
            {"outcome": U, "rationale": "r", "undetermined_operands": [" a ", "", " ", "b", "a"]},
            {"outcome": U, "rationale": "r"},
            "&",
            ["a", "b", "r"],
            id="own-reasons-stripped-and-distinct",
        ),
        pytest.param(
            {"outcome": U, "rationale": "left"},
            {"outcome": U, "undetermined_operands": ["left", "c"]},
            "|",
            ["left", "c"],
            id="distinct-over-both",
        ),
        pytest.param(
            {"outcome": N, "undetermined_operands": ["a"]},
            {"outcome": N, "undetermined_operands": ["b"]},
            "|",
            ["a", "b"],
            id="settled-operands-pass-theirs-on",
        ),
        pytest.param(
            {"outcome": U, "rationale": "a"}, {"outcome": D}, "|", ["a"], id="kept-where-the-other-settles-it"
        ),
        pytest.param(
            {"outcome": D, "undetermined_operands": ["a"]},
            {"outcome": U, "rationale": "b"},
            "|",
            ["a"],
            id="skipped-operands-give-nothing",
        ),
        pytest.param({"outcome": D, "rationale": "a"}, {"outcome": D}, "&", [], id="settled-without-reasons"),
    ],
)
async def test_reasons_are_carried_up(
    one: dict[str, Any], other: dict[str, Any], compose: str, reasons: list[str]
) -> None:
    a, b = Stub(EvalResult(**one)), Stub(EvalResult(**other))
    composed = a | b if compose == "|" else a & b

    assert (await ask(composed)).undetermined_operands == reasons
    if (await ask(composed)).outcome is not U:
        assert (await ask(~composed)).undetermined_operands == reasons


class Unprintable(str):
    """Text that cannot be rendered."""

    __slots__ = ()

    def __str__(self) -> str:
        raise RuntimeError("no")


async def test_text_of_operands_is_rendered_safely() -> None:
    odd = {"rationale": Unprintable("x"), "evidence": ["fine", Unprintable("y")]}
    for evaluator in (left(D, **odd) & right(D), ~left(D, **odd), left(U, **odd) | right(N)):
        result = await ask(evaluator)

        assert "<unprintable value>" in result.rationale
        assert result.evidence[:2] == ["fine", "<unprintable value>"]
        assert {type(item) for item in result.evidence} == {str}


async def test_evidence_that_is_no_list_does_no_harm() -> None:
    assert (await ask(left(D, evidence=None) & right(D, evidence="one"))).evidence == ["one"]


async def test_the_right_operand_may_be_anything_that_evaluates() -> None:
    assert isinstance(Structural(), Evaluator)
    assert (await ask(Stub(N) | Structural())).rationale == "structural"
    assert await outcome(Stub(D) & Structural()) is D
    assert isinstance(Stub(N) | Structural(), BaseEvaluator)


@pytest.mark.parametrize("other", ["text", None, 1, Structural, Stub], ids=repr)
def test_anything_else_cannot_be_composed(other: Any) -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        Stub(D) | other
    with pytest.raises(TypeError, match="unsupported operand"):
        Stub(D) & other


def test_an_evaluator_without_its_method_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="evaluate_async"):
        BaseEvaluator()  # type: ignore[abstract]  # the refusal is what is tested


@pytest.mark.parametrize("answer", [None, "detected", True, D.value])
async def test_an_operand_that_answers_something_else_is_named(answer: object) -> None:
    expected = re.escape(f"Stub.evaluate_async returned {type(answer).__name__}, expected an EvalResult")
    for evaluator in (Stub(answer) | Stub(N), Stub(N) | Stub(answer), ~Stub(answer)):
        with pytest.raises(TypeError, match=expected):
            await ask(evaluator)


async def test_an_outcome_that_is_none_is_refused() -> None:
    odd = EvalResult(outcome="detected")  # type: ignore[arg-type]  # the refusal is what is tested

    with pytest.raises(ValueError, match=r"^Unknown EvalOutcome: detected$"):
        await ask(~Stub(odd))
    with pytest.raises(ValueError, match=r"^Unknown EvalOutcome: detected$"):
        checked_evaluation(odd, evaluator=Stub(odd))


@pytest.mark.parametrize("compose", ["|", "&"])
async def test_hundreds_of_operands_may_be_composed(compose: str) -> None:
    passes = N if compose == "|" else D
    operands = [Stub(passes) for _ in range(3000)] + [Stub(U)]
    composed: BaseEvaluator = operands[0]
    for operand in operands[1:]:
        composed = composed | operand if compose == "|" else composed & operand

    assert await outcome(composed) is U
    assert [operand.calls for operand in operands] == [1] * 3001


@pytest.mark.parametrize("word", ["and", "or", "not"])
def test_words_in_place_of_operators_are_refused(word: str) -> None:
    a: Any = left(D)
    b: Any = right(N)
    with pytest.raises(TypeError, match=r"evaluators compose with & \| ~, not with `and`, `or` and `not`"):
        _ = (a and b) if word == "and" else (a or b) if word == "or" else not a
