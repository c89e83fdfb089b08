"""OpenAI's responses.

Format: the `openai` package 3.57, `openai.types.responses`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.servers.llm_wire.items import OfferedTool, Said, WireReply, WireRequest
from rampart.servers.llm_wire.plain import (
    content_text,
    error_message,
    mapping,
    mappings,
    parsed,
    some_id,
    text,
    usage,
)
from rampart.servers.llm_wire.response_items import items_of, offered_tools

if TYPE_CHECKING:
    from rampart.core.types import Usage

_FINAL_EVENTS = frozenset({"response.completed", "response.incomplete", "response.failed"})
_PENDING = frozenset({"queued", "in_progress"})
_PIECES = {
    "response.function_call_arguments": "arguments",
    "response.mcp_call_arguments": "arguments",
    "response.custom_tool_call_input": "input",
}


def read_request(body: dict[str, Any]) -> WireRequest:
    """A request to `/responses`."""
    given = body.get("input")
    items = [Said(role="user", text=given)] if isinstance(given, str) else items_of(given)
    tools = offered_tools(body.get("tools"))
    for item in mappings(given):
        tools += offered_tools(item.get("tools"))
    return WireRequest(
        items=list(items),
        tools=tools,
        may_offer_more=bool(body.get("prompt")),
        model=text(body.get("model")),
        streams=body.get("stream") is True,
        follows=some_id(body.get("previous_response_id")) or _conversation(body.get("conversation")),
    )


def read_reply(body: dict[str, Any]) -> WireReply:
    """A whole reply."""
    status = body.get("status")
    output = mappings(body.get("output"))
    said = [content_text(item.get("content")) or _refusal(item) for item in output if _is_message(item)]
    failed = status == "failed" or (bool(body.get("error")) and not output)
    return WireReply(
        items=items_of(output),
        text="".join(said),
        usage=_usage(body.get("usage")),
        id=some_id(body.get("id")),
        failure=error_message(body.get("error")) if failed else "",
        pending=status in _PENDING,
    )


def loaded_tools(body: dict[str, Any]) -> list[OfferedTool]:
    """The tools that a reply makes known to the model, which a search has found."""
    return [tool for item in mappings(body.get("output")) for tool in offered_tools(item.get("tools"))]


class ResponseStream:
    """Puts a reply together that comes in pieces."""

    def __init__(self) -> None:
        self.ended = False
        self._response: dict[str, Any] = {}
        self._items: dict[int, dict[str, Any]] = {}

    def take(self, data: str) -> None:
        """Take the data of one event."""
        event = mapping(parsed(data))
        kind = text(event.get("type"))
        if isinstance(event.get("response"), dict):
            self._response = event["response"]
        self.ended = self.ended or kind in _FINAL_EVENTS
        if kind == "error":
            self._response = {**self._response, "status": "failed", "error": event.get("error") or event}
        index = event.get("output_index")
        if not isinstance(index, int):
            return
        if isinstance(event.get("item"), dict):
            self._items[index] = event["item"]
        else:
            self._add(index, kind, event)

    def body(self) -> dict[str, Any]:
        """The reply as it would have come in one piece, as far as it is there."""
        if self.ended and self._response.get("output"):
            return self._response
        # What comes at the end names all items; some servers leave them out there.
        return {**self._response, "output": [self._items[index] for index in sorted(self._items)]}

    def _add(self, index: int, kind: str, event: dict[str, Any]) -> None:
        item = self._items.setdefault(index, {})
        name, _, what = kind.rpartition(".")
        field = _PIECES.get(name)
        if field is not None and what == "delta":
            item[field] = text(item.get(field)) + text(event.get("delta"))
        elif field is not None and isinstance(event.get(field), str):
            item[field] = event[field]
        elif kind == "response.output_text.done":
            item.setdefault("type", "message")
            item["content"] = [{"type": "output_text", "text": text(event.get("text"))}]


def _conversation(value: object) -> str | None:
    return some_id(value) or some_id(mapping(value).get("id"))


def _is_message(item: dict[str, Any]) -> bool:
    return (text(item.get("type")) or "message") == "message"


def _refusal(item: dict[str, Any]) -> str:
    return "".join(text(part.get("refusal")) for part in mappings(item.get("content")))


def _usage(told: object) -> Usage | None:
    counts = mapping(told)
    return usage(
        {
            "input_tokens": counts.get("input_tokens"),
            "output_tokens": counts.get("output_tokens"),
            "cached_input_tokens": mapping(counts.get("input_tokens_details")).get("cached_tokens"),
            "reasoning_tokens": mapping(counts.get("output_tokens_details")).get("reasoning_tokens"),
        }
    )
