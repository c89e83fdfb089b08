"""The laws of `|`, `&` and `~`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.stub_evaluators import CONTEXT, D, N, Stub, U, outcome

from rampart.core.evaluation import EvalOutcome, EvalResult

if TYPE_CHECKING:
    from rampart.core.evaluator import BaseEvaluator, Evaluator

PAIRS = list(itertools.product((D, N, U), repeat=2))
TRIPLES = list(itertools.product((D, N, U), repeat=3))


def conjunction(one: EvalOutcome, other: EvalOutcome) -> EvalOutcome:
    return N if N in (one, other) else U if U in (one, other) else D


def disjunction(one: EvalOutcome, other: EvalOutcome) -> EvalOutcome:
    return D if D in (one, other) else U if U in (one, other) else N


@pytest.mark.case(21)
@pytest.mark.parametrize(("one", "other"), PAIRS)
async def test_s21_the_tables(one: EvalOutcome, other: EvalOutcome) -> None:
    assert await outcome(Stub(one) & Stub(other)) is conjunction(one, other)
    assert await outcome(Stub(other) & Stub(one)) is conjunction(one, other)
    assert await outcome(Stub(one) | Stub(other)) is disjunction(one, other)
    assert await outcome(Stub(other) | Stub(one)) is disjunction(one, other)


@pytest.mark.case(21)
@pytest.mark.parametrize(("given", "inverted"), [(D, N), (N, D), (U, U)])
async def test_s21_inversion(given: EvalOutcome, inverted: EvalOutcome) -> None:
    assert await outcome(~Stub(given)) is inverted
    assert await outcome(~~Stub(given)) is given


@pytest.mark.case(21)
@pytest.mark.parametrize(("one", "other"), PAIRS)
async def test_s21_de_morgan(one: EvalOutcome, other: EvalOutcome) -> None:
    a, b = Stub(one), Stub(other)

    assert await outcome(~(a & b)) is await outcome(~a | ~b)
    assert await outcome(~(a | b)) is await outcome(~a & ~b)


@pytest.mark.case(21)
@pytest.mark.parametrize(("one", "two", "three"), TRIPLES)
async def test_s21_grouping_does_not_matter(one: EvalOutcome, two: EvalOutcome, three: EvalOutcome) -> None:
    a, b, c = Stub(one), Stub(two), Stub(three)

    assert await outcome((a & b) & c) is await outcome(a & (b & c))
    assert await outcome((a | b) | c) is await outcome(a | (b | c))


Tree = tuple[Any, ...] | EvalOutcome
TREES: st.SearchStrategy[Tree] = st.recursive(
    st.sampled_from([D, N, U]),
    lambda inner: st.tuples(st.sampled_from("&|"), inner, inner) | st.tuples(st.just("~"), inner),
    max_leaves=12,
)


def _built(tree: Tree) -> BaseEvaluator:
    match tree:
        case ("&", one, other):
            return _built(one) & _built(other)
        case ("|", one, other):
            return _built(one) | _built(other)
        case ("~", one):
            return ~_built(one)
    return Stub(tree)


def _expected(tree: Tree) -> EvalOutcome:
    match tree:
        case ("&", one, other):
            return conjunction(_expected(one), _expected(other))
        case ("|", one, other):
            return disjunction(_expected(one), _expected(other))
        case ("~", one):
            return {D: N, N: D, U: U}[_expected(one)]
    assert isinstance(tree, EvalOutcome)
    return tree


def _run(evaluator: Evaluator) -> EvalResult:
    step = evaluator.evaluate_async(context=CONTEXT)
    with pytest.raises(StopIteration) as done:
        step.send(None)
    answer = done.value.value
    assert isinstance(answer, EvalResult)
    return answer


@given(TREES)
def test_any_composition_follows_the_tables(tree: Tree) -> None:
    assert _run(_built(tree)).outcome is _expected(tree)


@given(TREES)
def test_an_undetermined_answer_says_why_and_only_reasons_of_open_operands_are_carried(tree: Tree) -> None:
    result = _run(_built(tree))

    assert set(result.undetermined_operands) <= {"an operand gave no reason"}
    if result.outcome is U and isinstance(tree, tuple) and tree[0] != "~":
        assert result.undetermined_operands


@given(TREES, TREES)
def test_the_laws_hold_for_compositions(one: Tree, other: Tree) -> None:
    def of(evaluator: Evaluator) -> EvalOutcome:
        return _run(evaluator).outcome

    a, b = _built(one), _built(other)
    assert of(a & b) is of(b & a)
    assert of(a | b) is of(b | a)
    assert of(a & a) is of(a | a) is of(~~a) is of(a)
    assert of(a | (a & b)) is of(a & (a | b)) is of(a)
    assert of(~(a & b)) is of(~a | ~b)
    assert of(~(a | b)) is of(~a & ~b)
