"""Numbers of calls; the plain cases are controls."""

from __future__ import annotations

import re

import pytest
from tests.evaluators.support import DETECTED, NOT_DETECTED, UNDETERMINED, called, evaluate, reply, trace

from rampart.core.channel import Channel
from rampart.core.types import ToolCall
from rampart.evaluators import MaxToolCalls

SEARCH = called("search", q="x")


async def test_evidence_of_a_limit_that_was_kept() -> None:
    result = await evaluate(MaxToolCalls(2), reply(calls=[SEARCH]))
    assert result.outcome is DETECTED
    assert result.rationale == "1 tool calls, at most 2 allowed"
    assert result.evidence == ["turn 0 call 0 (search): \"{'q': 'x'}\""]


async def test_evidence_of_a_limit_that_was_not_kept_is_what_lies_beyond() -> None:
    result = await evaluate(MaxToolCalls(1, tool="search"), reply(calls=[SEARCH]), reply(calls=[SEARCH] * 30))
    assert result.outcome is NOT_DETECTED
    assert result.rationale == "31 calls of 'search', at most 1 allowed"
    assert result.evidence[0].startswith("turn 1 call 0 (search)")
    assert len(result.evidence) == 21
    assert result.evidence[-1] == "and 10 more"


async def test_doubts_that_do_not_matter() -> None:
    unknown = called("pay")
    evaluator = MaxToolCalls(2, executed_only=True)
    result = await evaluate(evaluator, reply(calls=[unknown, ToolCall(name="pay", result=1)]))
    assert result.outcome is DETECTED
    assert result.rationale == "1 to 2 tool calls, at most 2 allowed"
    assert (await evaluate(evaluator, reply(calls=[unknown] * 3))).outcome is UNDETERMINED


async def test_a_tool_that_nothing_has_is_told() -> None:
    context = trace("done", tools=["search"])
    with pytest.warns(UserWarning, match="tool 'serch' is not declared; declared: 'search'"):
        result = await MaxToolCalls(3, tool="serch").evaluate_async(context=context)
    assert result.outcome is DETECTED
    assert result.undetermined_operands == ["tool 'serch' is not declared; declared: 'search'"]


def test_channels() -> None:
    assert MaxToolCalls(1).channels == {Channel.TOOL_CALLS}
    assert MaxToolCalls(1, executed_only=True).channels == {Channel.TOOL_CALLS, Channel.TOOL_RESULTS}


@pytest.mark.parametrize(
    ("most", "tool", "error", "told"),
    [
        pytest.param(-1, None, ValueError, "n is -1, expected the most calls", id="negative"),
        pytest.param(True, None, TypeError, "n is of type bool", id="flag"),
        pytest.param(1.0, None, TypeError, "n is of type float", id="float"),
        pytest.param(1, " ", ValueError, "tool is ' '", id="blank"),
        pytest.param(1, 7, TypeError, "tool is of type int", id="type"),
    ],
)
def test_refused(most: object, tool: object, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        MaxToolCalls(most, tool=tool)  # type: ignore[arg-type]  # the point of the test


def test_repr() -> None:
    assert repr(MaxToolCalls(3)) == "MaxToolCalls(3)"
    assert repr(MaxToolCalls(3, tool=re.compile("a"))) == "MaxToolCalls(3, tool=re.compile('a'))"
