"""Which session a span belongs to."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from rampart.integrations.otel.conventions import facts_of
from rampart.integrations.otel.span_facts import SpanKind
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from rampart.integrations.otel.collected_span import CollectedSpan
    from rampart.integrations.otel.session_spans import SessionSpans

SESSION = "rampart.session"
"""The name of the baggage, and of the attribute made of it, that tells a session."""
_TRACES = 100_000


class SpanRoutes:
    """Gives each span to the session of its trace, its baggage, or its address.

    What belongs to no session and may be a tool call makes the sessions that are open doubtful.

    Args:
        only_session: Give such spans to the session that is open, if there is one only.
    """

    def __init__(self, *, only_session: bool) -> None:
        self._only_session = only_session
        self._lock = threading.RLock()
        self._open: dict[str, SessionSpans] = {}
        # None: several sessions share the trace. Traces of closed sessions are kept, for their late spans.
        self._traces: OrderedDict[str, SessionSpans | None] = OrderedDict()

    @property
    def any_open(self) -> bool:
        """Whether a session is watched."""
        return bool(self._open)

    def add(self, session: SessionSpans) -> None:
        """Watch a session."""
        with self._lock:
            self._open[session.token] = session

    def remove(self, session: SessionSpans) -> None:
        """Watch it no longer; what comes late is nobody's, and harms nobody."""
        with self._lock:
            self._open.pop(session.token, None)

    def bind(self, trace_id: str, session: SessionSpans) -> None:
        """A trace belongs to a session; if it does to another one already, to none."""
        with self._lock:
            known = self._traces.get(trace_id, session)
            self._traces[trace_id] = session if known is session else None
            if len(self._traces) > _TRACES:
                self._traces.popitem(last=False)

    def by_trace(self, trace_id: str) -> SessionSpans | None:
        """The session of a trace."""
        return self._traces.get(trace_id)

    def by_token(self, token: object) -> SessionSpans | None:
        """The open session with this token."""
        return self._open.get(token) if isinstance(token, str) else None

    def give(
        self, span: CollectedSpan, *, owner: SessionSpans | None = None, over_otlp: bool = False
    ) -> None:
        """Give a span that has ended to its session.

        Args:
            span: The span.
            owner: Whose it is, where its address or its context says so.
            over_otlp: Whether it came from another process.
        """
        session = (
            owner
            or self.by_trace(span.trace_id)
            or self.by_token(span.attributes.get(SESSION))
            or self._only()
        )
        if session is not None:
            session.add(span, over_otlp=over_otlp)
        else:
            self._is_nobodys(span)

    def doubt(self, reason: str, *, owner: SessionSpans | None = None) -> None:
        """Something was lost: of a session, or of any that is open."""
        with self._lock:
            doubtful = list(self._open.values()) if owner is None else [owner]
        for session in doubtful:
            session.doubt(reason)

    def _only(self) -> SessionSpans | None:
        with self._lock:
            return next(iter(self._open.values())) if self._only_session and len(self._open) == 1 else None

    def _is_nobodys(self, span: CollectedSpan) -> None:
        facts = facts_of(span)
        if facts is None or not (facts.kind is SpanKind.TOOL or facts.asked or facts.wants_tools):
            return
        self.doubt(
            f"the span {quote(span.name, 80)} of a tool call belongs to no session's trace; keep the context "
            "of the turn where the agent starts threads or processes, hand on `traceparent`, or give each "
            "session an address of its own"
        )
