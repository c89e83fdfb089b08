"""The GenAI conventions of OpenTelemetry (`gen_ai.*`), in the forms that were ever released.

Source: the semantic conventions for generative AI, whose names are written out here because they move
between packages, and what frameworks that follow them were measured to emit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.integrations.otel.messages import answers_in, asked_in
from rampart.integrations.otel.span_facts import (
    SpanFacts,
    SpanKind,
    error_of,
    first,
    names_of,
    only_text,
    opened,
    text_of,
)
from rampart.integrations.otel.token_counts import tokens_in

if TYPE_CHECKING:
    from rampart.integrations.otel.collected_span import CollectedSpan

_OPERATION = "gen_ai.operation.name"
_KINDS = {
    "execute_tool": SpanKind.TOOL,
    "chat": SpanKind.MODEL,
    "text_completion": SpanKind.MODEL,
    "generate_content": SpanKind.MODEL,
    "completion": SpanKind.MODEL,
    "responses": SpanKind.MODEL,
    "invoke_agent": SpanKind.AGENT,
    "invoke_workflow": SpanKind.AGENT,
}
_ARGUMENTS = ("gen_ai.tool.call.arguments", "gen_ai.tool.arguments", "tool_arguments")
_RESULT = ("gen_ai.tool.call.result", "anthropic.tool_result.content", "gen_ai.tool.result", "tool_response")
_OUTPUT = ("gen_ai.output.messages", "gen_ai.completion")
_INPUT = ("gen_ai.input.messages", "gen_ai.prompt")
_DEFINITIONS = ("gen_ai.tool.definitions", "gen_ai.agent.tools")
_STOPPED_FOR_TOOLS = frozenset({"tool_calls", "tool_call", "tool_use", "function_call"})
# Of several parallel calls, ADK also makes one span that stands for all of them.
_NO_TOOL = frozenset({"(merged tools)"})
_NO_ID = frozenset({"", "<not specified>", "None"})
# The type of an error of which the result says more.
_SAYS_RESULT = "tool_error"
_UNKNOWN_TOOL = ("Unknown tool: ", "Tool not found")


def read(span: CollectedSpan) -> SpanFacts | None:
    """What the span tells; None if it does not follow these conventions."""
    operation = span.attributes.get(_OPERATION)
    kind = _KINDS.get(operation) if isinstance(operation, str) else None
    if kind is None:
        return None
    return _tool(span) if kind is SpanKind.TOOL else _talk(span, kind)


def _tool(span: CollectedSpan) -> SpanFacts | None:
    has = span.attributes
    name = text_of(has.get("gen_ai.tool.name")) or span.name.removeprefix("execute_tool ").strip()
    if not name or name in _NO_TOOL:
        return None
    call_id = text_of(has.get("gen_ai.tool.call.id"))
    error, result = error_of(span), _result(span)
    if error == _SAYS_RESULT and isinstance(result, str):
        error = result
    return SpanFacts(
        kind=SpanKind.TOOL,
        tool_name=name,
        call_id=None if call_id in _NO_ID else call_id,
        arguments=_arguments(span),
        result=result,
        error=error,
        executed=not _says_unknown(span, error),
    )


def _arguments(span: CollectedSpan) -> Any:
    given = first(span.attributes, _ARGUMENTS)
    if given is None:
        given = next(
            (e.attributes.get("content") for e in span.events if e.name == "gen_ai.tool.message"), None
        )
    # Agent Framework writes the arguments of a call that has none so.
    return {} if given == "None" else given


def _result(span: CollectedSpan) -> Any:
    given = first(span.attributes, _RESULT)
    if given is None:
        given = next((e.attributes.get("message") for e in span.events if e.name == "gen_ai.choice"), None)
    return only_text(opened(given))


def _says_unknown(span: CollectedSpan, error: str | None) -> bool:
    description = span.attributes.get("gen_ai.tool.description")
    return error is not None and (
        description == "Tool not found" or any(mark in error for mark in _UNKNOWN_TOOL[:1])
    )


def _talk(span: CollectedSpan, kind: SpanKind) -> SpanFacts:
    has = span.attributes
    outputs: list[Any] = [has[name] for name in _OUTPUT if name in has]
    inputs: list[Any] = [has[name] for name in _INPUT if name in has]
    reasons = [*_listed(has.get("gen_ai.response.finish_reasons"))]
    reasons += _listed(has.get("anthropic.message.stop_reason"))
    for event in span.events:
        if event.name == "gen_ai.choice":
            outputs.append(event.attributes.get("message"))
            reasons += _listed(event.attributes.get("finish_reason"))
        elif event.name == "gen_ai.tool.message":
            inputs.append(event.attributes.get("content"))
        elif event.name == "gen_ai.client.inference.operation.details":
            outputs.append(event.attributes.get("gen_ai.output.messages"))
            inputs.append(event.attributes.get("gen_ai.input.messages"))
    wants_tools = any(reason in _STOPPED_FOR_TOOLS for reason in reasons)
    told = any(outputs) or (bool(reasons) and not wants_tools)
    return SpanFacts(
        kind=kind,
        asked=asked_in(outputs),
        answers=answers_in(inputs),
        offered=names_of(first(has, _DEFINITIONS)),
        wants_tools=wants_tools,
        hides_reply=not told and error_of(span) is None,
        usage=tokens_in(has),
    )


def _listed(value: object) -> list[str]:
    found = value if isinstance(value, list | tuple) else [opened(value)]
    flat = found[0] if len(found) == 1 and isinstance(found[0], list) else found
    return [one for one in flat if isinstance(one, str)]
