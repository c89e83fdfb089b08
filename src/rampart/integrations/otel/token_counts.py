"""The usage that a span tells, under the names that were ever used for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.core.types import Usage
from rampart.text.safe import safe_float

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMES: dict[str, tuple[str, ...]] = {
    "input_tokens": (
        "gen_ai.usage.input_tokens",
        "gen_ai.aggregated_usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "llm.usage.prompt_tokens",
    ),
    "output_tokens": (
        "gen_ai.usage.output_tokens",
        "gen_ai.aggregated_usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "llm.usage.completion_tokens",
    ),
    "cached_input_tokens": (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.details.cache_read_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
    ),
    "reasoning_tokens": (
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.details.reasoning_tokens",
        "gen_ai.usage.reasoning_tokens",
        "llm.usage.reasoning_tokens",
        "llm.token_count.completion_details.reasoning",
    ),
}


def tokens_in(attributes: Mapping[str, Any]) -> Usage | None:
    """What is told of tokens; None if nothing is."""
    known: dict[str, int] = {}
    for field, names in _NAMES.items():
        for name in names:
            number = safe_float(attributes.get(name))
            if number is not None and number >= 0:
                known[field] = int(number)
                break
    return Usage(**known) if known else None
