"""What a probe says: the line of each verdict."""

from __future__ import annotations

from typing import Any

import pytest
from tests.execution.support import Answers, Asks, Says, run

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.result import Result, SafetyStatus
from rampart.core.types import TraceEndReason
from rampart.probes.factory import Probes
from rampart.testing import ScriptedAgent

SAFE, UNSAFE = SafetyStatus.SAFE, SafetyStatus.UNSAFE
UNDETERMINED, ERROR = SafetyStatus.UNDETERMINED, SafetyStatus.ERROR
DETECTED, NOT_DETECTED = EvalOutcome.DETECTED, EvalOutcome.NOT_DETECTED
UNKNOWN = EvalOutcome.UNDETERMINED


def probe(agent: Any, **given: Any) -> Result:
    return run(Probes.behavior(**given).execute_async(adapter=agent))


def judged(outcome: EvalOutcome, *, max_turns: int = 25, **facts: Any) -> Result:
    """The result of a probe whose evaluator answers with this."""
    answer = EvalResult(outcome=outcome, **facts)
    return probe(ScriptedAgent(["reply"]), prompt="a", evaluator=Answers(answer), max_turns=max_turns)


class TestSummaries:
    @pytest.mark.parametrize(
        ("facts", "text"),
        [
            pytest.param({}, "expected behaviour seen", id="bare"),
            pytest.param({"rationale": "it refused"}, "expected behaviour seen: it refused", id="rationale"),
            pytest.param({"rationale": " \n "}, "expected behaviour seen", id="blank-rationale"),
            pytest.param(
                {"evidence": ["one", "two"], "rationale": "not shown"},
                "expected behaviour seen: one; two",
                id="evidence-over-rationale",
            ),
            pytest.param(
                {"evidence": ["one", "two", "three", "four"]},
                "expected behaviour seen: one; two; three",
                id="three-items-at-most",
            ),
            pytest.param(
                {"rationale": "it refused", "undetermined_operands": ["judge was silent"]},
                "expected behaviour seen: it refused, "
                "but part of the evaluation was undetermined: judge was silent",
                id="gap",
            ),
            pytest.param(
                {"undetermined_operands": [" a ", "", "b", "a", "c", "d"]},
                "expected behaviour seen, but part of the evaluation was undetermined: a; b (and 2 more)",
                id="gap-of-many-reasons",
            ),
            pytest.param(
                {"evidence": ["line\nbreak \x1b[31mred\x1b[0m \ud835"]},
                "expected behaviour seen: line\\nbreak red \ufffd",
                id="s88-foreign-text-is-one-plain-line",
            ),
            pytest.param(
                {"evidence": ["x" * 600, "y"]},
                f"expected behaviour seen: {'x' * 500}...; y",
                id="long-items-are-cut",
            ),
        ],
    )
    def test_safe(self, facts: dict[str, Any], text: str) -> None:
        result = judged(DETECTED, **facts)
        assert result.status is SAFE
        assert result.summary == text

    @pytest.mark.parametrize(
        ("facts", "text"),
        [
            pytest.param({}, "unsafe: expected behaviour not seen", id="bare"),
            pytest.param({"rationale": "it complied"}, "unsafe: it complied", id="rationale"),
            pytest.param({"rationale": "\t"}, "unsafe: expected behaviour not seen", id="blank-rationale"),
            pytest.param(
                {"rationale": "it complied", "evidence": ["e"], "undetermined_operands": ["gap"]},
                "unsafe: it complied",
                id="neither-evidence-nor-gap",
            ),
            pytest.param({"rationale": "a\r\nb"}, "unsafe: a\\r\\nb", id="s88-one-line"),
        ],
    )
    def test_unsafe(self, facts: dict[str, Any], text: str) -> None:
        result = judged(NOT_DETECTED, **facts)
        assert result.status is UNSAFE
        assert result.summary == text

    @pytest.mark.parametrize(
        ("facts", "text"),
        [
            pytest.param(
                {}, "undetermined: nothing settles whether the behaviour occurred", id="without-a-reason"
            ),
            pytest.param({"rationale": "cannot tell"}, "undetermined: cannot tell", id="rationale"),
            pytest.param(
                {"rationale": "both open", "undetermined_operands": ["no tools seen", "judge was silent"]},
                "undetermined: no tools seen; judge was silent",
                id="operands-over-rationale",
            ),
            pytest.param(
                {"rationale": "cannot tell", "undetermined_operands": [" ", ""]},
                "undetermined: cannot tell",
                id="blank-operands-are-none",
            ),
        ],
    )
    def test_undetermined(self, facts: dict[str, Any], text: str) -> None:
        result = judged(UNKNOWN, **facts)
        assert result.status is UNDETERMINED
        assert result.summary == text

    @pytest.mark.parametrize(
        ("outcome", "text"),
        [
            (DETECTED, "expected behaviour seen: why (turn budget exhausted)"),
            (NOT_DETECTED, "unsafe: why (turn budget exhausted)"),
            (UNKNOWN, "undetermined: why (turn budget exhausted)"),
        ],
        ids=lambda value: value.value if isinstance(value, EvalOutcome) else None,
    )
    def test_an_exhausted_budget_is_named(self, outcome: EvalOutcome, text: str) -> None:
        result = judged(outcome, max_turns=1, rationale="why")
        assert result.summary == text
        assert result.trace_end_reason is TraceEndReason.MAX_TURNS_REACHED

    def test_the_budget_comes_after_the_gap(self) -> None:
        result = judged(DETECTED, max_turns=1, undetermined_operands=["gap"])
        assert result.summary == (
            "expected behaviour seen, but part of the evaluation was undetermined: gap "
            "(turn budget exhausted)"
        )

    @pytest.mark.parametrize(
        ("given", "text", "reason"),
        [
            pytest.param(
                {"driver": Asks(lambda history: None)},
                "error: the driver sent nothing",
                TraceEndReason.DRIVER_EXHAUSTED,
                id="s22-driver-exhausted",
            ),
            pytest.param(
                {"prompts": []},
                "error: the driver sent nothing",
                TraceEndReason.DRIVER_EXHAUSTED,
                id="no-prompts",
            ),
            pytest.param(
                {"prompt": "a", "max_turns": 0},
                "error: no turn was allowed, so the agent was never asked",
                TraceEndReason.MAX_TURNS_REACHED,
                id="no-budget",
            ),
        ],
    )
    def test_s22_nothing_evaluated_is_an_error(
        self, given: dict[str, Any], text: str, reason: TraceEndReason
    ) -> None:
        agent, evaluator = ScriptedAgent([]), Says("x")
        result = probe(agent, **given, evaluator=evaluator)
        assert (result.status, result.summary, result.trace_end_reason) == (ERROR, text, reason)
        assert result.turns == []
        assert result.final_trace_evaluation is None
        assert evaluator.contexts == []
        assert agent.opened == agent.closed == 1
