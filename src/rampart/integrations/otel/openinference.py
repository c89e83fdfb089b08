"""The OpenInference conventions (`openinference.span.kind`, `tool.*`, `llm.*`).

Source: the specification of OpenInference, `spec/semantic_conventions.md`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rampart.integrations.otel.span_facts import (
    AskedCall,
    SpanFacts,
    SpanKind,
    error_of,
    first,
    opened,
    text_of,
)
from rampart.integrations.otel.token_counts import tokens_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.integrations.otel.collected_span import CollectedSpan

_KINDS = {"TOOL": SpanKind.TOOL, "LLM": SpanKind.MODEL, "AGENT": SpanKind.AGENT}
_NAMES = ("tool.name", "tool_call.function.name")
_IDS = ("tool.id", "tool_call.id", "tool.call.id")
_ARGUMENTS = ("tool.parameters", "tool_call.function.arguments", "input.value")
_ASKED = re.compile(
    r"llm\.output_messages\.(\d+)\.message\.tool_calls\.(\d+)\.tool_call\.(id|function\.name|function\.arguments)"
)


def read(span: CollectedSpan) -> SpanFacts | None:
    """What the span tells; None if it does not follow these conventions."""
    given = span.attributes.get("openinference.span.kind")
    kind = _KINDS.get(given.upper()) if isinstance(given, str) else None
    if kind is None:
        return None
    has = span.attributes
    if kind is not SpanKind.TOOL:
        told = "output.value" in has or any(name.startswith("llm.output_messages.") for name in has)
        hides = kind is SpanKind.MODEL and not told and error_of(span) is None
        return SpanFacts(kind=kind, asked=_asked(has), usage=tokens_in(has), hides_reply=hides)
    return SpanFacts(
        kind=kind,
        tool_name=text_of(first(has, _NAMES)) or span.name,
        call_id=text_of(first(has, _IDS)),
        arguments=_arguments(has),
        result=opened(has.get("output.value")),
        error=error_of(span),
    )


def _arguments(has: Mapping[str, Any]) -> Any:
    # `tool.parameters` holds arguments in some instrumentations, and their schema in others.
    for name in _ARGUMENTS:
        given = has.get(name)
        value = opened(given)
        is_schema = isinstance(value, dict) and value.get("type") == "object" and "properties" in value
        if given is not None and given != "__REDACTED__" and not is_schema:
            return given
    return None


def _asked(has: Mapping[str, Any]) -> list[AskedCall]:
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for name, value in has.items():
        match = _ASKED.fullmatch(name)
        if match is not None:
            found.setdefault((int(match[1][:9]), int(match[2][:9])), {})[match[3]] = value
    return [
        AskedCall(
            name=call["function.name"], arguments=call.get("function.arguments"), id=text_of(call.get("id"))
        )
        for _, call in sorted(found.items())
        if isinstance(call.get("function.name"), str)
    ]
