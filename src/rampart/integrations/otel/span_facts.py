"""What a span tells of an agent, in words that all conventions share."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.core.types import Usage
    from rampart.integrations.otel.collected_span import CollectedSpan


class SpanKind(Enum):
    """What a span is about."""

    TOOL = "tool"
    MODEL = "model"
    AGENT = "agent"


@dataclass(slots=True, kw_only=True)
class AskedCall:
    """A tool call in a message of a model.

    Attributes:
        name: The tool.
        arguments: A mapping or text; None where they are hidden.
        id: The call's id.
    """

    name: str
    arguments: Any = None
    id: str | None = None


@dataclass(slots=True, kw_only=True)
class SpanFacts:
    """What one span tells.

    Attributes:
        kind: What it is about.
        tool_name: The tool that ran.
        call_id: The call's id.
        arguments: A mapping or text; None where they are hidden.
        result: What the tool returned; None where that is hidden.
        error: What it failed with.
        executed: False where the span only says that there is no such tool.
        asked: The calls in the model's reply.
        answers: What the model was told of earlier calls, by their id.
        offered: The names of the tools that there are; None where that is not told.
        wants_tools: Whether the model stopped in order to have tools called.
        hides_reply: Whether the model replied something that the span does not tell.
        usage: What the model, or all models of an agent, used.
    """

    kind: SpanKind
    tool_name: str = ""
    call_id: str | None = None
    arguments: Any = None
    result: Any = None
    error: str | None = None
    executed: bool = True
    asked: list[AskedCall] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)
    offered: frozenset[str] | None = None
    wants_tools: bool = False
    hides_reply: bool = False
    usage: Usage | None = None


def first(attributes: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """The value of the first of these names that is there; None without any."""
    return next((attributes[name] for name in names if attributes.get(name) is not None), None)


def text_of(value: object) -> str | None:
    """A text that is not empty, or None."""
    return value if isinstance(value, str) and value else None


def parsed(value: object) -> Any:
    """JSON as what it stands for; None for what is none."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def opened(value: object) -> Any:
    """A result as it was: JSON objects and lists are parsed, any other text is what the tool returned."""
    if not isinstance(value, str):
        return value
    inner: Any = parsed(value)
    return inner if isinstance(inner, dict | list) else value


def only_text(result: Any) -> Any:
    """The text of a result that is one block of text."""
    if isinstance(result, list) and len(result) == 1 and isinstance(result[0], dict):
        block = result[0]
        if isinstance(block.get("text"), str) and block.keys() <= {"text", "type"}:
            return block["text"]
    return result


def error_of(span: CollectedSpan) -> str | None:
    """What a span failed with: its exception, the text of its status, or the type of its error."""
    for event in reversed(span.events):
        if event.name == "exception":
            kind = str(event.attributes.get("exception.type") or "exception")
            message = event.attributes.get("exception.message")
            return f"{kind}: {message}" if message else kind
    error_type = span.attributes.get("error.type")
    if span.failed and span.status_text:
        return span.status_text
    if error_type:
        return str(error_type)
    return "the span failed, and does not say why" if span.failed else None


def names_of(definitions: object) -> frozenset[str] | None:
    """The names in a list of tool definitions."""
    given = parsed(definitions)
    if not isinstance(given, list):
        return None
    names = set()
    for one in given:
        entry: Any = parsed(one) or one
        if isinstance(entry, dict):
            inner = entry.get("function")
            entry = (inner if isinstance(inner, dict) else entry).get("name")
        if not isinstance(entry, str):
            return None  # a hosted tool, say: what it offers is not told
        names.add(entry)
    return frozenset(names)
