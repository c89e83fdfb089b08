"""What a chat server is asked, and what it answers: completions, and all that is none."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_HTML = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Welcome</h1></body></html>"


@dataclass(kw_only=True)
class ChatCall:
    """One request.

    Attributes:
        path: Path and query.
        headers: By lower-case name.
        arrived_at: When its head had been read, in seconds of `time.monotonic`.
        raw: The body.
    """

    path: str
    headers: Mapping[str, str]
    arrived_at: float
    raw: bytes = b""

    @cached_property
    def body(self) -> dict[str, Any]:
        """The body, decoded; empty where there is none."""
        decoded: dict[str, Any] = json.loads(self.raw or b"{}")
        return decoded


@dataclass(frozen=True, kw_only=True)
class ChatAnswer:
    """One response.

    Attributes:
        status: The status code.
        body: The whole body.
        content_type: The value of `Content-Type`.
        headers: Further headers.
        after_s: Seconds that the server thinks.
        cut_at: The connection ends after so many bytes of the body; None sends all of it.
        silent: The server never answers.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    after_s: float = 0.0
    cut_at: int | None = None
    silent: bool = False


def completion(
    text: str | None,
    *,
    usage: Mapping[str, Any] | None = None,
    finish_reason: str | None = "stop",
    refusal: str | None = None,
    after_s: float = 0.0,
    cut_at: int | None = None,
) -> ChatAnswer:
    """An ordinary completion; `usage` as the protocol writes it, by default a few tokens."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    given = (
        {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15} if usage is None else dict(usage)
    )
    return json_answer(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_760_000_000,
            "model": "small-model-2025",
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
            "usage": given or None,
        },
        after_s=after_s,
        cut_at=cut_at,
    )


def json_answer(
    value: Any, *, status: int = 200, after_s: float = 0.0, cut_at: int | None = None
) -> ChatAnswer:
    """Any JSON."""
    return ChatAnswer(status=status, body=json.dumps(value).encode(), after_s=after_s, cut_at=cut_at)


def refused(
    status: int, message: str = "no", *, code: str | None = None, headers: Mapping[str, str] | None = None
) -> ChatAnswer:
    """An error in the form that OpenAI gives it."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return ChatAnswer(status=status, body=json.dumps({"error": error}).encode(), headers=headers or {})


def throttled(*, retry_after: str | None = None, retry_after_ms: str | None = None) -> ChatAnswer:
    """A refusal by rate: 429, with the headers that say when to come back, or without."""
    stated = {"Retry-After": retry_after, "retry-after-ms": retry_after_ms}
    headers = {name: value for name, value in stated.items() if value is not None}
    return refused(429, "Rate limit reached for requests", code="rate_limit_exceeded", headers=headers)


def html(status: int = 200) -> ChatAnswer:
    """A page, as proxies and wrong addresses give it."""
    return ChatAnswer(status=status, body=_HTML, content_type="text/html; charset=utf-8")


def redirect(url: str) -> ChatAnswer:
    """Sends the client elsewhere, with its method and body."""
    return ChatAnswer(status=307, headers={"Location": url})


def silent() -> ChatAnswer:
    """The server takes the request and never answers."""
    return ChatAnswer(silent=True)


def sse_body(answer: ChatAnswer) -> bytes:
    """A completion as a stream of events, a word each."""
    whole = json.loads(answer.body)
    choice = whole["choices"][0]
    words = (choice["message"]["content"] or "").split(" ")
    spaced = [word if place == 0 else f" {word}" for place, word in enumerate(words)]
    chunks: list[dict[str, Any]] = [
        {"index": 0, "delta": {"role": "assistant", "content": word}, "finish_reason": None}
        for word in spaced
    ]
    chunks.append({"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]})
    frame = {
        "id": whole["id"],
        "object": "chat.completion.chunk",
        "created": whole["created"],
        "model": whole["model"],
    }
    events = [json.dumps({**frame, "choices": [chunk]}) for chunk in chunks]
    events.append(json.dumps({**frame, "choices": [], "usage": whole["usage"]}))
    return "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"]).encode()
