"""Scripted replies as responses.

Format: the `openai` package 3.57, `openai.types.responses`.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from rampart.servers.llm_gateway.reply_parts import event, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.types import Usage
    from rampart.servers.llm_gateway.reply_parts import CallParts, ReplyParts


def response_id(reply: ReplyParts) -> str:
    """The id by which a later request goes on from the reply."""
    return f"resp_{reply.id}"


def body(reply: ReplyParts) -> dict[str, Any]:
    """The reply in one piece."""
    return {
        **_head(reply, "completed"),
        "output": _items(reply),
        "usage": None if reply.usage is None else _usage(reply.usage),
    }


def events(reply: ReplyParts) -> Iterator[bytes]:
    """The reply in pieces."""
    numbers = count()
    for told in _told(reply):
        yield event({**told, "sequence_number": next(numbers)}, name=told["type"])


def _told(reply: ReplyParts) -> Iterator[dict[str, Any]]:
    begun = {**_head(reply, "in_progress"), "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(_items(reply)):
        place = {"output_index": index, "item_id": item["id"]}
        told = _message(item, reply.text, place) if item["type"] == "message" else _call(item, place)
        empty: dict[str, Any] = {"content": []} if item["type"] == "message" else {"arguments": ""}
        yield {
            "type": "response.output_item.added",
            "output_index": index,
            "item": {**item, **empty, "status": "in_progress"},
        }
        yield from told
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": body(reply)}


def _message(item: dict[str, Any], text: str, place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    place = {**place, "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    yield {"type": "response.content_part.added", **place, "part": part}
    for piece in pieces(text):
        yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **place, "text": text, "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": item["content"][0]}


def _call(item: dict[str, Any], place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    kind = "response.function_call_arguments"
    for piece in pieces(item["arguments"]):
        yield {"type": f"{kind}.delta", **place, "delta": piece}
    yield {"type": f"{kind}.done", **place, "arguments": item["arguments"], "name": item["name"]}


def _head(reply: ReplyParts, status: str) -> dict[str, Any]:
    return {
        "id": response_id(reply),
        "object": "response",
        "created_at": reply.created,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": reply.model,
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
    }


def _items(reply: ReplyParts) -> list[dict[str, Any]]:
    items = [_function_call(reply, place, call) for place, call in enumerate(reply.calls)]
    if not reply.text and items:
        return items
    content = [{"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}]
    message = {
        "type": "message",
        "id": f"msg_{reply.id}",
        "status": "completed",
        "role": "assistant",
        "content": content,
    }
    return [message, *items]


def _function_call(reply: ReplyParts, place: int, call: CallParts) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{reply.id}_{place}",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
        "status": "completed",
    }


def _usage(usage: Usage) -> dict[str, Any]:
    into, out = usage.input_tokens or 0, usage.output_tokens or 0
    return {
        "input_tokens": into,
        "input_tokens_details": {"cached_tokens": usage.cached_input_tokens or 0, "cache_write_tokens": 0},
        "output_tokens": out,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens or 0},
        "total_tokens": into + out,
    }
