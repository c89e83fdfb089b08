"""Scripted replies as Anthropic's messages.

Format: the `anthropic` package 2.14, `anthropic.types`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.core.errors import ConfigurationError
from rampart.servers.llm_gateway.reply_parts import event, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.types import Usage
    from rampart.servers.llm_gateway.reply_parts import CallParts, ReplyParts


def body(reply: ReplyParts) -> dict[str, Any]:
    """The reply in one piece.

    Raises:
        ConfigurationError: If the arguments of a call are no object, which the format cannot carry.
    """
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    for call in reply.calls:
        if call.object is None:
            msg = f"in messages, arguments are objects; a call of {call.name!r} has text in their place"
            raise ConfigurationError(msg)
        content.append({**_call(call), "input": call.object})
    return {**_head(reply), "content": content, "stop_reason": _reason(reply), "usage": _usage(reply.usage)}


def events(reply: ReplyParts) -> Iterator[bytes]:
    """The reply in pieces."""
    counts = _usage(reply.usage)
    begun = {**_head(reply), "content": [], "stop_reason": None, "usage": {**counts, "output_tokens": 0}}
    yield event({"type": "message_start", "message": begun}, name="message_start")
    index = 0
    if reply.text:
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces(reply.text)]
        yield from _block(index, {"type": "text", "text": ""}, deltas)
        index += 1
    for place, call in enumerate(reply.calls, index):
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces(call.arguments)]
        yield from _block(place, _call(call), deltas)
    delta = {"stop_reason": _reason(reply), "stop_sequence": None}
    yield event({"type": "message_delta", "delta": delta, "usage": counts}, name="message_delta")
    yield event({"type": "message_stop"}, name="message_stop")


def _block(index: int, block: dict[str, Any], deltas: list[dict[str, str]]) -> Iterator[bytes]:
    yield event(
        {"type": "content_block_start", "index": index, "content_block": block}, name="content_block_start"
    )
    for delta in deltas:
        yield event(
            {"type": "content_block_delta", "index": index, "delta": delta}, name="content_block_delta"
        )
    yield event({"type": "content_block_stop", "index": index}, name="content_block_stop")


def _head(reply: ReplyParts) -> dict[str, Any]:
    return {
        "id": f"msg_{reply.id}",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "stop_sequence": None,
    }


def _call(call: CallParts) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}


def _reason(reply: ReplyParts) -> str:
    return "tool_use" if reply.calls else "end_turn"


def _usage(usage: Usage | None) -> dict[str, Any]:
    """The counts, which clients of this format need; 0 stands for what is not known."""
    if usage is None:
        return {"input_tokens": 0, "output_tokens": 0}
    cached = usage.cached_input_tokens or 0
    return {
        "input_tokens": (usage.input_tokens or 0) - cached,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": usage.output_tokens or 0,
    }
