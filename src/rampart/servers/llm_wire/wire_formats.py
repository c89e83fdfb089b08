"""Which format a request to a model is in, told by its path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from rampart.servers.llm_wire import anthropic_messages, chat_completions, responses

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.servers.llm_wire.items import OfferedTool, WireReply, WireRequest


class ReplyStream(Protocol):
    """Puts a reply together that comes in pieces."""

    ended: bool

    def take(self, data: str, /) -> None:
        """Take the data of one event."""
        ...

    def body(self) -> dict[str, Any]:
        """The reply as it would have come in one piece, as far as it is there."""
        ...


@dataclass(frozen=True, kw_only=True)
class WireFormat:
    """How requests and replies of an API are read.

    Attributes:
        name: The API, such as `chat completions`.
        read_request: Reads the JSON of a request.
        read_reply: Reads the JSON of a reply.
        stream: Makes what puts a streamed reply together.
        loaded_tools: The tools that a reply makes known to the model.
    """

    name: str
    read_request: Callable[[dict[str, Any]], WireRequest]
    read_reply: Callable[[dict[str, Any]], WireReply]
    stream: Callable[[], ReplyStream]
    loaded_tools: Callable[[dict[str, Any]], list[OfferedTool]] = lambda _: []


CHAT = WireFormat(
    name="chat completions",
    read_request=chat_completions.read_request,
    read_reply=chat_completions.read_reply,
    stream=chat_completions.ChatStream,
)
RESPONSES = WireFormat(
    name="responses",
    read_request=responses.read_request,
    read_reply=responses.read_reply,
    stream=responses.ResponseStream,
    loaded_tools=responses.loaded_tools,
)
MESSAGES = WireFormat(
    name="messages",
    read_request=anthropic_messages.read_request,
    read_reply=anthropic_messages.read_reply,
    stream=anthropic_messages.MessageStream,
)

_BY_ENDING = {
    "/chat/completions": CHAT,
    "/responses": RESPONSES,
    "/messages": MESSAGES,
    ":rawPredict": MESSAGES,  # Anthropic's models on Google's Vertex AI
    ":streamRawPredict": MESSAGES,
    "/invoke": MESSAGES,  # and on Amazon's Bedrock
    "/invoke-with-response-stream": MESSAGES,
}
_RETRIEVED = re.compile(r"/responses/([^/]+)")
_NO_CALLS = ("/count_tokens", "/input_tokens", "/compact", "/tokenize")
_OTHER_MODEL_API = re.compile(r"/(threads|realtime|batches)(/|$)")


def format_of(method: str, path: str) -> WireFormat | None:
    """The format of a request; None if it is none to a model, or one that cannot be read."""
    path = path.rstrip("/")
    if method == "GET":
        return RESPONSES if retrieved_id(method, path) else None
    if method != "POST" or _OTHER_MODEL_API.search(path):
        return None
    return next((found for ending, found in _BY_ENDING.items() if path.endswith(ending)), None)


def retrieved_id(method: str, path: str) -> str | None:
    """The id of the reply that a request fetches later than it was asked for."""
    match = _RETRIEVED.search(path.rstrip("/"))
    return (
        match[1] if method == "GET" and match is not None and match.end() == len(path.rstrip("/")) else None
    )


def may_hide_calls(method: str, path: str, body: dict[str, Any]) -> bool:
    """Whether a request whose format cannot be read may have to do with tool calls."""
    path = path.rstrip("/")
    if method != "POST" or path.endswith(_NO_CALLS):
        return False
    return bool(body.get("tools")) or _OTHER_MODEL_API.search(path) is not None
