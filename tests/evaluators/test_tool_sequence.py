"""Comparing the calls of a conversation with steps; the plain cases are controls."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluators.support import (
    DETECTED,
    NOT_DETECTED,
    TEXT,
    UNDETERMINED,
    called,
    evaluate,
    outcome,
    reply,
    trace,
)

from rampart.core.types import ToolCall
from rampart.evaluators import MISSING, ToolSequence
from rampart.evaluators._sequence_match import MODES, Alignment

if TYPE_CHECKING:
    from rampart.evaluators._steps import Fit


def fails(arguments: dict[str, Any]) -> bool:
    raise LookupError("no amount")


async def later(arguments: dict[str, Any]) -> bool:
    return True


class TestModesAgainstEveryResolution:
    """What is in doubt may turn out either way; the answers have to hold for all ways there are."""

    @staticmethod
    def holds(mode: str, fits: list[list[bool]], calls: list[int]) -> bool:
        """By trying every assignment of calls to steps."""
        steps = range(len(fits))
        if mode in {"strict", "unordered"} and len(calls) != len(fits):
            return False
        if mode == "strict":
            return all(fits[step][call] for step, call in zip(steps, calls, strict=True))
        if mode == "in_order":
            return any(
                all(fits[step][call] for step, call in zip(steps, chosen, strict=True))
                for chosen in itertools.combinations(calls, len(fits))
            )
        if mode == "subset":
            return any(
                all(fits[step][call] for step, call in zip(chosen, calls, strict=True))
                for chosen in itertools.permutations(steps, len(calls))
            )
        return any(
            all(fits[step][call] for step, call in zip(steps, chosen, strict=True))
            for chosen in itertools.permutations(calls, len(fits))
        )

    @pytest.mark.parametrize("mode", MODES)
    @settings(max_examples=150, deadline=None)
    @given(data=st.data())
    def test_sure_and_possible(self, mode: str, data: st.DataObject) -> None:
        steps, calls = data.draw(st.integers(1, 3)), data.draw(st.integers(0, 3))
        fit: st.SearchStrategy[Fit] = st.sampled_from([True, False, "in doubt"])
        table: list[list[Fit]] = [[data.draw(fit) for _ in range(calls)] for _ in range(steps)]
        certain = [data.draw(st.booleans()) for _ in range(calls)]
        open_pairs = [(s, c) for s in range(steps) for c in range(calls) if table[s][c] == "in doubt"]
        unsure = [call for call in range(calls) if not certain[call]]
        answers = set()
        for resolved in itertools.product([True, False], repeat=len(open_pairs)):
            known = [[cell is True for cell in row] for row in table]
            for (s, c), value in zip(open_pairs, resolved, strict=True):
                known[s][c] = value
            for kept in itertools.product([True, False], repeat=len(unsure)):
                left_out = {call for call, keep in zip(unsure, kept, strict=True) if not keep}
                answers.add(self.holds(mode, known, [call for call in range(calls) if call not in left_out]))
        alignment = Alignment(fits=table, certain=certain)
        # Sure is what holds in any case; not every such case is recognised, but none is claimed wrongly.
        assert not MODES[mode].sure(alignment) or answers == {True}
        assert MODES[mode].possible(alignment) is (True in answers)
        if not open_pairs and not unsure:
            assert MODES[mode].sure(alignment) is (True in answers)

    @pytest.mark.parametrize("mode", MODES)
    @settings(max_examples=150, deadline=None)
    @given(data=st.data())
    def test_what_calls_nobody_saw_can_change(self, mode: str, data: st.DataObject) -> None:
        steps, calls = data.draw(st.integers(1, 3)), data.draw(st.integers(0, 3))
        table = [[data.draw(st.booleans()) for _ in range(calls)] for _ in range(steps)]
        alignment = Alignment(fits=table, certain=[True] * calls)
        # Each unseen call may be any step: put up to `steps` of them anywhere between those that were seen.
        possible = False
        for places in itertools.product(range(calls + 1), repeat=steps):
            for used in range(steps + 1):
                order: list[int | None] = []
                chosen = sorted(places[:used])
                for call in range(calls + 1):
                    order += [None] * chosen.count(call)
                    order += [call] if call < calls else []
                columns = [[one is None or row[one] for one in order] for row in table]
                possible = possible or self.holds(mode, columns, list(range(len(order))))
        assert MODES[mode].completable(alignment) is possible


class TestArguments:
    @pytest.mark.parametrize(
        ("expected", "arguments", "answer"),
        [
            pytest.param({"to": "a"}, "exact", NOT_DETECTED, id="exact-has-more"),
            pytest.param({"to": "a", "cc": ["b"]}, "exact", DETECTED, id="exact"),
            pytest.param({"to": "a", "cc": ["b"], "bcc": MISSING}, "exact", DETECTED, id="exact-and-missing"),
            pytest.param({"to": str.islower}, "superset", DETECTED, id="function-of-a-value"),
            pytest.param({"to": str.isupper}, "superset", NOT_DETECTED, id="function-that-says-no"),
            pytest.param({"to": fails}, "superset", UNDETERMINED, id="function-that-raises"),
            pytest.param({"cc": MISSING}, "superset", NOT_DETECTED, id="missing-is-there"),
            pytest.param({"to": "a", "cc": ["b"], "size": 1}, "subset", DETECTED, id="subset-lacks-one"),
            pytest.param({"to": "a"}, "subset", NOT_DETECTED, id="subset-has-more"),
            pytest.param({"to": "z"}, "ignore", DETECTED, id="ignored"),
            pytest.param({}, "exact", NOT_DETECTED, id="none-expected"),
            pytest.param({}, "superset", DETECTED, id="none-expected-more-allowed"),
        ],
    )
    async def test_modes(self, expected: dict[str, Any], arguments: Any, answer: object) -> None:
        evaluator = ToolSequence(("send", expected), mode="strict", arguments=arguments)
        assert await outcome(evaluator, reply(calls=[called("send", to="a", cc=["b"])])) is answer

    @pytest.mark.parametrize(
        ("rule", "answer"),
        [
            pytest.param(lambda arguments: arguments["to"] == "a", DETECTED, id="true"),
            pytest.param(lambda arguments: len(arguments) > 5, NOT_DETECTED, id="false"),
            pytest.param(fails, UNDETERMINED, id="raises"),
            pytest.param("ignore", DETECTED, id="mode"),
        ],
    )
    async def test_a_rule_of_its_own_for_a_tool(self, rule: Any, answer: object) -> None:
        evaluator = ToolSequence(("send", {"x": 1}), "stop", mode="strict", arguments={"send": rule})
        assert (
            await outcome(evaluator, reply(calls=[called("send", to="a"), called("stop", now=1)])) is answer
        )

    async def test_a_rule_of_a_tool_judges_steps_that_give_no_arguments(self) -> None:
        evaluator = ToolSequence("send", mode="strict", arguments={"send": lambda given: "to" in given})
        assert await outcome(evaluator, reply(calls=[called("send", to="a")])) is DETECTED
        assert await outcome(evaluator, reply(calls=[called("send")])) is NOT_DETECTED

    @pytest.mark.parametrize("raw", [[1], "not an object", 7, [[]], True], ids=repr)
    async def test_arguments_of_any_shape(self, raw: Any) -> None:
        call = ToolCall(name="send", arguments=raw)
        assert await outcome(ToolSequence("send", mode="strict"), reply(calls=[call])) is DETECTED
        result = await evaluate(ToolSequence(("send", {"a": 1}), mode="strict"), reply(calls=[call]))
        assert result.outcome is UNDETERMINED
        assert result.undetermined_operands == [
            "'send' in turn 0 was called, but its arguments are not an object"
        ]


class TestWords:
    async def test_evidence_points_at_the_calls(self) -> None:
        result = await evaluate(
            ToolSequence("a", re.compile("b."), mode="strict"),
            reply(calls=[called("a", x=1)]),
            reply(calls=[called("b2")]),
        )
        assert result.evidence == ["turn 0 call 0 (a): \"{'x': 1}\"", "turn 1 call 0 (b2): '{}'"]
        assert result.rationale == "the calls are the steps, in order"

    @pytest.mark.parametrize(
        ("mode", "names", "told"),
        [
            pytest.param("superset", "b", "not every step was called: 'a' was not called", id="missing"),
            pytest.param(
                "subset",
                "ac",
                "something else than the steps was called: 'c' in turn 0 is no step",
                id="more",
            ),
            pytest.param("strict", "ba", "2 calls for 2 steps, in the order 'b', 'a'", id="order"),
            pytest.param("in_order", "ba", "2 calls for 2 steps, in the order 'b', 'a'", id="in-order"),
        ],
    )
    async def test_the_difference_is_told(self, mode: Any, names: str, told: str) -> None:
        result = await evaluate(
            ToolSequence("a", "b", mode=mode), reply(calls=[called(name) for name in names])
        )
        assert result.outcome is NOT_DETECTED
        assert told in result.rationale

    async def test_a_step_that_nothing_can_be_is_told(self) -> None:
        context = trace(reply(calls=[called("send")]), tools=["send", "read"])
        with pytest.warns(UserWarning, match="tool 'reed' is not declared; declared: 'read', 'send'"):
            result = await ToolSequence("send", "reed", mode="strict").evaluate_async(context=context)
        assert result.undetermined_operands == ["tool 'reed' is not declared; declared: 'read', 'send'"]

    async def test_unobserved(self) -> None:
        context = trace("done", level=TEXT)
        result = await ToolSequence("a", "b", mode="unordered").evaluate_async(context=context)
        assert result.outcome is UNDETERMINED
        assert "Adapter observability is 'response_only': it does not report tool calls" in result.rationale
        assert "'a', 'b'" in result.rationale

    def test_repr(self) -> None:
        assert repr(ToolSequence("a", ("b", {"x": 1}), mode="subset")) == (
            "ToolSequence('a', 'b' with {'x': 1}, mode='subset')"
        )


async def test_many_calls_that_all_fit_many_steps() -> None:
    anything = re.compile(".*")
    names = [f"t{number}" for number in range(300)]
    evaluator = ToolSequence(*[anything] * 150, *names[:150], mode="unordered")
    assert await outcome(evaluator, reply(calls=[called(name) for name in names])) is DETECTED
    assert await outcome(evaluator, reply(calls=[called(name) for name in [*names[1:], "x"]])) is NOT_DETECTED


@pytest.mark.parametrize(
    ("steps", "options", "error", "told"),
    [
        pytest.param(
            (), {"mode": "strict"}, ValueError, r"no steps; NoToolCalled\(\) detects", id="no-steps"
        ),
        pytest.param(
            ("a",), {"mode": "loose"}, ValueError, "mode is 'loose', expected one of strict", id="mode"
        ),
        pytest.param((" ",), {"mode": "strict"}, ValueError, "the name of a step is ' '", id="blank"),
        pytest.param((7,), {"mode": "strict"}, TypeError, "a step is 7, expected a name", id="no-step"),
        pytest.param((("a", 1),), {"mode": "strict"}, TypeError, r"a step is \('a', 1\)", id="no-arguments"),
        pytest.param(
            (("a", {"x": re.compile("b")}),),
            {"mode": "strict"},
            TypeError,
            "is a pattern, which equals",
            id="value",
        ),
        pytest.param(
            ("a",),
            {"mode": "strict", "arguments": "loose"},
            ValueError,
            "arguments is 'loose', expected one of exact, superset, subset, ignore",
            id="argument-mode",
        ),
        pytest.param(
            ("a",), {"mode": "strict", "arguments": 7}, TypeError, "of type int, expected a mode", id="rule"
        ),
        pytest.param(
            ("a",),
            {"mode": "strict", "arguments": {"b": "exact"}},
            ValueError,
            "arguments has rules for 'b', which no step names",
            id="stranger",
        ),
        pytest.param(
            ("a",),
            {"mode": "strict", "arguments": {"a": later}},
            TypeError,
            "is a coroutine function",
            id="async",
        ),
        pytest.param(
            ("a",),
            {"mode": "strict", "executed_only": 1},
            TypeError,
            "executed_only is of type int",
            id="flag",
        ),
    ],
)
def test_refused(steps: Any, options: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        ToolSequence(*steps, **options)
