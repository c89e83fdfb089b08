"""Evaluators declare what they need to observe, alone and composed."""

from __future__ import annotations

import pytest

from rampart import BaseEvaluator, EvalContext, EvalOutcome, EvalResult, ResponseScope
from rampart.core.channel import Channel
from rampart.core.evaluator import channels_of
from rampart.evaluators import ResponseContains, SideEffectOccurred, ToolCalled, ToolExecuted

_REPLY = ResponseContains("x", scope=ResponseScope.ANY_TURN)


class _OfAUser(BaseEvaluator):
    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        return EvalResult(outcome=EvalOutcome.DETECTED)


@pytest.mark.parametrize(
    ("evaluator", "channels"),
    [
        pytest.param(_REPLY, {Channel.REPLIES}, id="reply"),
        pytest.param(ToolCalled("a"), {Channel.TOOL_CALLS}, id="call"),
        pytest.param(ToolExecuted("a"), {Channel.TOOL_CALLS, Channel.TOOL_RESULTS}, id="execution"),
        pytest.param(SideEffectOccurred("a"), {Channel.SIDE_EFFECTS}, id="side-effect"),
        pytest.param(~ToolCalled("a"), {Channel.TOOL_CALLS}, id="negated"),
        pytest.param(_REPLY | ToolCalled("a"), {Channel.REPLIES, Channel.TOOL_CALLS}, id="or"),
        pytest.param(_REPLY & _OfAUser(), {Channel.REPLIES}, id="with one that declares nothing"),
        pytest.param(_OfAUser(), set(), id="undeclared"),
    ],
)
def test_declared(evaluator: BaseEvaluator, channels: set[Channel]) -> None:
    assert evaluator.channels == channels
    assert channels_of(evaluator) == channels
