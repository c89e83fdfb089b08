"""Anthropic's messages.

Format: the `anthropic` package 2.14, `anthropic.types` and `anthropic.types.beta`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.servers.llm_wire.items import Answered, Asked, Item, OfferedTool, Said, WireReply, WireRequest
from rampart.servers.llm_wire.plain import (
    content_text,
    content_value,
    error_message,
    mapping,
    mappings,
    parsed,
    some_id,
    text,
    usage,
)

if TYPE_CHECKING:
    from rampart.core.types import Usage

_BY_PROVIDER = frozenset({"server_tool_use", "mcp_tool_use"})


def read_request(body: dict[str, Any]) -> WireRequest:
    """A request to `/messages`."""
    items: list[Item] = []
    for message in mappings(body.get("messages")):
        content = message.get("content")
        role = text(message.get("role"))
        said = content_text(content)
        if said or (role == "user" and not _blocks(content)):
            items.append(Said(role=role, text=said))
        items += _blocks(content)
    tools = [
        OfferedTool(
            name=text(tool.get("name")),
            description=text(tool.get("description")),
            schema=tool.get("input_schema"),
        )
        for tool in mappings(body.get("tools"))
    ]
    return WireRequest(
        items=items,
        tools=[tool for tool in tools if tool.name],
        may_offer_more=bool(body.get("container")),
        model=text(body.get("model")),
        streams=body.get("stream") is True,
    )


def read_reply(body: dict[str, Any]) -> WireReply:
    """A whole reply."""
    if body.get("error"):
        return WireReply(failure=error_message(body["error"]), items=_blocks(body.get("content")))
    return WireReply(
        items=_blocks(body.get("content")),
        text=content_text(body.get("content")),
        usage=_usage(body.get("usage")),
        id=some_id(body.get("id")),
    )


class MessageStream:
    """Puts a reply together that comes in pieces."""

    def __init__(self) -> None:
        self.ended = False
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._usage: dict[str, Any] = {}
        self._counted = False

    def take(self, data: str) -> None:
        """Take the data of one event."""
        event = mapping(parsed(data))
        kind = event.get("type")
        index = event.get("index")
        if kind == "message_start":
            self._message = dict(mapping(event.get("message")))
            self._usage = dict(mapping(self._message.get("usage")))
        elif kind == "message_delta":
            told = mapping(event.get("usage"))
            self._counted = self._counted or bool(told)
            # The counts are those of the whole reply so far.
            self._usage |= {name: value for name, value in told.items() if value is not None}
        elif kind == "message_stop":
            self.ended = True
        elif kind == "error":
            self._message["error"] = event.get("error")
        elif kind == "content_block_start" and isinstance(index, int):
            self._blocks[index] = dict(mapping(event.get("content_block")))
        elif kind == "content_block_delta" and isinstance(index, int):
            _add(self._blocks.setdefault(index, {}), mapping(event.get("delta")))

    def body(self) -> dict[str, Any]:
        """The reply as it would have come in one piece, as far as it is there."""
        counts = self._usage if self._counted else {**self._usage, "output_tokens": None}
        content = [self._blocks[index] for index in sorted(self._blocks)]
        return {**self._message, "content": content, "usage": counts}


def _blocks(content: object) -> list[Item]:
    items: list[Item] = []
    for block in mappings(content):
        kind = text(block.get("type"))
        if kind == "tool_use" or kind in _BY_PROVIDER or kind.endswith("_tool_use"):
            items.append(
                Asked(
                    name=text(block.get("name")),
                    arguments=block.get("input"),
                    id=some_id(block.get("id")),
                    by_provider=kind in _BY_PROVIDER,
                    known=kind != "tool_use" or bool(block.get("toolset_name")),
                )
            )
        elif kind.endswith("tool_result"):
            items.append(_result(kind, block))
    return items


def _result(kind: str, block: dict[str, Any]) -> Answered:
    content = block.get("content")
    error = text(mapping(content).get("type")).endswith("_error")
    said = block.get("is_error") is True or error
    return Answered(
        id=some_id(block.get("tool_use_id")),
        content=text(mapping(content).get("error_code")) if error else content_value(content),
        # A loop may leave the mark out; the provider does not.
        failed=said or (None if kind == "tool_result" else False),
    )


def _add(block: dict[str, Any], delta: dict[str, Any]) -> None:
    if isinstance(delta.get("text"), str):
        block["text"] = text(block.get("text")) + delta["text"]
    if isinstance(delta.get("partial_json"), str):
        known = block.get("input")
        block["input"] = (known if isinstance(known, str) else "") + delta["partial_json"]


def _usage(told: object) -> Usage | None:
    counts = mapping(told)
    fresh = counts.get("input_tokens")
    cached, written = counts.get("cache_read_input_tokens"), counts.get("cache_creation_input_tokens")
    given = [number for number in (fresh, cached, written) if isinstance(number, int)]
    return usage(
        {
            "input_tokens": sum(given) if isinstance(fresh, int) else None,
            "output_tokens": counts.get("output_tokens"),
            "cached_input_tokens": cached,
            "reasoning_tokens": mapping(counts.get("output_tokens_details")).get("thinking_tokens"),
        }
    )
