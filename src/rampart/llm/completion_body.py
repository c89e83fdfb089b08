"""A chat completion, read from what the service sent."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from rampart.core.errors import ChatModelError, EmptyCompletionError
from rampart.llm.refusal import refusal_of
from rampart.text.oneline import quote


@dataclass(frozen=True, kw_only=True)
class CompletionBody:
    """What of a completion is used.

    Attributes:
        text: The reply, never blank.
        finish_reason: Why the model stopped, such as `stop` or `length`; empty where it is not said.
        usage: The figures of consumption, as they were sent.
        model: The model that answered, as the service names it; empty where it is not said.
    """

    text: str
    finish_reason: str
    usage: Any
    model: str


def stated_error(body: str) -> int | None:
    """The status that a successful response states in an `error` of its own; None where it states none."""
    value = _decoded(body)
    error = value.get("error") if isinstance(value, dict) else None
    if not error:
        return None
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and re.fullmatch("[45][0-9]{2}", code):
        code = int(code)
    return code if isinstance(code, int) and 400 <= code < 600 else 400


def read_completion(body: str, *, who: str) -> CompletionBody:
    """Read a completion.

    Args:
        body: The response's body.
        who: The model and its place, as messages name them.

    Raises:
        EmptyCompletionError: If the model answered nothing, or refused to.
        ChatModelError: If it is no completion.
    """
    value = _decoded(body)
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list):
        raise ChatModelError(_no_completion(body, who=who))
    if not choices:
        msg = f"{who} answered nothing: its completion holds no choice"
        raise EmptyCompletionError(msg)
    choice = choices[0] if isinstance(choices[0], dict) else {}
    message = choice.get("message")
    content = message.get("content") if isinstance(message, dict) else 0
    if not isinstance(message, dict) or not isinstance(content, str | None):
        raise ChatModelError(_no_completion(body, who=who))
    reason = choice.get("finish_reason")
    reason = reason if isinstance(reason, str) else ""
    if content is None or not content.strip() or reason == "content_filter":
        raise EmptyCompletionError(f"{who} answered nothing: {_why_empty(message, reason=reason)}")
    model = value.get("model")
    return CompletionBody(
        text=content,
        finish_reason=reason,
        usage=value.get("usage"),
        model=model if isinstance(model, str) else "",
    )


def _decoded(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _no_completion(body: str, *, who: str) -> str:
    return (
        f"{who} answered with something that is no chat completion: {refusal_of(body).text}; "
        "LLMConfig.endpoint usually ends in /v1"
    )


def _why_empty(message: dict[str, Any], *, reason: str) -> str:
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        return f"it refused ('{quote(refusal, limit=200)}')"
    if reason == "content_filter":
        return "its content filter took the reply away (finish_reason content_filter)"
    if reason == "length":
        return (
            "its tokens ended before the reply began (finish_reason length); raise max_completion_tokens or "
            "max_tokens in LLMConfig.metadata"
        )
    return f"the reply is empty (finish_reason {quote(reason, limit=60) or 'not stated'})"
