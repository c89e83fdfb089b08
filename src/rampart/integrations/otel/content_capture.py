"""How the contents of messages and calls are made visible, by the instrumentation that hides them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Iterable

_HOW = {
    "agent_framework": "call agent_framework.observability.enable_sensitive_telemetry()",
    "com.anthropic.sdk": 'make the client with open_telemetry={"traces": {"content_mode": "content"}}',
    "gcp.vertex.agent": (
        "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY and "
        "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental before google.adk is imported"
    ),
    "mcp": "MCP servers never tell arguments in spans: instrument the agent as well, or use McpProxy",
    "openinference": "unset OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS",
    "pydantic-ai": "use InstrumentationSettings(include_content=True)",
    "opentelemetry.instrumentation": (
        "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT and TRACELOOP_TRACE_CONTENT to true"
    ),
}


def advice(scopes: Iterable[str]) -> str:
    """What to do, for each of these instrumentations."""
    lines = dict.fromkeys(_for(scope) for scope in sorted(set(scopes)))
    return "; ".join(lines)


def _for(scope: str) -> str:
    for prefix, how in _HOW.items():
        if scope.startswith(prefix):
            return how
    return f"have {quote(scope, 80) or 'the instrumentation'} record the contents of messages and calls"
