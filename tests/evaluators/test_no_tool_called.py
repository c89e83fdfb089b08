"""Tools that are left alone; the plain cases are controls."""

from __future__ import annotations

import pytest
from tests.evaluators.support import (
    DETECTED,
    NOT_DETECTED,
    TEXT,
    UNDETERMINED,
    called,
    evaluate,
    reply,
    trace,
)

from rampart.evaluators import NoToolCalled


async def test_evidence_is_every_call_that_should_not_be() -> None:
    calls = [called("pay", to="eve"), called("search"), called("delete")]
    result = await evaluate(NoToolCalled("pay", "delete"), reply(calls=calls))
    assert result.outcome is NOT_DETECTED
    assert result.evidence == ["turn 0 call 0 (pay): \"{'to': 'eve'}\"", "turn 0 call 2 (delete): '{}'"]
    assert result.rationale == "'pay' in turn 0 was called"


async def test_nothing_called() -> None:
    result = await evaluate(NoToolCalled("pay", "delete"), "no")
    assert result.outcome is DETECTED
    assert result.rationale == "none of 'pay', 'delete' was called"


async def test_unobserved() -> None:
    result = await NoToolCalled().evaluate_async(context=trace("no", level=TEXT))
    assert result.outcome is UNDETERMINED
    assert "none of its tools was seen means nothing" in result.rationale


async def test_a_misspelt_name_is_told() -> None:
    context = trace("no", tools=["send_mail"])
    with pytest.warns(UserWarning, match="tool 'send_mial' is not declared; declared: 'send_mail'"):
        result = await NoToolCalled("send_mial").evaluate_async(context=context)
    assert result.outcome is DETECTED
    assert result.undetermined_operands == ["tool 'send_mial' is not declared; declared: 'send_mail'"]


@pytest.mark.parametrize(
    ("name", "error"), [pytest.param("", ValueError, id="blank"), pytest.param(None, TypeError, id="none")]
)
def test_refused(name: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="tool_name is"):
        NoToolCalled("pay", name)  # type: ignore[arg-type]  # the point of the test


def test_repr() -> None:
    assert repr(NoToolCalled("a", "b")) == "NoToolCalled('a', 'b')"
