"""The spans of this process, as its tracer providers hand them on."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any

from rampart.core.errors import ConfigurationError
from rampart.integrations.otel.collected_span import CollectedSpan, short_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.integrations.otel.session_spans import SessionSpans
    from rampart.integrations.otel.span_routes import SpanRoutes

SESSION_KEY = "rampart-otel-session"
"""The key of the session in a context of OpenTelemetry."""


class LiveSpans:
    """A span processor that hands on to the collectors that are open; with none it does nothing.

    A provider cannot let go of a processor, so it gets one, once, whatever number of collectors come and go.
    """

    def __init__(self) -> None:
        self._routes: tuple[SpanRoutes, ...] = ()
        self._owners: dict[tuple[SpanRoutes, tuple[str, str]], SessionSpans] = {}
        self._lock = threading.Lock()

    def add(self, routes: SpanRoutes) -> None:
        """Hand on to a collector."""
        with self._lock:
            self._routes = (*self._routes, routes)

    def remove(self, routes: SpanRoutes) -> None:
        """Hand on to it no longer."""
        with self._lock:
            self._routes = tuple(one for one in self._routes if one is not routes)
            self._owners = {key: owner for key, owner in self._owners.items() if key[0] is not routes}

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        """A span begins, in the context of a session or in its trace."""
        for routes in self._routes:
            if routes.any_open:
                self._began(routes, span, parent_context)

    def on_end(self, span: Any) -> None:
        """A span has ended."""
        for routes in self._routes:
            if routes.any_open or self._owners:
                key = _key(span)
                owner = self._owners.pop((routes, key), None)
                if routes.any_open:
                    routes.give(collected(span), owner=owner)

    def _on_ending(self, span: Any) -> None:
        """Newer SDKs call this before `on_end`."""

    def shutdown(self) -> None:
        """The provider ends; nothing is held."""

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Nothing waits here: spans are handed on while they end."""
        return timeout_millis >= 0

    def _began(self, routes: SpanRoutes, span: Any, parent_context: Any) -> None:
        key = _key(span)
        owner = _session_in(parent_context, routes) or routes.by_trace(key[0])
        if owner is None:
            return
        routes.bind(key[0], owner)
        self._owners[routes, key] = owner
        owner.began(key, _looking_at(span))


_ATTACHED: weakref.WeakKeyDictionary[Any, LiveSpans] = weakref.WeakKeyDictionary()
_ATTACHING = threading.Lock()


def attached_to(provider: Any) -> LiveSpans:
    """The processor of a provider, which gets one if it has none.

    Raises:
        ConfigurationError: If it takes none, since it is not the provider of OpenTelemetry's SDK.
    """
    with _ATTACHING:
        known = _ATTACHED.get(provider)
        if known is None:
            add = getattr(provider, "add_span_processor", None)
            if not callable(add):
                msg = (
                    f"the tracer provider {type(provider).__name__} takes no span processor; use a "
                    "TracerProvider of opentelemetry.sdk, or OtelCollector(in_process=False) and OTLP"
                )
                raise ConfigurationError(msg)
            known = _ATTACHED[provider] = LiveSpans()
            add(known)
        return known


def collected(span: Any) -> CollectedSpan:
    """A span of the SDK, ended or not."""
    context, parent, scope = span.context, span.parent, getattr(span, "instrumentation_scope", None)
    status = span.status
    kept = CollectedSpan(
        trace_id=f"{context.trace_id:032x}",
        span_id=f"{context.span_id:016x}",
        parent_id=f"{parent.span_id:016x}" if parent is not None else "",
        remote_parent=bool(parent is not None and parent.is_remote),
        name=short_name(span.name),
        scope=short_name(getattr(scope, "name", "")),
        start_ns=span.start_time or 0,
        ended=span.end_time is not None,
        failed=getattr(status.status_code, "name", "") == "ERROR",
        status_text=short_name(status.description or ""),
    )
    kept.add_attributes(list((span.attributes or {}).items()))
    for event in list(span.events):
        kept.add_event(event.name, list((event.attributes or {}).items()))
    return kept


def _looking_at(span: Any) -> Callable[[], CollectedSpan]:
    return lambda: collected(span)


def _key(span: Any) -> tuple[str, str]:
    return f"{span.context.trace_id:032x}", f"{span.context.span_id:016x}"


def _session_in(context: Any, routes: SpanRoutes) -> SessionSpans | None:
    if context is None:
        from opentelemetry.context import get_current  # noqa: PLC0415 - the extra may be missing

        context = get_current()
    token = context.get(SESSION_KEY)
    return routes.by_token(token)
