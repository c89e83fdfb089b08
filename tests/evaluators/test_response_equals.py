"""Replies that are one text; the rest is in the controls."""

from __future__ import annotations

from typing import Any

import pytest
from tests.evaluators.support import DETECTED, NOT_DETECTED, evaluate, outcome

from rampart import ResponseScope
from rampart.evaluators import ResponseEquals

ANY = ResponseScope.ANY_TURN


async def test_evidence_says_what_was_there_and_what_was_expected() -> None:
    result = await evaluate(ResponseEquals("Paris", scope=ANY), "London")
    assert result.evidence == ["turn 0 reply[0:6]: 'London', expected 'Paris'"]
    assert result.rationale == "no reply is the expected text"


async def test_a_function_is_applied_to_both() -> None:
    digits = ResponseEquals("1,000", scope=ANY, normalise=lambda text: "".join(filter(str.isdigit, text)))
    assert await outcome(digits, "It is 1000.") is DETECTED
    assert await outcome(digits, "It is 100.") is NOT_DETECTED


async def _slow(text: str) -> str:
    return text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        pytest.param({"expected": 5}, r"expected must be a str, got 5 \(int\)", id="number"),
        pytest.param({"normalise": 1}, "must be True, False or a function of the text", id="one"),
        pytest.param({"normalise": _slow}, "normalise is a coroutine function", id="async"),
        pytest.param({"normalise": len}, r"normalise returned 2 \(int\), expected a str", id="no text"),
        pytest.param(
            {"normalise": False, "case_sensitive": True}, "case_sensitive=True is about folding", id="case"
        ),
    ],
)
def test_refusals(arguments: dict[str, Any], text: str) -> None:
    expected = arguments.pop("expected", "ok")
    with pytest.raises(TypeError, match=text):
        ResponseEquals(expected, scope=ANY, **arguments)


def test_repr() -> None:
    assert repr(ResponseEquals("ok", scope=ANY)) == "ResponseEquals('ok', scope=ResponseScope.ANY_TURN)"
