"""A collector's view of one session."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rampart.adapters.framework_library import library
from rampart.integrations.otel.address import OtelAddress
from rampart.integrations.otel.late_exporters import flush_async
from rampart.integrations.otel.live_spans import SESSION_KEY
from rampart.integrations.otel.session_spans import SessionSpans
from rampart.integrations.otel.span_routes import SESSION
from rampart.integrations.otel.turn_reading import observe
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.tool_source import Observation
    from rampart.integrations.otel.collector import OtelCollector

_LOOK_EVERY_S = 0.02


class SpanWatch:
    """Gathers the spans of one session; `OtelCollector.watch_async` makes it.

    Args:
        collector: The collector.
        own_address: Whether the session's agent alone sends its spans to the session's address.
    """

    def __init__(self, collector: OtelCollector, *, own_address: bool) -> None:
        self._collector = collector
        self._own_address = own_address
        self._spans = SessionSpans()
        self._traceparent: str | None = None
        self._closed = False
        collector.routes.add(self._spans)

    @property
    def address(self) -> OtelAddress:
        """Where other processes send the session's spans; it starts to listen when it is asked for."""
        return OtelAddress(
            endpoint=self._collector.endpoint_of(self._spans if self._own_address else None),
            traceparent=self._traceparent,
        )

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Make a new trace the current one: what begins in it, or in its context, is the session's."""
        context = library("opentelemetry.context", needed_by="OtelCollector", extra="otel")
        trace = library("opentelemetry.trace", needed_by="OtelCollector", extra="otel")
        baggage = library("opentelemetry.baggage", needed_by="OtelCollector", extra="otel")
        trace_id, span_id = secrets.token_hex(16), secrets.token_hex(8)
        self._collector.routes.bind(trace_id, self._spans)
        self._spans.roots = {(trace_id, span_id)}
        self._traceparent = f"00-{trace_id}-{span_id}-01"
        # No span of our own, which the user's exporters would send: only the place of one.
        place = trace.SpanContext(
            int(trace_id, 16), int(span_id, 16), is_remote=True, trace_flags=trace.TraceFlags(1)
        )
        here = trace.set_span_in_context(trace.NonRecordingSpan(place))
        here = baggage.set_baggage(SESSION, self._spans.token, here)
        attached = context.attach(context.set_value(SESSION_KEY, self._spans.token, here))
        try:
            yield
        finally:
            context.detach(attached)
            self._traceparent = None

    async def take_async(self) -> Observation:
        """What the session's spans tell since the last call.

        Waits up to the collector's `grace_s` for spans that have begun and not ended, and for those of other
        processes where the session's agent may run in one. What is not there by then is said to be missing.
        """
        clock = asyncio.get_running_loop()
        until = clock.time() + self._collector.grace_s
        unflushed = await flush_async(seconds=self._collector.grace_s)
        while True:
            if self._is_complete() or clock.time() >= until:
                break
            await asyncio.sleep(_LOOK_EVERY_S)
        running = self._spans.running()
        orphans = self._spans.without_parent() if self._spans.came_over_otlp else []
        spans, reasons = self._spans.take(running)
        if unflushed:
            reasons.append(unflushed)
        if orphans:
            names = ", ".join(dict.fromkeys(quote(span.name, 60) for span in orphans[:3]))
            reasons.append(
                f"the parent of {names} did not arrive within {self._collector.grace_s} s of the reply, so "
                "that others may be missing as well; have the agent end and flush its spans before it replies"
            )
        return observe(spans, silent_turns=self._collector.silent_turns, reasons=reasons)

    async def close_async(self) -> None:
        """Gather no longer."""
        if not self._closed:
            self._closed = True
            self._collector.routes.remove(self._spans)

    def _is_complete(self) -> bool:
        spans = self._spans
        if spans.running():
            return False
        if spans.came_over_otlp and spans.without_parent():
            return False
        # What has sent spans over OTLP, or was told where to, may do so after it has replied.
        return not (spans.tells_nothing and self._collector.listens)
