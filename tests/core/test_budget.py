"""A budget holds, whatever models and agents tell of what they consume."""

from __future__ import annotations

import math

import pytest

from rampart import Usage
from rampart.core.budget import Budget
from rampart.core.errors import ConfigurationError, EmptyCompletionError
from rampart.core.llm import ChatMessage, Completion
from rampart.core.spending import Spending, UsageRole, ask_async, spend_on
from rampart.testing import ScriptedChatModel

_HELLO = [ChatMessage(role="user", content="Hello")]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("plain", id="nothing"),
        pytest.param(Completion(text="x", usage=Usage(input_tokens=3)), id="tokens only"),
        pytest.param(Completion(text="x", usage=Usage(requests=math.nan)), id="NaN"),
        pytest.param(EmptyCompletionError("filtered"), id="answered with nothing"),
    ],
)
async def test_each_call_is_a_request(answer: str | Completion | Exception) -> None:
    spending = Spending()
    spend_on(spending)
    model = ScriptedChatModel([answer], repeat_last=True)
    budget = Budget(max_requests=2)
    spent = []
    for _ in range(2):
        spent.append(budget.spent(spending))
        try:
            await ask_async(model, role=UsageRole.ATTACKER, messages=_HELLO)
        except EmptyCompletionError:
            continue
    assert [*spent, budget.spent(spending)] == [None, None, "2 of 2 requests"]
    assert spending.by_role()["attacker"].requests == spending.total().requests == 2


async def test_an_empty_answer_leaves_known_tokens_known() -> None:
    spending = Spending()
    spend_on(spending)
    model = ScriptedChatModel(
        [Completion(text="x", usage=Usage(input_tokens=3, requests=1)), EmptyCompletionError("no")]
    )
    await ask_async(model, role=UsageRole.JUDGE, messages=_HELLO)
    with pytest.raises(EmptyCompletionError, match="no"):
        await ask_async(model, role=UsageRole.JUDGE, messages=_HELLO)
    assert spending.by_role() == {"judge": Usage(input_tokens=3, requests=2)}


def test_what_an_agent_told_counts_although_it_did_not_tell_all() -> None:
    spending = Spending()
    told = Usage(input_tokens=900, output_tokens=100, requests=1)
    spending.add(UsageRole.TARGET, told)
    assert Budget(max_tokens=1000).spent(spending) == "1,000 of 1,000 tokens"
    spending.add(UsageRole.TARGET, None)
    assert Budget(max_tokens=1000).spent(spending) == "1,000 of 1,000 tokens"


@pytest.mark.parametrize("cost", [math.nan, math.inf, -1.0, True, "0.1"], ids=repr)
def test_a_cost_that_is_none_cannot_be_kept(cost: float) -> None:
    spending = Spending()
    spending.add(UsageRole.ATTACKER, Usage(requests=1, cost_usd=cost))
    with pytest.raises(ConfigurationError, match="does not tell its cost"):
        Budget(max_cost_usd=1.0).spent(spending)


@pytest.mark.parametrize(
    ("role", "budget", "remedy"),
    [
        pytest.param(
            UsageRole.JUDGE,
            Budget(max_cost_usd=1.0),
            r"'judge' does not tell its cost, .*: give its price with rampart\.llm\.set_price, or set",
            id="price of a model",
        ),
        pytest.param(
            UsageRole.JUDGE,
            Budget(max_tokens=9),
            "'judge' does not tell its token counts, .*: use a model that does, or set max_requests",
            id="tokens of a model",
        ),
        pytest.param(
            UsageRole.TARGET,
            Budget(max_cost_usd=1.0),
            "'target' does not tell its cost, .*: have the agent's adapter report cost_usd in Resp",
            id="cost of the agent",
        ),
        pytest.param(
            UsageRole.TARGET,
            Budget(max_tokens=9),
            "'target' .*: have the agent's adapter report input_tokens and output_tokens in Resp",
            id="tokens of the agent",
        ),
    ],
)
def test_a_budget_that_cannot_be_kept_says_what_would_help(
    role: UsageRole, budget: Budget, remedy: str
) -> None:
    spending = Spending()
    spending.add(role, Usage(requests=1))
    with pytest.raises(ConfigurationError, match=remedy):
        budget.spent(spending)


def test_a_sum_with_something_that_is_no_amount_does_not_fail() -> None:
    spending = Spending()
    spending.add(UsageRole.TARGET, Usage(input_tokens="5", requests=1))  # type: ignore[arg-type]  # hostile
    spending.add(UsageRole.TARGET, Usage(input_tokens=5, requests=1))
    assert spending.by_role() == {"target": Usage(requests=2)}
