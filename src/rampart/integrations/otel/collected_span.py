"""A span as the collector keeps it, wherever it came from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_TEXT = 1_000_000
"""Characters that are kept of one attribute; a longer one is cut, and said to be."""
_MAX_ATTRIBUTES = 512
_MAX_EVENTS = 512
_MAX_DEPTH = 64
_MAX_NAME = 1000
# Everything that some convention reads; the rest of a span (stack traces, requests' headers) is not kept.
_READ = re.compile(
    r"gen_ai\.|openinference\.|tool\.|tool_call\.|input\.|output\.|llm\.|traceloop\.|langsmith\.|anthropic\.|"
    r"agent\.|mcp\.|error\.type$|exception\.(type|message)$|rampart\.|content$|message$|id$|name$|role$|"
    r"finish_reason$"
)


@dataclass(slots=True)
class SpanEvent:
    """Something that happened during a span.

    Attributes:
        name: Such as `exception`.
        attributes: What is told of it.
    """

    name: str
    attributes: dict[str, Any]


@dataclass(slots=True, kw_only=True)
class CollectedSpan:
    """One span.

    Attributes:
        trace_id: 32 hexadecimal digits.
        span_id: 16 of them.
        parent_id: Those of its parent; empty for a root.
        remote_parent: Whether its parent is known to be a span of another process.
        name: Its name.
        scope: The name of the instrumentation that made it.
        start_ns: When it began, in nanoseconds since 1970.
        ended: Whether it has ended.
        attributes: Those that a convention may read.
        events: Those of it.
        failed: Whether its status is an error.
        status_text: What the status says.
        was_cut: Whether something that it holds was too long, too deep or too much, and left out.
    """

    trace_id: str
    span_id: str
    parent_id: str = ""
    remote_parent: bool = False
    name: str = ""
    scope: str = ""
    start_ns: int = 0
    ended: bool = True
    attributes: dict[str, Any] = field(default_factory=dict)
    events: list[SpanEvent] = field(default_factory=list)
    failed: bool = False
    status_text: str = ""
    was_cut: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """What no other span has."""
        return self.trace_id, self.span_id

    def add_attributes(self, given: Iterable[tuple[object, object]]) -> None:
        """Keep what a convention may read."""
        self.attributes = self._kept(given)

    def add_event(self, name: object, given: Iterable[tuple[object, object]]) -> None:
        """Keep an event."""
        if len(self.events) >= _MAX_EVENTS:
            self.was_cut = True
            return
        self.events.append(SpanEvent(safe_str(name)[:_MAX_NAME], self._kept(given)))

    def _kept(self, given: Iterable[tuple[object, object]]) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for key, value in given:
            name = safe_str(key)[:_MAX_NAME]
            if _READ.match(name) is None:
                continue
            if len(kept) >= _MAX_ATTRIBUTES:
                self.was_cut = True
                break
            kept[name] = self._bounded(value, depth=0)
        return kept

    def _bounded(self, value: object, *, depth: int) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, bytes):
            value = value[: MAX_TEXT + 1].decode("utf-8", "replace")
        if depth < _MAX_DEPTH:
            if isinstance(value, dict):
                return self._bounded_map(value, depth=depth)
            if isinstance(value, list | tuple):
                return [self._bounded(item, depth=depth + 1) for item in value]
        text = safe_str(value) if depth < _MAX_DEPTH else "..."
        if len(text) > MAX_TEXT or depth >= _MAX_DEPTH:
            self.was_cut = True
        return text[:MAX_TEXT]

    def _bounded_map(self, value: Mapping[object, object], *, depth: int) -> dict[str, Any]:
        return {safe_str(key): self._bounded(item, depth=depth + 1) for key, item in value.items()}


def short_name(name: object) -> str:
    """A name that may be shown."""
    return safe_str(name)[:_MAX_NAME]
