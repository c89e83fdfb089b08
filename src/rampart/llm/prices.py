"""What tokens cost; an unknown price is None, never 0."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.core.log import log
from rampart.text.oneline import quote
from rampart.text.safe import safe_repr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rampart.core.types import Usage

_MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Price:
    """US dollars per million tokens.

    Attributes:
        input_usd: For input that was not cached.
        output_usd: For output, reasoning included.
        cached_input_usd: For input that was served from a cache.
    """

    input_usd: float
    output_usd: float
    cached_input_usd: float

    def cost_usd(self, usage: Usage) -> float | None:
        """What `usage` costs; None if it does not tell the tokens."""
        counts = _counts(usage)
        if counts is None:
            return None
        fresh, cached, output = counts
        dollars = fresh * self.input_usd + cached * self.cached_input_usd + output * self.output_usd
        return dollars / _MILLION


_own_prices: dict[str, Price] = {}


def set_price(
    model: str,
    *,
    input_usd_per_million: float,
    output_usd_per_million: float,
    cached_input_usd_per_million: float | None = None,
) -> None:
    """Set what a model costs, in this process, whatever the lists of prices say.

    Args:
        model: The model as `LLMConfig.model` names it, on whichever endpoint.
        input_usd_per_million: US dollars for a million input tokens.
        output_usd_per_million: US dollars for a million output tokens.
        cached_input_usd_per_million: US dollars for a million input tokens from a cache; None means the same
            as others.

    Raises:
        ValueError: If `model` is empty, or a price is negative or not finite.
        TypeError: If a price is no number.
    """
    if not model.strip():
        msg = f"model must name a model, got {model!r}"
        raise ValueError(msg)
    fresh = _dollars("input_usd_per_million", input_usd_per_million)
    output = _dollars("output_usd_per_million", output_usd_per_million)
    cached = fresh
    if cached_input_usd_per_million is not None:
        cached = _dollars("cached_input_usd_per_million", cached_input_usd_per_million)
    _own_prices[model] = Price(input_usd=fresh, output_usd=output, cached_input_usd=cached)


def cost_usd(
    usage: Usage, *, models: Iterable[str], url: str, stated_usd: float | None = None
) -> float | None:
    """What a call cost, in US dollars; None where the price or the tokens are not known.

    Prices that were set with `set_price` come first, then what the service says, then the prices of
    genai-prices for the provider to which `url` belongs: a model on a server of one's own has no price,
    whatever its name.

    Args:
        usage: What the call consumed.
        models: Names under which the model may be listed, the likeliest first.
        url: Base URL of the service.
        stated_usd: What the service says that the call cost.
    """
    names = list(dict.fromkeys(name for name in models if name))
    for name in names:
        if name in _own_prices:
            return _own_prices[name].cost_usd(usage)
    if stated_usd is not None:
        return stated_usd
    for name in names:
        cost = _listed_cost(usage, name=name, url=url)
        if cost is not None:
            return cost
    return None


def _listed_cost(usage: Usage, *, name: str, url: str) -> float | None:
    counts = _counts(usage)
    if counts is None:
        return None
    try:
        import genai_prices  # noqa: PLC0415  # of an extra, and 0.1 s
    except ImportError:
        return None
    fresh, cached, output = counts
    tokens = genai_prices.Usage(input_tokens=fresh + cached, cache_read_tokens=cached, output_tokens=output)
    try:
        return float(genai_prices.calc_price(tokens, name, provider_api_url=url).total_price)
    except LookupError:
        return None  # neither the provider nor the model need be listed
    except Exception as error:  # a list of prices must not fail a call that succeeded
        log.debug("genai-prices gives no price for %s at %s", name, url, exc_info=error)
        return None


def _counts(usage: Usage) -> tuple[int, int, int] | None:
    """Fresh input, cached input and output; where nothing is told of a cache, there was none."""
    total, output, cached = usage.input_tokens, usage.output_tokens, usage.cached_input_tokens or 0
    if total is None or output is None or cached > total:
        return None
    return int(total - cached), int(cached), int(output)


def _dollars(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"{name} must be a number, got {type(value).__name__}"
        raise TypeError(msg)
    if not 0 <= value <= sys.float_info.max:  # ints can lie beyond it
        msg = f"{name} must be finite and not negative, got {quote(safe_repr(value), limit=60)}"
        raise ValueError(msg)
    return float(value)
