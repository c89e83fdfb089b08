"""What language models consume is counted by role, and what is not known is never 0."""

from __future__ import annotations

import asyncio
import contextvars

import pytest
from tests.records.support import full_result

from rampart import Probes, Response, ResponseScope, Usage
from rampart.core.llm import ChatMessage, Completion
from rampart.core.spending import (
    Account,
    Spending,
    UsageRole,
    ask_async,
    count_run_on,
    run_spending,
    spend_on,
    total_usage,
    usage_by_role,
)
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent, ScriptedChatModel

_HELLO = [ChatMessage(role="user", content="Hello")]


@pytest.mark.parametrize(
    ("usages", "total"),
    [
        pytest.param([], Usage(), id="nothing"),
        pytest.param([Usage(requests=1, cost_usd=0.5)], Usage(requests=1, cost_usd=0.5), id="one"),
        pytest.param(
            [Usage(input_tokens=3, cost_usd=0.5), Usage(input_tokens=4)],
            Usage(input_tokens=7),
            id="unknown price",
        ),
        pytest.param(
            [Usage(output_tokens=0), Usage(output_tokens=2)], Usage(output_tokens=2), id="zero is known"
        ),
    ],
)
def test_a_sum_without_a_part_of_it_is_not_known(usages: list[Usage], total: Usage) -> None:
    assert total_usage(usages) == total


def test_roles_are_summed_apart() -> None:
    accounts = [{"judge": Usage(requests=1)}, {"judge": Usage(requests=2), "target": Usage(requests=5)}]
    assert usage_by_role(accounts) == {"judge": Usage(requests=3), "target": Usage(requests=5)}


def test_a_role_that_was_silent_once_is_left_out() -> None:
    spending = Spending()
    spending.add("target", Usage(requests=1))
    spending.add("judge", Usage(requests=2))
    spending.add("target", None)
    assert spending.by_role() == {"judge": Usage(requests=2)}
    assert spending.total() == Usage()
    assert spending.accounts() == {
        "target": Account(usage=Usage(requests=1), silent_calls=1),
        "judge": Account(usage=Usage(requests=2), silent_calls=0),
    }


async def test_a_call_is_counted_for_the_execution_and_for_the_run() -> None:
    before = run_spending()
    count_run_on(run := Spending())
    known = Completion(text="Hi", usage=Usage(input_tokens=3, requests=2))
    model = ScriptedChatModel([known, "Hi"])
    spending = Spending()

    async def ask_twice() -> None:
        spend_on(spending)
        await ask_async(model, role=UsageRole.JUDGE, messages=_HELLO, response_schema={"type": "object"})
        await ask_async(model, role=UsageRole.ATTACKER, messages=_HELLO)

    await asyncio.create_task(ask_twice(), context=contextvars.copy_context())
    await ask_async(ScriptedChatModel([known]), role=UsageRole.JUDGE, messages=_HELLO)

    assert spending.by_role() == {
        "judge": Usage(input_tokens=3, requests=2),
        "attacker": Usage(requests=1),
    }
    count_run_on(before)
    assert run.by_role() == {
        "judge": Usage(input_tokens=6, requests=4),
        "attacker": Usage(requests=1),
    }
    assert model.calls[0].response_schema == {"type": "object"}


async def test_a_result_tells_what_the_agent_consumed() -> None:
    agent = ScriptedAgent(
        [Response(text="a", usage=Usage(input_tokens=10)), Response(text="b", usage=Usage(input_tokens=5))]
    )
    probe = Probes.behavior(
        prompts=["one", "two"], evaluator=ResponseContains("b", scope=ResponseScope.ANY_TURN)
    )
    result = await probe.execute_async(adapter=agent)
    assert result.safe
    assert result.usage == {"target": Usage(input_tokens=15)}


async def test_a_result_of_a_silent_agent_tells_nothing() -> None:
    probe = Probes.behavior(prompt="one", evaluator=ResponseContains("b", scope=ResponseScope.ANY_TURN))
    result = await probe.execute_async(adapter=ScriptedAgent(["b"]))
    assert result.safe
    assert result.usage == {}


def test_what_was_consumed_is_recorded() -> None:
    assert full_result().usage["judge"].requests == 1
