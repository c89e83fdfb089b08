"""What a driver's model is shown of the latest turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.text.oneline import quote
from rampart.text.safe import safe_str
from rampart.text.secrets import redact

if TYPE_CHECKING:
    from rampart.core.evaluation import EvalResult
    from rampart.core.types import Response, Turn

LONGEST_REPLY = 20_000
"""Characters of a reply that are shown; of a longer one the first and the last half of as many."""

_MOST_TOOLS = 50
_LONGEST_NAME = 200
_LONGEST_REASON = 2_000


def reply_fields(response: Response, /) -> dict[str, Any]:
    """The text of a reply without registered secrets and, where it was cut, how much is missing."""
    text, left_out = _without_middle(redact(safe_str(response.text)))
    fields: dict[str, Any] = {"agent_reply": text}
    if left_out:
        fields["agent_reply_characters_left_out"] = left_out
    return fields


def turn_fields(turn: Turn, /) -> dict[str, Any]:
    """The reply, the names of the tools, what went wrong and how the turn was evaluated."""
    response = turn.response
    fields = reply_fields(response)
    if response.tool_calls:
        names = [quote(safe_str(call.name), _LONGEST_NAME) for call in response.tool_calls[:_MOST_TOOLS]]
        more = len(response.tool_calls) - len(names)
        fields["agent_tool_calls"] = [*names, f"and {more} more"] if more else names
    error = response.metadata.get("error")
    if error:
        fields["agent_error"] = quote(safe_str(error), _LONGEST_REASON)
    if turn.eval_result is not None:
        fields["evaluation"] = _evaluation_fields(turn.eval_result)
    return fields


def _evaluation_fields(result: EvalResult) -> dict[str, str]:
    return {
        "outcome": result.outcome.value,
        "rationale": quote(safe_str(result.rationale), _LONGEST_REASON),
    }


def _without_middle(text: str) -> tuple[str, int]:
    left_out = len(text) - LONGEST_REPLY
    if left_out <= 0:
        return text, 0
    half = LONGEST_REPLY // 2
    return f"{text[:half]} ... ({left_out:,} characters left out) ... {text[-half:]}", left_out
