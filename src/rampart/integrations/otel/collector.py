"""Sees tool calls and usage in the spans of instrumented agents."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Self

from rampart.adapters.framework_library import library
from rampart.core.errors import ConfigurationError
from rampart.integrations.otel.live_spans import LiveSpans, attached_to
from rampart.integrations.otel.otlp_endpoint import OtlpEndpoint
from rampart.integrations.otel.session_watch import SpanWatch
from rampart.integrations.otel.span_routes import SpanRoutes

if TYPE_CHECKING:
    from types import TracebackType

    from rampart.integrations.otel.session_spans import SessionSpans


class OtelCollector:
    """A `ToolSource` that reads OpenTelemetry spans: `with_tools_from(adapter, collector)`.

    Spans of this process come from a tracer provider: the given one, or else the global one. If there is no
    global one yet, one is made and set, which can be done once per process, so it stays. The processor that
    the provider gets stays as well, and does nothing while no collector is open. Spans of other processes
    come over OTLP/HTTP at `endpoint`, or at the address of a session's watch.

    A span belongs to the session in whose turn its trace or its context began, or to whose address it was
    sent; never to one because of its time.

    Args:
        tracer_provider: Where the agent's spans are made, if that is not the global provider.
        in_process: Whether spans of this process are gathered.
        grace_s: Seconds to wait, after a reply, for spans that have not ended or not arrived.
        silent_turns: Whether a turn without a single span of the agent is taken for one without tool calls.
            By default such a turn is reported as not observed.
        one_session_at_a_time: For agents that hand on no context: sessions follow each other, and spans
            that belong to no trace are those of the one that is open.

    Raises:
        ValueError: If `grace_s` is negative.
    """

    def __init__(
        self,
        *,
        tracer_provider: Any = None,
        in_process: bool = True,
        grace_s: float = 2.0,
        silent_turns: bool = False,
        one_session_at_a_time: bool = False,
    ) -> None:
        if not grace_s >= 0:
            msg = f"grace_s must be 0 or more seconds, got {grace_s!r}"
            raise ValueError(msg)
        self.grace_s = grace_s
        self.silent_turns = silent_turns
        self.routes = SpanRoutes(only_session=one_session_at_a_time)
        self._provider = tracer_provider
        self._in_process = in_process
        self._one_at_a_time = one_session_at_a_time
        self._live: LiveSpans | None = None
        self._otlp: OtlpEndpoint | None = None
        self._state = "new"
        self._lock = threading.RLock()

    @property
    def label(self) -> str:
        """The source as messages name it."""
        return "the OpenTelemetry collector"

    @property
    def tells_sessions_apart(self) -> bool:
        """Whether sessions may overlap: they do, by their traces, unless one at a time was asked for."""
        return not self._one_at_a_time

    @property
    def endpoint(self) -> str:
        """The base address for OTLP over HTTP that everybody may use; it listens from the first use on."""
        return self.endpoint_of(None)

    @property
    def listens(self) -> bool:
        """Whether spans may come over OTLP."""
        return self._otlp is not None

    def open(self) -> None:
        """Attach to the tracer provider; doing so again does nothing.

        Raises:
            ConfigurationError: If OpenTelemetry's SDK is missing, the provider takes no processors, or the
                collector was closed.
        """
        with self._lock:
            if self._state == "closed":
                msg = "this OtelCollector is closed; make another one"
                raise ConfigurationError(msg)
            if self._state == "open":
                return
            if self._in_process:
                live = attached_to(self._provider or _global_provider())
                live.add(self.routes)
                self._live = live
            self._state = "open"

    def close(self) -> None:
        """Gather no longer, and close the port; doing so again does nothing."""
        with self._lock:
            self._state = "closed"
            live, self._live = self._live, None
            otlp, self._otlp = self._otlp, None
        if live is not None:
            live.remove(self.routes)
        if otlp is not None:
            otlp.stop()

    def endpoint_of(self, session: SessionSpans | None) -> str:
        """The base address of a session, or the one for everybody.

        Raises:
            ConfigurationError: If the collector was closed.
            InfrastructureError: If no port can be had.
        """
        with self._lock:
            self.open()
            if self._otlp is None:
                otlp = OtlpEndpoint(self.routes)
                otlp.start()
                self._otlp = otlp
            return self._otlp.url(session)

    async def watch_async(self, *, own_address: bool) -> SpanWatch:
        """Begin to watch a session.

        Args:
            own_address: Whether the session's agent sends its spans to the address of the watch.
        """
        self.open()
        return SpanWatch(self, own_address=own_address)

    def __enter__(self) -> Self:
        """Open it."""
        self.open()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


def _global_provider() -> Any:
    trace = library("opentelemetry.trace", needed_by="OtelCollector", extra="otel")
    sdk = library("opentelemetry.sdk.trace", needed_by="OtelCollector", extra="otel")
    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider):
        trace.set_tracer_provider(sdk.TracerProvider(shutdown_on_exit=False))
        provider = trace.get_tracer_provider()
    return provider
