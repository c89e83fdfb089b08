"""The conventions of Traceloop's OpenLLMetry (`traceloop.*`, and its early, flat `gen_ai.*`).

Source: the semantic conventions package of OpenLLMetry, `opentelemetry-semantic-conventions-ai`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rampart.integrations.otel.span_facts import (
    AskedCall,
    SpanFacts,
    SpanKind,
    error_of,
    opened,
    parsed,
    text_of,
)
from rampart.integrations.otel.token_counts import tokens_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.integrations.otel.collected_span import CollectedSpan

_KINDS = {"tool": SpanKind.TOOL, "agent": SpanKind.AGENT, "workflow": SpanKind.AGENT}
_MODEL = frozenset({"chat", "completion"})
_ASKED = re.compile(r"(?:gen_ai|llm)\.completions?\.(\d+)\.tool_calls\.(\d+)\.(id|name|arguments)")
_REASON = re.compile(r"(?:gen_ai|llm)\.completions?\.\d+\.finish_reason")
_REPLY = re.compile(r"(?:gen_ai|llm)\.completions?\.\d+\.(content|tool_calls)")
_STOPPED_FOR_TOOLS = frozenset({"tool_calls", "tool_use", "function_call"})


def read(span: CollectedSpan) -> SpanFacts | None:
    """What the span tells; None if it does not follow these conventions."""
    has = span.attributes
    given = has.get("traceloop.span.kind")
    kind = _KINDS.get(given) if isinstance(given, str) else None
    if kind is SpanKind.TOOL:
        return _tool(span)
    if kind is not None:
        return SpanFacts(kind=kind, usage=tokens_in(has))
    if has.get("llm.request.type") in _MODEL:
        reasons = [value for name, value in has.items() if _REASON.fullmatch(name)]
        wants_tools = any(isinstance(one, str) and one in _STOPPED_FOR_TOOLS for one in reasons)
        told = any(_REPLY.match(name) for name in has) or (bool(reasons) and not wants_tools)
        return SpanFacts(
            kind=SpanKind.MODEL,
            asked=_asked(has),
            wants_tools=wants_tools,
            hides_reply=not told and error_of(span) is None,
            usage=tokens_in(has),
        )
    return None


def _tool(span: CollectedSpan) -> SpanFacts:
    has = span.attributes
    return SpanFacts(
        kind=SpanKind.TOOL,
        tool_name=text_of(has.get("traceloop.entity.name")) or span.name.removesuffix(".tool"),
        call_id=text_of(has.get("gen_ai.tool.call.id")),
        arguments=_arguments(has.get("traceloop.entity.input")),
        result=_result(has.get("traceloop.entity.output")),
        error=error_of(span),
    )


def _arguments(given: Any) -> Any:
    """The arguments in what decorators and the LangChain instrumentation wrap them in."""
    value = parsed(given)
    if isinstance(value, dict):
        if value.keys() <= {"args", "kwargs"} and isinstance(value.get("kwargs"), dict):
            positional = value.get("args")
            return {**value["kwargs"], **({"args": positional} if positional else {})}
        inner = value.get("inputs")
        if isinstance(inner, dict) and "input_str" in value:
            return inner
        if isinstance(value.get("input_str"), str):
            return value["input_str"]
    return given


def _result(given: Any) -> Any:
    value = opened(given)
    return value["output"] if isinstance(value, dict) and value.keys() == {"output", "kwargs"} else value


def _asked(has: Mapping[str, Any]) -> list[AskedCall]:
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for name, value in has.items():
        match = _ASKED.fullmatch(name)
        if match is not None:
            found.setdefault((int(match[1][:9]), int(match[2][:9])), {})[match[3]] = value
    return [
        AskedCall(name=call["name"], arguments=call.get("arguments"), id=text_of(call.get("id")))
        for _, call in sorted(found.items())
        if isinstance(call.get("name"), str)
    ]
