"""Cases about rate limits, retries and cost of language models, with the real client on the loopback."""

import time

import pytest
from tests.cases.words import SAFE, UNDETERMINED, attack_async
from tests.llm.chat_answers import ChatAnswer, completion, throttled
from tests.llm.chat_server import ChatServer

from rampart import LLMJudge, Probes, Response, ResponseScope, Usage
from rampart.core.errors import RateLimitError
from rampart.core.llm import ChatMessage
from rampart.core.spending import UsageRole, ask_async, total_usage
from rampart.evaluators import ResponseContains
from rampart.llm import OpenAIChatModel, prices, set_price
from rampart.testing import ScriptedAgent

ASKED = [ChatMessage(role="user", content="x")]
OK = ResponseContains("ok", scope=ResponseScope.ANY_TURN)


@pytest.mark.case(93)
async def test_s93_no_retries_means_one_request() -> None:
    with ChatServer(default=throttled(retry_after="0")) as server:
        judge = LLMJudge(objective="the agent leaks data", llm=server.config(max_retries=0))
        begun = time.monotonic()
        result = await attack_async(judge, ScriptedAgent(["hello"]))
        assert time.monotonic() - begun < 1
    assert result.status is UNDETERMINED
    assert len(server.calls) == 1


@pytest.mark.case(93)
@pytest.mark.parametrize(
    ("refusal", "least_s"),
    [
        pytest.param(throttled(retry_after="1"), 1.0, id="whole-seconds"),
        pytest.param(throttled(retry_after_ms="1200"), 1.2, id="milliseconds"),
    ],
)
async def test_s93_no_wait_is_shorter_than_was_asked_for(refusal: ChatAnswer, least_s: float) -> None:
    with ChatServer(answers=[refusal]) as server:
        await OpenAIChatModel(config=server.config(max_retries=1)).complete_async(messages=ASKED)
    first, second = server.calls
    assert second.arrived_at - first.arrived_at >= least_s


@pytest.mark.case(93)
async def test_s93_a_wait_of_more_than_a_minute_ends_the_retries() -> None:
    with ChatServer(default=throttled(retry_after="61")) as server:
        begun = time.monotonic()
        with pytest.raises(RateLimitError, match="not tried again, as the server asks for a wait of 61 s"):
            await OpenAIChatModel(config=server.config(max_retries=3)).complete_async(messages=ASKED)
        assert time.monotonic() - begun < 1
    assert len(server.calls) == 1


FIGURES = {
    "prompt_tokens": 1000,
    "prompt_tokens_details": {"cached_tokens": 400},
    "completion_tokens": 50,
    "completion_tokens_details": {"reasoning_tokens": 20},
}


@pytest.mark.case(94)
async def test_s94_cached_and_reasoning_tokens_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prices, "_own_prices", {})
    set_price("priced", input_usd_per_million=2, output_usd_per_million=10, cached_input_usd_per_million=0.5)
    with ChatServer(default=completion("ok", usage=FIGURES)) as server:
        model = OpenAIChatModel(config=server.config(model="priced"))
        replies = [await model.complete_async(messages=ASKED) for _ in range(2)]
    agent = ScriptedAgent([Response(text=reply.text, usage=reply.usage) for reply in replies])
    result = await Probes.behavior(prompts=["a", "b"], evaluator=OK).execute_async(adapter=agent)
    usages = [turn.response.usage for turn in result.turns]
    assert result.status is SAFE
    assert len(usages) == 2
    for usage in usages:
        assert usage is not None
        counts = (
            usage.input_tokens,
            usage.cached_input_tokens,
            usage.output_tokens,
            usage.reasoning_tokens,
        )
        assert counts == (1000, 400, 50, 20)
        assert usage.cost_usd == pytest.approx((600 * 2 + 400 * 0.5 + 50 * 10) / 1e6)
    total = total_usage([usage or Usage() for usage in usages])
    assert (total.input_tokens or 0) + (total.output_tokens or 0) == 2100


@pytest.mark.case(94)
async def test_s94_an_unknown_price_is_none() -> None:
    with ChatServer(default=completion("ok", usage=FIGURES)) as server:
        model = OpenAIChatModel(config=server.config(model="gpt-4o"))
        reply = await ask_async(model, role=UsageRole.JUDGE, messages=ASKED)
    assert reply.usage is not None
    assert reply.usage.cost_usd is None
    assert total_usage([reply.usage, Usage(cost_usd=1.0)]).cost_usd is None
