"""Spans that LangSmith's client exports of LangChain and LangGraph runs (`langsmith.span.kind`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.integrations.otel.messages import asked_in
from rampart.integrations.otel.span_facts import SpanFacts, SpanKind, error_of, opened, parsed, text_of
from rampart.integrations.otel.token_counts import tokens_in

if TYPE_CHECKING:
    from rampart.integrations.otel.collected_span import CollectedSpan

_KINDS = {"tool": SpanKind.TOOL, "llm": SpanKind.MODEL}


def read(span: CollectedSpan) -> SpanFacts | None:
    """What the span tells; None if LangSmith did not write it."""
    given = span.attributes.get("langsmith.span.kind")
    kind = _KINDS.get(given) if isinstance(given, str) else None
    if kind is None:
        return None
    has = span.attributes
    if kind is SpanKind.MODEL:
        return SpanFacts(kind=kind, asked=asked_in([has.get("gen_ai.completion")]), usage=tokens_in(has))
    output = parsed(has.get("gen_ai.completion"))
    return SpanFacts(
        kind=kind,
        tool_name=text_of(has.get("gen_ai.tool.name")) or span.name,
        call_id=text_of(has.get("gen_ai.tool.call.id")) or _id_in(output),
        arguments=has.get("gen_ai.prompt"),
        result=_result(output, has.get("gen_ai.completion")),
        error=_error(span),
    )


def _error(span: CollectedSpan) -> str | None:
    """What the tool raised, without the stack that LangSmith appends to it."""
    error = error_of(span)
    if error is None:
        return None
    return (
        error.partition("Traceback (most recent call last)")[0].removeprefix("Exception: ").strip() or error
    )


def _message(output: Any) -> dict[str, Any] | None:
    value = output.get("output") if isinstance(output, dict) else None
    if isinstance(value, dict) and isinstance(value.get("kwargs"), dict):
        value = value["kwargs"]
    return value if isinstance(value, dict) and "content" in value else None


def _id_in(output: Any) -> str | None:
    message = _message(output)
    return None if message is None else text_of(message.get("tool_call_id"))


def _result(output: Any, given: Any) -> Any:
    message = _message(output)
    if message is not None:
        return message["content"]
    if output == {}:  # of a tool that failed
        return None
    return output["output"] if isinstance(output, dict) and output.keys() == {"output"} else opened(given)
