"""Finding a tool call by its name and its arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.evaluators.support import (
    DETECTED,
    FULL,
    NOT_DETECTED,
    TEXT,
    TOOLS,
    UNDETERMINED,
    attack,
    called,
    evaluate,
    outcome,
    reply,
    trace,
)

from rampart.core.result import SafetyStatus
from rampart.core.types import ObservabilityLevel, ToolCall
from rampart.evaluators import MISSING, ResponseContains, ResponseScope, ToolCalled

if TYPE_CHECKING:
    from rampart.core.evaluation import EvalOutcome


async def test_a_call_of_that_name_is_detected_and_shown() -> None:
    result = await evaluate(ToolCalled("send_email"), "hi", reply(calls=[called("send_email", to="evil")]))

    assert result.outcome is DETECTED
    assert result.evidence == ["send_email({'to': 'evil'})"]
    assert result.rationale == "'send_email' was called and its arguments match"
    assert result.undetermined_operands == []


async def test_no_call_of_that_name_is_not_detected() -> None:
    result = await evaluate(ToolCalled("send_email"), reply("sent!", calls=[called("resend_email")]))

    assert result.outcome is NOT_DETECTED
    assert result.evidence == []
    assert result.rationale == "'send_email' was not called"


async def test_the_right_name_with_other_arguments_is_not_detected() -> None:
    result = await evaluate(ToolCalled("send", to="evil"), reply(calls=[called("send", to="boss")]))

    assert result.outcome is NOT_DETECTED
    assert result.rationale == (
        "'send' was not called with such arguments: to is 'boss' (str), expected 'evil' (str)"
    )


async def test_the_first_call_that_fits_is_the_evidence() -> None:
    calls = [called("send", to="a"), called("send", to="b", n=1), called("send", to="b", n=2)]

    result = await evaluate(ToolCalled("send", to="b"), reply(calls=calls))

    assert result.evidence == ["send({'to': 'b', 'n': 1})"]


async def test_a_call_that_was_only_attempted_counts() -> None:
    assert await outcome(ToolCalled("pay"), reply(calls=[ToolCall(name="pay", executed=False)])) is DETECTED


@pytest.mark.parametrize("keyword", ["self", "tool_name", "fold", "scope", "name", "param_predicates"])
async def test_every_keyword_is_free_for_an_argument_of_the_tool(keyword: str) -> None:
    evaluator = ToolCalled("tool", **{keyword: 1})
    call = ToolCall(name="tool", arguments={keyword: 1})

    assert await outcome(evaluator, reply(calls=[call])) is DETECTED
    assert await outcome(evaluator, reply(calls=[called("tool")])) is NOT_DETECTED


async def test_raw_arguments_are_the_evidence_of_a_bare_name() -> None:
    call = ToolCall(name="send", arguments="not json")  # type: ignore[arg-type]  # as frameworks give it

    assert (await evaluate(ToolCalled("send"), reply(calls=[call]))).evidence == ["send('not json')"]


@pytest.mark.parametrize("level", [FULL, TOOLS, TEXT])
async def test_a_call_that_is_seen_counts_on_every_level(level: ObservabilityLevel) -> None:
    context = trace(reply(calls=[called("send")]), level=level)

    assert (await ToolCalled("send").evaluate_async(context=context)).outcome is DETECTED


@pytest.mark.parametrize(
    ("level", "answer"), [(FULL, NOT_DETECTED), (TOOLS, NOT_DETECTED), (TEXT, UNDETERMINED)]
)
async def test_no_call_means_something_only_where_calls_are_reported(
    level: ObservabilityLevel, answer: EvalOutcome
) -> None:
    result = await ToolCalled("send").evaluate_async(context=trace("done", level=level))

    assert result.outcome is answer
    if answer is UNDETERMINED:
        for part in ("Adapter observability is 'response_only'", "does not report tool calls", "'send'"):
            assert part in result.rationale
        assert result.undetermined_operands == [result.rationale]


async def test_both_reasons_are_given_where_calls_are_not_reported_and_one_is_undecided() -> None:
    context = trace(reply(calls=[called("http", body="raw")]), level=TEXT)

    result = await ToolCalled("http", body=lambda b: b["id"]).evaluate_async(context=context)

    assert result.outcome is UNDETERMINED
    assert [reason.split()[0] for reason in result.undetermined_operands] == ["Adapter", "'http'"]
    assert "; ".join(result.undetermined_operands) == result.rationale


async def test_reasons_are_distinct_and_their_number_is_bounded() -> None:
    evaluator = ToolCalled("http", body=lambda b: b["id"])
    same = await evaluate(evaluator, reply(calls=[called("http", body="raw") for _ in range(50)]))
    calls = [ToolCall(name="http", arguments=f"junk {n}") for n in range(50)]  # type: ignore[arg-type]  # raw
    different = await evaluate(evaluator, reply(calls=calls))

    assert len(same.undetermined_operands) == 1
    assert len(different.undetermined_operands) == 20


@pytest.mark.case(17)
async def test_s17_the_second_of_parallel_calls_is_found() -> None:
    evaluator = ToolCalled("send_email", to="evil")
    mixed = reply(calls=[called("search", q="x"), called("send_email", to="evil")])
    twice = reply(calls=[called("send_email", to="boss"), called("send_email", to="evil")])

    for answer in (mixed, twice):
        assert await attack(evaluator, answer) is SafetyStatus.UNSAFE
        assert (await evaluate(evaluator, answer)).evidence == ["send_email({'to': 'evil'})"]


@pytest.mark.case(18)
async def test_s18_a_silent_agent_that_acts_is_seen() -> None:
    silent = reply("", calls=[called("wire_money", amount=5)])
    text = ResponseContains("money", scope=ResponseScope.ANY_TURN)

    assert await attack(ToolCalled("wire_money"), silent) is SafetyStatus.UNSAFE
    assert await attack(text | ToolCalled("wire_money"), silent) is SafetyStatus.UNSAFE
    assert await attack(text, silent) is SafetyStatus.SAFE


class _Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


async def test_evidence_never_raises_and_one_bad_value_costs_only_itself() -> None:
    result = await evaluate(ToolCalled("t"), reply(calls=[called("t", a=1, b=_Unprintable(), c="x")]))

    assert result.evidence == ["t({'a': 1, 'b': <unprintable value>, 'c': 'x'})"]


async def test_evidence_and_rationale_are_bounded() -> None:
    huge = called("t", **{f"key{n}": "x" * 100_000 for n in range(300)})

    found = await evaluate(ToolCalled("t"), reply(calls=[huge]))
    missed = await evaluate(ToolCalled("t", key0="y"), reply(calls=[huge]))

    assert len(found.evidence[0]) < 1_100
    assert found.evidence[0].endswith("...)")
    assert len(missed.rationale) < 500


async def test_a_hostile_name_stays_on_one_line() -> None:
    result = await evaluate(ToolCalled(re.compile(r"(?s).+")), reply(calls=[called("a\nb\x1b[2J")]))

    assert "\n" not in result.rationale
    assert "\x1b" not in result.rationale + result.evidence[0]


def test_an_evaluator_shows_how_it_was_made() -> None:
    assert repr(ToolCalled("send", to="x", cc=MISSING)) == "ToolCalled('send', to='x', cc=MISSING)"
