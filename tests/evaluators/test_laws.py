"""Laws that hold for every evaluator, tried on the evaluators and conversations of all controls."""

from __future__ import annotations

import asyncio
import time
import warnings
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator, detected_is_absorbing
from rampart.core.types import Request, Response, Turn
from rampart.evaluators.controls import Control, shipped_controls
from rampart.evaluators.controls.control_run import make_evaluator
from rampart.text.fold import fold

SLOW_S = 0.3
EXAMPLES = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
CONTROLS = shipped_controls()
NAMES = list(CONTROLS)
ALL = [control for controls in CONTROLS.values() for control in controls]
TURNS = [control for control in ALL if control.turns]


def answer(evaluator: BaseEvaluator, context: EvalContext) -> EvalResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of tools that a manifest does not declare
        return asyncio.run(evaluator.evaluate_async(context=context))


def outcome(evaluator: BaseEvaluator, context: EvalContext) -> EvalOutcome:
    return answer(evaluator, context).outcome


class Sample(NamedTuple):
    """An evaluator made anew, and what it is called."""

    control: Control

    def make(self) -> BaseEvaluator:
        evaluator = make_evaluator(self.control)
        assert isinstance(evaluator, BaseEvaluator)
        return evaluator

    def __repr__(self) -> str:
        return f"<{self.control.place}: {self.control.id}>"


@cache
def is_quick(control_place: str) -> bool:
    """Whether an evaluator answers at once: one that runs into its limit is not asked a hundred times."""
    control = next(one for one in ALL if one.place == control_place)
    if "out of time" in control.id:
        return False
    if not control.turns:
        return True
    evaluator = Sample(control).make()
    answer(evaluator, control.context())
    started = time.perf_counter()
    answer(evaluator, control.context())
    return time.perf_counter() - started < SLOW_S


def quick(control: Control) -> bool:
    return is_quick(control.place)


def samples(name: str) -> st.SearchStrategy[Sample]:
    return st.sampled_from(CONTROLS[name]).filter(quick).map(Sample)


def others() -> st.SearchStrategy[Sample]:
    return st.sampled_from(ALL).filter(quick).map(Sample)


def contexts(name: str) -> st.SearchStrategy[EvalContext]:
    """Conversations of an evaluator's own controls, and of any others."""
    own = [control for control in CONTROLS[name] if control.turns and quick(control)]
    anything = st.sampled_from(TURNS).filter(quick)
    return (st.sampled_from(own) | anything).map(lambda control: control.context())


def appended(context: EvalContext, turns: tuple[Turn, ...]) -> EvalContext:
    later = [replace(turn, turn_number=number) for number, turn in enumerate(turns, start=len(context.turns))]
    return replace(context, turns=[*context.turns, *later])


@pytest.mark.parametrize("name", NAMES)
class TestComposition:
    @EXAMPLES
    @given(data=st.data())
    def test_negating_twice_changes_nothing(self, name: str, data: st.DataObject) -> None:
        one, context = data.draw(samples(name)), data.draw(contexts(name))
        assert outcome(~~one.make(), context) is outcome(one.make(), context)

    @EXAMPLES
    @given(data=st.data())
    def test_idempotence(self, name: str, data: st.DataObject) -> None:
        one, context = data.draw(samples(name)), data.draw(contexts(name))
        evaluator = one.make()
        alone = outcome(evaluator, context)
        assert outcome(evaluator & evaluator, context) is alone
        assert outcome(evaluator | evaluator, context) is alone

    @EXAMPLES
    @given(data=st.data())
    def test_the_order_of_operands_does_not_matter(self, name: str, data: st.DataObject) -> None:
        one, other, context = data.draw(samples(name)), data.draw(others()), data.draw(contexts(name))
        a, b = one.make(), other.make()
        assert outcome(a & b, context) is outcome(b & a, context)
        assert outcome(a | b, context) is outcome(b | a, context)

    @EXAMPLES
    @given(data=st.data())
    def test_de_morgan(self, name: str, data: st.DataObject) -> None:
        one, other, context = data.draw(samples(name)), data.draw(others()), data.draw(contexts(name))
        a, b = one.make(), other.make()
        assert outcome(~(a & b), context) is outcome(~a | ~b, context)
        assert outcome(~(a | b), context) is outcome(~a & ~b, context)

    @EXAMPLES
    @given(data=st.data())
    def test_grouping_and_absorption(self, name: str, data: st.DataObject) -> None:
        one, other, context = data.draw(samples(name)), data.draw(others()), data.draw(contexts(name))
        third = data.draw(others())
        a, b, c = one.make(), other.make(), third.make()
        assert outcome((a & b) & c, context) is outcome(a & (b & c), context)
        assert outcome((a | b) | c, context) is outcome(a | (b | c), context)
        assert outcome(a & (b | c), context) is outcome((a & b) | (a & c), context)
        assert outcome(a | (a & b), context) is outcome(a, context)
        assert outcome(a & (a | b), context) is outcome(a, context)


@pytest.mark.parametrize("name", NAMES)
class TestAnswers:
    @EXAMPLES
    @given(data=st.data())
    def test_do_not_depend_on_what_was_asked_before(self, name: str, data: st.DataObject) -> None:
        one = data.draw(samples(name))
        first, second = data.draw(contexts(name)), data.draw(contexts(name))
        used = one.make()
        once = answer(used, first)
        answer(used, second)
        assert answer(used, first) == once == answer(one.make(), first)
        assert answer(used, second) == answer(one.make(), second)

    @EXAMPLES
    @given(data=st.data())
    def test_leave_the_conversation_as_it_is(self, name: str, data: st.DataObject) -> None:
        one, context = data.draw(samples(name)), data.draw(contexts(name))
        before = repr(context)
        answer(one.make(), context)
        assert repr(context) == before


UNRELATED = Turn(request=Request(prompt="How are you?"), response=Response(text="Fine, it is raining."))


@pytest.mark.parametrize("control", TURNS, ids=lambda control: f"{control.file}-{control.id}")
def test_answers_stay_where_they_are_said_to(control: Control) -> None:
    """Whatever turns of other controls of the same evaluator follow."""
    if not quick(control):
        return
    evaluator = Sample(control).make()
    before = outcome(evaluator, control.context())
    stays = {
        EvalOutcome.DETECTED: evaluator.persistence[0],
        EvalOutcome.NOT_DETECTED: evaluator.persistence[1],
    }
    assert detected_is_absorbing(evaluator) is evaluator.persistence[0]
    assert detected_is_absorbing(~evaluator) is evaluator.persistence[1]
    if not stays.get(before):
        return
    alike = [one.turns for one in TURNS if one.file == control.file and quick(one)]
    for more in [(UNRELATED,), *alike]:
        assert outcome(evaluator, appended(control.context(), more)) is before


class TestFolding:
    @given(text=st.text(), case_sensitive=st.booleans(), confusables=st.booleans())
    def test_folding_twice_changes_nothing(self, text: str, case_sensitive: bool, confusables: bool) -> None:
        folded = fold(text, case_sensitive=case_sensitive, confusables=confusables)
        assert fold(folded, case_sensitive=case_sensitive, confusables=confusables) == folded

    @pytest.mark.parametrize("control", TURNS, ids=lambda control: control.place)
    def test_folding_replies_twice_changes_nothing(self, control: Control) -> None:
        for turn in control.turns:
            folded = fold(turn.response.text)
            assert fold(folded) == folded
