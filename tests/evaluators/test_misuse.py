"""What a call that cannot be meant says to whoever wrote it."""

from __future__ import annotations

import copy
import inspect
import re
from typing import Any

import pytest
from tests.evaluators.support import TEXT, trace

from rampart.evaluators import SideEffectOccurred, ToolCalled, ToolExecuted

misused: Any = ToolCalled
KINDS: list[Any] = [ToolCalled, ToolExecuted, SideEffectOccurred]


@pytest.mark.parametrize("kind", KINDS)
def test_expectations_in_a_dict(kind: Any) -> None:
    text = f"{kind.__name__}('refund', amount=5, to='a')"
    with pytest.raises(TypeError, match=re.escape(text)):
        kind("refund", {"amount": 5, "to": "a"})


@pytest.mark.parametrize(
    ("kind", "args", "text"),
    [
        pytest.param(
            ToolCalled,
            ("refund", 5),
            "ToolCalled got 5 without a keyword; what each argument has to be is given by its name: "
            "ToolCalled('refund', <argument>=<value>)",
            id="a-value",
        ),
        pytest.param(
            ToolCalled,
            ("refund", {"not a name": 5}),
            "ToolCalled('refund', <argument>=<value>)",
            id="no-name",
        ),
        pytest.param(ToolExecuted, ("a", "b", "c"), "ToolExecuted('a', <argument>=<value>)", id="three"),
        pytest.param(
            SideEffectOccurred, ("http", "url"), "SideEffectOccurred('http', <detail>=<value>)", id="detail"
        ),
    ],
)
def test_expectations_without_a_name(kind: Any, args: tuple[Any, ...], text: str) -> None:
    with pytest.raises(TypeError, match=re.escape(text)):
        kind(*args)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {"tool_name": "refund"},
            "got tool_name= but no name; the name comes first, without a keyword: ToolCalled('refund')",
        ),
        (
            {"amount": 5},
            "got amount= but no name; the name comes first, without a keyword: ToolCalled(<name>, amount=5)",
        ),
    ],
    ids=["a-keyword-for-the-name", "no-name-at-all"],
)
def test_the_name_comes_first(given: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=re.escape(text)):
        misused(**given)


def test_any_keyword_may_be_an_argument_of_the_tool() -> None:
    assert repr(ToolCalled("f", tool_name=1, self=2, cls=3)) == "ToolCalled('f', tool_name=1, self=2, cls=3)"


def test_a_subclass_may_take_what_it_likes() -> None:
    class Paid(ToolCalled):
        def __init__(self, amount: int, currency: str = "EUR") -> None:
            super().__init__("pay", amount=amount, currency=currency)

    assert repr(Paid(5, "NOK")) == "Paid('pay', amount=5, currency='NOK')"
    assert repr(Paid(amount=5)) == "Paid('pay', amount=5, currency='EUR')"


@pytest.mark.parametrize("kind", KINDS)
def test_signature_and_copies_are_what_they_were(kind: Any) -> None:
    first, rest = inspect.signature(kind).parameters.values()
    assert (first.kind, rest.kind) == (first.POSITIONAL_ONLY, rest.VAR_KEYWORD)
    assert repr(copy.copy(kind("f", a=1))) == repr(kind("f", a=1))


@pytest.mark.parametrize(
    ("evaluator", "cure"),
    [
        (ToolCalled("pay"), "record the agent's tools with record_tools, or declare tool_only"),
        (ToolExecuted("pay"), "record the agent's tools with record_tools, or declare tool_only"),
        (SideEffectOccurred("pay"), "in Response.side_effects and declare tool_and_side_effects"),
    ],
    ids=["called", "executed", "side-effect"],
)
async def test_a_channel_that_is_not_reported_comes_with_its_cure(evaluator: Any, cure: str) -> None:
    unseen = await evaluator.evaluate_async(context=trace("hi", level=TEXT))
    assert cure in unseen.rationale
    assert "'pay' was seen" in unseen.rationale
    seen = await evaluator.evaluate_async(context=trace("hi"))
    assert cure not in seen.rationale
