"""Makes spans as instrumentations do, and watches over them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry.sdk.trace import TracerProvider

from rampart.integrations.otel.collected_span import CollectedSpan

TRACE = "ab" * 16


def provider() -> Any:
    return TracerProvider(shutdown_on_exit=False)


@contextmanager
def tool_span(tracer: Any, name: str, arguments: object = None, **more: Any) -> Iterator[Any]:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    if arguments is not None:
        attributes["gen_ai.tool.call.arguments"] = json.dumps(arguments)
    attributes |= {key.replace("__", "."): value for key, value in more.items()}
    with tracer.start_as_current_span(f"execute_tool {name}", attributes=attributes) as span:
        yield span


def asking(*calls: tuple[str, str, Any]) -> str:
    """The output message of a model that asks for calls of (id, name, arguments)."""
    parts = [{"type": "tool_call", "id": i, "name": n, "arguments": a} for i, n, a in calls]
    return json.dumps([{"role": "assistant", "parts": parts}])


def saying(text: str) -> str:
    return json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": text}]}])


def span(number: int, attributes: dict[str, Any], *, parent: int = 0, **more: Any) -> CollectedSpan:
    """A span as it was collected; its number is its id and when it began."""
    made = CollectedSpan(
        trace_id=TRACE,
        span_id=f"{number:016x}",
        parent_id=f"{parent:016x}" if parent else "",
        start_ns=more.pop("start_ns", number * 1_000_000_000),
        **{"scope": "some.framework", **more},
    )
    made.add_attributes(attributes.items())
    return made


def tool(number: int, name: str, arguments: object = None, *, id: str = "", **more: Any) -> CollectedSpan:  # noqa: A002
    attributes: dict[str, Any] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    if arguments is not None:
        attributes["gen_ai.tool.call.arguments"] = json.dumps(arguments)
    if id:
        attributes["gen_ai.tool.call.id"] = id
    return span(number, attributes | more.pop("attributes", {}), **more)


def model(number: int, output: str | None = None, *, tokens: int | None = 10, **more: Any) -> CollectedSpan:
    attributes: dict[str, Any] = {"gen_ai.operation.name": "chat"}
    if output is not None:
        attributes["gen_ai.output.messages"] = output
    if tokens is not None:
        attributes |= {"gen_ai.usage.input_tokens": tokens, "gen_ai.usage.output_tokens": 5}
    return span(number, attributes | more.pop("attributes", {}), **more)
