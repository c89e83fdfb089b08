"""What a completion says that it consumed."""

from __future__ import annotations

from typing import Any

from rampart.core.types import Usage

_LARGEST = 2**53
"""Beyond it, which no service means, JSON and floats are no longer exact."""


def usage_of(figures: Any, *, requests: int) -> Usage:
    """Read the `usage` of a completion; what is not told, or is no count, is None.

    Args:
        figures: The object as the protocol has it. `prompt_tokens` holds cached tokens too, and
            `completion_tokens` those of reasoning, so that neither is to be added.
        requests: Requests that were made for the completion, failed ones included.
    """
    told = figures if isinstance(figures, dict) else {}
    return Usage(
        input_tokens=_count(told, "prompt_tokens"),
        cached_input_tokens=_count(_details(told, "prompt_tokens_details"), "cached_tokens"),
        output_tokens=_count(told, "completion_tokens"),
        reasoning_tokens=_count(_details(told, "completion_tokens_details"), "reasoning_tokens"),
        requests=requests,
    )


def stated_cost_usd(figures: Any) -> float | None:
    """What the service itself says that the call cost, in US dollars: `cost`, as OpenRouter sends it."""
    cost = figures.get("cost") if isinstance(figures, dict) else None
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost <= _LARGEST:
        return None
    return float(cost)


def _details(figures: dict[str, Any], key: str) -> dict[str, Any]:
    details = figures.get(key)
    return details if isinstance(details, dict) else {}


def _count(figures: dict[str, Any], key: str) -> int | None:
    value = figures.get(key)
    return (
        value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST else None
    )
