"""What an attacker model gets to see of what an agent did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.attacks.attacker import shown_reply
from rampart.text.json_data import json_data
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.types import Response, ToolCall, Turn

_CALLS = 30
_TURNS = 20
_VALUE = 1_000


def observed_conversation(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    """The last turns of a conversation as data, with what is long cut short."""
    return [
        {
            "user": _cut(turn.request.prompt or ""),
            "agent_actions": _actions(turn.response),
            "agent_reply": shown_reply(turn.response.text),
        }
        for turn in turns[-_TURNS:]
    ]


def as_text(conversation: list[dict[str, Any]]) -> str:
    """The same as one text, for a grader."""
    return json_data({"conversation": conversation})


def _actions(response: Response) -> list[dict[str, Any]]:
    actions = [_action(call) for call in response.tool_calls[:_CALLS]]
    actions += [
        {"effect": _cut(effect.kind), "details": _cut(safe_str(effect.details))}
        for effect in response.side_effects[:_CALLS]
    ]
    left_out = len(response.tool_calls) + len(response.side_effects) - len(actions)
    return [*actions, {"left_out": left_out}] if left_out > 0 else actions


def _action(call: ToolCall) -> dict[str, Any]:
    arguments = call.raw_arguments if call.raw_arguments is not None else safe_str(call.arguments)
    action = {"tool": _cut(call.name), "arguments": _cut(arguments)}
    if call.result is not None:
        action["result"] = _cut(safe_str(call.result))
    if call.error is not None:
        action["error"] = _cut(call.error)
    return action


def _cut(text: str) -> str:
    left_out = len(text) - _VALUE
    return text if left_out <= 0 else f"{text[:_VALUE]}... ({left_out} characters left out)"
