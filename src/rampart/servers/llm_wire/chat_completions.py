"""OpenAI's chat completions, which most servers of models speak.

Format: the `openai` package 3.57, `openai.types.chat`.
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

DONE = "[DONE]"


def read_request(body: dict[str, Any]) -> WireRequest:
    """A request to `/chat/completions`."""
    items: list[Item] = []
    for message in mappings(body.get("messages")):
        items += _message_items(message)
    tools = [_offered(tool) for tool in mappings(body.get("tools"))]
    tools += [_function(one) for one in mappings(body.get("functions"))]
    return WireRequest(
        items=items,
        tools=[tool for tool in tools if tool.name],
        model=text(body.get("model")),
        streams=body.get("stream") is True,
        counts_usage=mapping(body.get("stream_options")).get("include_usage") is True,
    )


def read_reply(body: dict[str, Any]) -> WireReply:
    """A whole reply."""
    if body.get("error") and not body.get("choices"):
        return WireReply(failure=error_message(body["error"]))
    messages = [mapping(choice.get("message")) for choice in mappings(body.get("choices"))]
    said = [content_text(one.get("content")) or text(one.get("refusal")) for one in messages]
    return WireReply(
        items=[call for message in messages for call in _calls(message)],
        text=said[0] if said else "",
        usage=_usage(body.get("usage")),
        id=some_id(body.get("id")),
    )


class ChatStream:
    """Puts a reply together that comes in pieces."""

    def __init__(self) -> None:
        self.ended = False
        self._head: dict[str, Any] = {}
        self._messages: dict[int, dict[str, Any]] = {}
        self._usage: object = None

    def take(self, data: str) -> None:
        """Take the data of one event."""
        if data.strip() == DONE:
            self.ended = True
            return
        chunk = mapping(parsed(data))
        if chunk.get("error"):
            self._head["error"] = chunk["error"]
        self._head.setdefault("id", chunk.get("id"))
        if chunk.get("usage"):
            self._usage = chunk["usage"]
        for choice in mappings(chunk.get("choices")):
            index = choice.get("index")
            message = self._messages.setdefault(index if isinstance(index, int) else 0, {"tool_calls": []})
            _add(message, mapping(choice.get("delta")))

    def body(self) -> dict[str, Any]:
        """The reply as it would have come in one piece, as far as it is there."""
        messages = [self._messages[index] for index in sorted(self._messages)]
        return {
            **self._head,
            "choices": [{"message": message} for message in messages],
            "usage": self._usage,
        }


def _message_items(message: dict[str, Any]) -> list[Item]:
    role = text(message.get("role"))
    content = message.get("content")
    if role == "tool":
        return [Answered(id=some_id(message.get("tool_call_id")), content=content_value(content))]
    if role == "function":
        return [Answered(name=text(message.get("name")), content=content_value(content))]
    said = content_text(content)
    items: list[Item] = [Said(role=role, text=said)] if said or role == "user" else []
    return items + _calls(message) if role == "assistant" else items


def _calls(message: dict[str, Any]) -> list[Item]:
    calls: list[Item] = []
    for call in mappings(message.get("tool_calls")):
        custom = mapping(call.get("custom"))
        function = mapping(call.get("function"))
        calls.append(
            Asked(
                name=text(custom.get("name") or function.get("name")),
                arguments=custom.get("input") if custom else function.get("arguments"),
                id=some_id(call.get("id")),
                is_text=bool(custom),
            )
        )
    old = mapping(message.get("function_call"))
    if old.get("name"):
        calls.append(Asked(name=text(old["name"]), arguments=old.get("arguments")))
    return calls


def _offered(tool: dict[str, Any]) -> OfferedTool:
    return _function(mapping(tool.get("function")) or mapping(tool.get("custom")))


def _function(function: dict[str, Any]) -> OfferedTool:
    return OfferedTool(
        name=text(function.get("name")),
        description=text(function.get("description")),
        schema=function.get("parameters"),
    )


def _usage(told: object) -> Usage | None:
    counts = mapping(told)
    return usage(
        {
            "input_tokens": counts.get("prompt_tokens"),
            "output_tokens": counts.get("completion_tokens"),
            "cached_input_tokens": mapping(counts.get("prompt_tokens_details")).get("cached_tokens"),
            "reasoning_tokens": mapping(counts.get("completion_tokens_details")).get("reasoning_tokens"),
        }
    )


def _add(message: dict[str, Any], delta: dict[str, Any]) -> None:
    for name in ("content", "refusal"):
        piece = content_text(delta.get(name))
        if piece:
            message[name] = message.get(name, "") + piece
    for call in mappings(delta.get("tool_calls")):
        _add_call(message["tool_calls"], call)
    old = mapping(delta.get("function_call"))
    if old:
        _add_texts(message.setdefault("function_call", {}), old)


def _add_call(calls: list[dict[str, Any]], piece: dict[str, Any]) -> None:
    """Add a piece to its call: by its index, unless another id says that it is a call of its own."""
    index, call_id = piece.get("index"), some_id(piece.get("id"))
    same = [call for call in calls if index is None or call["index"] == index]
    if not same or (call_id is not None and same[-1]["id"] not in {None, call_id}):
        same = [{"index": index, "id": None}]
        calls += same
    call = same[-1]
    call["id"] = call["id"] or call_id
    for kind in ("function", "custom"):
        if piece.get(kind):
            _add_texts(call.setdefault(kind, {}), mapping(piece[kind]))


def _add_texts(known: dict[str, Any], piece: dict[str, Any]) -> None:
    name = text(piece.get("name"))
    if name and known.get("name") != name:  # some servers say it with every piece
        known["name"] = known.get("name", "") + name
    for field in ("arguments", "input"):
        more = piece.get(field)
        if isinstance(more, str):
            known[field] = known.get(field, "") + more
        elif more is not None:
            known[field] = more
