"""What language models consumed is shown by role, and never as nothing where it is not known."""

from __future__ import annotations

from typing import Any

import pytest

from rampart.reporting.usage import usage_lines

_NOTHING: dict[str, Any] = {
    "input_tokens": None,
    "cached_input_tokens": None,
    "output_tokens": None,
    "reasoning_tokens": None,
    "requests": None,
    "cost_usd": None,
    "silent_calls": 0,
}


@pytest.mark.parametrize(
    ("usage", "line"),
    [
        pytest.param(
            {"requests": 1, "input_tokens": 1200, "output_tokens": 30, "cost_usd": 0.00125},
            "Models: judge 1 request, 1,200 + 30 tokens, $0.0013",
            id="all known",
        ),
        pytest.param({"requests": 12}, "Models: judge 12 requests, cost unknown", id="no price"),
        pytest.param(
            {"requests": 2, "silent_calls": 3},
            "Models: judge 2 requests, cost unknown and 3 calls of which nothing is known",
            id="calls that told nothing",
        ),
        pytest.param({"requests": 1, "cost_usd": 0.0}, "Models: judge 1 request, $0.0000", id="free"),
    ],
)
def test_one_role(usage: dict[str, Any], line: str) -> None:
    assert usage_lines({"usage": {"judge": _NOTHING | usage}}) == [line]


def test_roles_stand_side_by_side() -> None:
    one = _NOTHING | {"requests": 1}
    shown = usage_lines({"usage": {"target": one, "judge": one}})
    assert shown == ["Models: target 1 request, cost unknown; judge 1 request, cost unknown"]


def test_nothing_is_shown_where_nothing_is_known() -> None:
    assert usage_lines({}) == []


def test_a_run_shows_what_its_models_consumed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
from rampart import Probes, Response, ResponseScope, Usage
from rampart.core import ChatMessage, Completion
from rampart.core.spending import UsageRole, ask_async
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent, ScriptedChatModel

async def test_agent():
    agent = ScriptedAgent([Response(text="ok", usage=Usage(requests=2, input_tokens=10, output_tokens=5))])
    probe = Probes.behavior(prompt="x", evaluator=ResponseContains("ok", scope=ResponseScope.ANY_TURN))
    assert await probe.execute_async(adapter=agent)

async def test_outside_of_an_execution():
    model = ScriptedChatModel([Completion(text="hi", usage=Usage(requests=1, cost_usd=0.5))])
    await ask_async(model, role=UsageRole.ATTACKER, messages=[ChatMessage(role="user", content="hi")])
"""
    )
    result = pytester.runpytest("-p", "no:asyncio")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["Models: target 2 requests, 10 + 5 tokens, cost unknown; attacker 1 request, $0.5000"]
    )
    again = pytester.runpytest("-p", "no:asyncio", "-k", "agent")
    again.stdout.fnmatch_lines(["Models: target 2 requests, 10 + 5 tokens, cost unknown"])
    again.stdout.no_fnmatch_line("*attacker*")
