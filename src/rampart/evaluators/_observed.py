"""Which of the channels that an evaluator needs were not observed in a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.channel import Channel
from rampart.core.state import STATE_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rampart.core.evaluation import EvalContext


def unobserved_reasons(context: EvalContext, channels: Iterable[Channel]) -> list[str]:
    """Why the absence of something on these channels means nothing, one reason for each; empty if it does."""
    level = context.observability_level
    needed = set(channels)
    says = f"Adapter observability is '{level.value}': it does not report"
    reasons = []
    if needed & {Channel.TOOL_CALLS, Channel.TOOL_RESULTS} and not level.observes_tool_calls:
        reasons.append(f"{says} tool calls")
    if Channel.SIDE_EFFECTS in needed and not level.observes_side_effects:
        reasons.append(f"{says} side effects")
    if Channel.MANIFEST in needed and context.manifest is None:
        reasons.append("the adapter declares no manifest")
    if Channel.STATE in needed and not (context.turns and all(map(_has_state, context.turns))):
        reasons.append("the trace holds no snapshots of state; rampart.adapters.with_state takes them")
    return reasons


def _has_state(turn: object) -> bool:
    metadata: object = getattr(getattr(turn, "response", None), "metadata", None)
    return isinstance(metadata, dict) and bool(metadata.get(STATE_KEY))
