"""Which detections are sure to persist as turns are appended."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.stub_evaluators import Structural

from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator, detected_is_absorbing
from rampart.evaluators import ResponseContains, ResponseScope, SideEffectOccurred, ToolCalled, ToolExecuted


class UsersEvaluator(BaseEvaluator):
    """One that claims what only rampart's own are believed."""

    persistence = (True, True)

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        return EvalResult(outcome=EvalOutcome.DETECTED)


class OwnEvaluator(ToolCalled):
    """A user's subclass."""


ANY = ResponseContains("x", scope=ResponseScope.ANY_TURN)
ALL = ResponseContains("x", scope=ResponseScope.ALL_TURNS)
CURRENT = ResponseContains("x", scope=ResponseScope.CURRENT_TURN)
TOOL = ToolCalled("x")


@pytest.mark.parametrize(
    ("evaluator", "detected", "inverse"),
    [
        pytest.param(TOOL, True, False, id="tool-called"),
        pytest.param(ToolExecuted("x"), True, False, id="tool-executed"),
        pytest.param(SideEffectOccurred("x"), True, False, id="side-effect"),
        pytest.param(ANY, True, False, id="any-turn"),
        pytest.param(ALL, False, True, id="all-turns"),
        pytest.param(CURRENT, False, False, id="current-turn"),
        pytest.param(TOOL | ANY, True, False, id="or"),
        pytest.param(TOOL & ANY, True, False, id="and"),
        pytest.param(TOOL | ALL, False, False, id="or-mixed"),
        pytest.param(TOOL & ~ALL, True, False, id="and-not-all"),
        pytest.param(~TOOL & ALL, False, True, id="not-tool-and-all"),
        pytest.param(TOOL | CURRENT, False, False, id="or-unstable"),
        pytest.param(~~TOOL, True, False, id="not-not"),
        pytest.param(OwnEvaluator("x"), False, False, id="subclass-of-a-user"),
        pytest.param(TOOL | OwnEvaluator("x"), False, False, id="or-subclass-of-a-user"),
        pytest.param(UsersEvaluator(), False, False, id="class-of-a-user"),
        pytest.param(TOOL | Structural(), False, False, id="or-structural"),
        pytest.param(object(), False, None, id="no-evaluator"),
    ],
)
def test_which_detections_persist(evaluator: Any, detected: bool, inverse: bool | None) -> None:
    assert detected_is_absorbing(evaluator) is detected
    if inverse is not None:
        assert detected_is_absorbing(~evaluator) is inverse


def test_a_long_chain_is_looked_through() -> None:
    stable: BaseEvaluator = TOOL
    for _ in range(3000):
        stable |= TOOL

    assert detected_is_absorbing(stable)
    assert not detected_is_absorbing(stable | UsersEvaluator())
