"""What language models consumed, as a line of the terminal's summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.text.oneline import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

METADATA_KEY = "usage"
"""Where a report's metadata holds what language models consumed."""


def usage_lines(metadata: Mapping[str, Any]) -> list[str]:
    """What to print below the totals; nothing where nothing is known."""
    found = metadata.get(METADATA_KEY)
    if not found:
        return []
    return ["Models: " + "; ".join(f"{one_line(role)} {_shown(usage)}" for role, usage in found.items())]


def _shown(usage: Mapping[str, Any]) -> str:
    parts = []
    if usage["requests"] is not None:
        parts.append(f"{usage['requests']:,} request{'' if usage['requests'] == 1 else 's'}")
    if usage["input_tokens"] is not None and usage["output_tokens"] is not None:
        parts.append(f"{usage['input_tokens']:,} + {usage['output_tokens']:,} tokens")
    parts.append("cost unknown" if usage["cost_usd"] is None else f"${usage['cost_usd']:,.4f}")
    silent = usage["silent_calls"]
    more = f" and {silent:,} call{'' if silent == 1 else 's'} of which nothing is known" if silent else ""
    return ", ".join(parts) + more
