"""Scripted replies as chat completions.

Format: the `openai` package 3.57, `openai.types.chat`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.servers.llm_gateway.reply_parts import event, pieces
from rampart.servers.llm_wire.chat_completions import DONE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.types import Usage
    from rampart.servers.llm_gateway.reply_parts import CallParts, ReplyParts


def body(reply: ReplyParts) -> dict[str, Any]:
    """The reply in one piece."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if reply.calls:
        message["tool_calls"] = [_call(call, call.arguments) for call in reply.calls]
    whole = {
        **_head(reply, "chat.completion"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": _reason(reply)}],
    }
    return whole if reply.usage is None else {**whole, "usage": _usage(reply.usage)}


def events(reply: ReplyParts, *, counts_usage: bool) -> Iterator[bytes]:
    """The reply in pieces."""
    yield _chunk(reply, {"role": "assistant", "content": ""})
    if reply.text:
        for piece in pieces(reply.text):
            yield _chunk(reply, {"content": piece})
    for index, call in enumerate(reply.calls):
        yield _chunk(reply, {"tool_calls": [{"index": index, **_call(call, "")}]})
        for piece in pieces(call.arguments):
            yield _chunk(reply, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _chunk(reply, {}, reason=_reason(reply))
    if counts_usage and reply.usage is not None:
        yield event({**_head(reply, "chat.completion.chunk"), "choices": [], "usage": _usage(reply.usage)})
    yield event(DONE)


def _head(reply: ReplyParts, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{reply.id}", "object": kind, "created": reply.created, "model": reply.model}


def _chunk(reply: ReplyParts, delta: dict[str, Any], *, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return event({**_head(reply, "chat.completion.chunk"), "choices": [choice]})


def _call(call: CallParts, arguments: str) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _reason(reply: ReplyParts) -> str:
    return "tool_calls" if reply.calls else "stop"


def _usage(usage: Usage) -> dict[str, Any]:
    into, out = usage.input_tokens or 0, usage.output_tokens or 0
    counts: dict[str, Any] = {
        "prompt_tokens": into,
        "completion_tokens": out,
        "total_tokens": into + out,
    }
    if usage.cached_input_tokens is not None:
        counts["prompt_tokens_details"] = {"cached_tokens": usage.cached_input_tokens}
    if usage.reasoning_tokens is not None:
        counts["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning_tokens}
    return counts
