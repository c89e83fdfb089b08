"""What a reply that came through pydantic-ai consumed, and what it cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rampart.core.log import log
from rampart.core.types import Usage
from rampart.llm.prices import cost_usd

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

_NO_PLACE = "none:"
"""For a service whose address is not known: no list of prices has it, and prices of one's own still count."""


def usage_of_response(response: ModelResponse, *, model_name: str, requests: int) -> Usage:
    """What a reply consumed; None where it is not known.

    pydantic-ai writes 0 both for nothing and for what the service did not tell, so a 0 is taken for unknown.

    Args:
        response: The reply.
        model_name: The model that was asked for; the reply may name a version of it.
        requests: Requests that were made for the reply, failed ones included.
    """
    told = response.usage
    if told.unmeasured_requests:
        return Usage(requests=requests)
    usage = Usage(
        input_tokens=told.input_tokens or None,
        cached_input_tokens=told.cache_read_tokens or None,
        output_tokens=told.output_tokens or None,
        reasoning_tokens=told.details.get("reasoning_tokens"),
        requests=requests,
    )
    return replace(usage, cost_usd=_cost_usd(response, usage, model_name=model_name))


def _cost_usd(response: ModelResponse, usage: Usage, *, model_name: str) -> float | None:
    """The cost that the service states, else that of a price of one's own, else that of genai-prices.

    A service is known by its address, so that a server of one's own has no price whatever its models are
    called; those of providers that give none are known by the provider's name.
    """
    if response.usage.cost is not None:
        return float(response.usage.cost)
    names = (model_name, response.model_name or "")
    cost = cost_usd(usage, models=names, url=response.provider_url or _NO_PLACE)
    if cost is not None or response.provider_url is not None or not response.provider_name:
        return cost
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return _listed_usd(response)


def _listed_usd(response: ModelResponse) -> float | None:
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        return None  # neither the provider nor the model need be listed
    except Exception as error:  # a list of prices must not fail a call that succeeded
        log.debug("genai-prices gives no price for %s", response.model_name, exc_info=error)
        return None
