"""What a reply through pydantic-ai consumed and cost: known, or None."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.usage import RequestUsage

from rampart.core.types import Usage
from rampart.llm.prices import set_price
from rampart.llm.pydantic_ai_usage import usage_of_response

ADDRESS = "https://api.openai.com/v1/"


def usage_of(told: RequestUsage, **fields: Any) -> Usage:
    response = ModelResponse(parts=[TextPart(content="yes")], usage=told, **fields)
    return usage_of_response(response, model_name="asked-for", requests=3)


def test_what_is_told_is_kept() -> None:
    told = RequestUsage(
        input_tokens=100, cache_read_tokens=40, output_tokens=20, details={"reasoning_tokens": 5}
    )
    assert usage_of(told) == Usage(
        input_tokens=100, cached_input_tokens=40, output_tokens=20, reasoning_tokens=5, requests=3
    )


@pytest.mark.parametrize(
    "told",
    [RequestUsage(), RequestUsage(input_tokens=1, output_tokens=2, unmeasured_requests=1)],
    ids=["nothing", "in-part"],
)
def test_what_is_not_told_is_unknown(told: RequestUsage) -> None:
    assert usage_of(told, model_name="gpt-4o", provider_name="openai") == Usage(requests=3)


@pytest.mark.parametrize(
    ("fields", "cost"),
    [
        pytest.param({"model_name": "gpt-4o", "provider_url": ADDRESS}, 7.5, id="address"),
        pytest.param({"model_name": "gpt-4o", "provider_name": "openai"}, 7.5, id="provider-by-name"),
        pytest.param({"model_name": "gpt-4o"}, None, id="no-provider"),
        pytest.param(
            {"model_name": "gpt-4o", "provider_name": "openai", "provider_url": "http://127.0.0.1:9/v1"},
            None,
            id="server-of-ones-own",
        ),
        pytest.param({"model_name": "no-such-model", "provider_name": "openai"}, None, id="unknown-model"),
        pytest.param({"model_name": "gpt-4o", "provider_name": "nobody"}, None, id="unknown-provider"),
        pytest.param({"provider_name": "openai"}, None, id="no-model"),
    ],
)
def test_cost_is_known_where_the_provider_and_the_model_are(
    fields: dict[str, Any], cost: float | None
) -> None:
    usage = usage_of(RequestUsage(input_tokens=1_000_000, output_tokens=500_000), **fields)
    assert usage.cost_usd == (None if cost is None else pytest.approx(cost))


@pytest.mark.parametrize("priced", ["asked-for", "answered-with"])
def test_a_price_of_ones_own_counts_whoever_serves_the_model(priced: str) -> None:
    set_price(priced, input_usd_per_million=2, output_usd_per_million=4)
    told = RequestUsage(input_tokens=1_000_000, output_tokens=500_000)
    assert usage_of(told, model_name="answered-with").cost_usd == pytest.approx(4.0)


def test_what_a_gateway_says_that_a_call_cost_counts_before_any_list() -> None:
    told = RequestUsage(input_tokens=1_000_000, output_tokens=500_000, cost=Decimal("0.25"))
    assert usage_of(told, model_name="gpt-4o", provider_url=ADDRESS).cost_usd == 0.25
