"""What replies of all formats are written from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.types import ToolCall, Usage
    from rampart.servers.llm_gateway.steps import GatewayReply

_PIECE = 24


@dataclass(frozen=True, kw_only=True)
class CallParts:
    """A tool call as it is written.

    Attributes:
        id: Its id.
        name: The tool.
        arguments: The arguments as text.
        object: The arguments as an object; None if they are none.
    """

    id: str
    name: str
    arguments: str
    object: dict[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class ReplyParts:
    """A reply as it is written.

    Attributes:
        id: A word that no other reply has.
        model: The model's name.
        text: What it says.
        calls: The tools that it asks for.
        usage: What it says that it used.
        created: When, in seconds since 1970.
    """

    id: str
    model: str
    text: str
    calls: tuple[CallParts, ...]
    usage: Usage | None
    created: int


def parts_of(reply: GatewayReply, *, reply_id: str, model: str, number: int, created: int) -> ReplyParts:
    """The parts of a scripted reply; calls without an id are numbered."""
    calls = tuple(
        _call(call, call_id=call.id or f"call_{number}_{place}")
        for place, call in enumerate(reply.tool_calls, 1)
    )
    return ReplyParts(
        id=reply_id, model=model, text=reply.text, calls=calls, usage=reply.usage, created=created
    )


def pieces(text: str) -> Iterator[str]:
    """The text, cut as a stream would cut it; at least one piece."""
    yield text[:_PIECE]
    for start in range(_PIECE, len(text), _PIECE):
        yield text[start : start + _PIECE]


def event(data: object, *, name: str | None = None) -> bytes:
    """A server-sent event."""
    body = data if isinstance(data, str) else json.dumps(data)
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {body}\n\n".encode()


def _call(call: ToolCall, *, call_id: str) -> CallParts:
    raw = call.raw_arguments
    return CallParts(
        id=call_id,
        name=call.name,
        arguments=json.dumps(call.arguments, default=safe_str) if raw is None else raw,
        object=call.arguments if raw is None else None,
    )
