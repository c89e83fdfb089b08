"""The spans of one session, gathered in any thread until they are taken."""

from __future__ import annotations

import secrets
import threading
from typing import TYPE_CHECKING

from rampart.integrations.otel.conventions import facts_of
from rampart.integrations.otel.late_exporters import LATE_SCOPES
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.integrations.otel.collected_span import CollectedSpan

MAX_SPANS = 100_000
"""Spans that are kept of one turn."""
_Key = tuple[str, str]


class SessionSpans:
    """What a session's agent has done since it was last asked.

    Attributes:
        token: What tells the session from others.
        roots: The spans that stand for its turns.
    """

    def __init__(self) -> None:
        self.token = secrets.token_hex(16)
        self.roots: set[_Key] = set()
        self._lock = threading.Lock()
        self._spans: dict[_Key, CollectedSpan] = {}
        self._before: set[_Key] = set()
        self._shown_open: set[_Key] = set()
        self._running: dict[_Key, Callable[[], CollectedSpan]] = {}
        self._reasons: list[str] = []
        self._over_otlp = False
        self._told = 0

    @property
    def came_over_otlp(self) -> bool:
        """Whether a span ever came from another process."""
        return self._over_otlp

    @property
    def tells_nothing(self) -> bool:
        """Whether no span about an agent came since the last time."""
        return self._told == 0

    def began(self, key: _Key, look: Callable[[], CollectedSpan]) -> None:
        """A span began in this process; `look` tells what is known of it."""
        with self._lock:
            if len(self._running) < MAX_SPANS:
                self._running[key] = look

    def add(self, span: CollectedSpan, *, over_otlp: bool) -> None:
        """A span has ended; one that came before, or was shown while it ran, is left out."""
        with self._lock:
            self._over_otlp |= over_otlp
            self._running.pop(span.key, None)
            if span.key in self._spans or span.key in self._before or span.key in self._shown_open:
                return
            if len(self._spans) >= MAX_SPANS:
                self._doubt(f"more than {MAX_SPANS} spans came in one turn; the later ones are left out")
                return
            self._spans[span.key] = span
            self._told += facts_of(span) is not None

    def doubt(self, reason: str) -> None:
        """Calls of this session may be missing."""
        with self._lock:
            self._doubt(reason)

    def running(self) -> list[CollectedSpan]:
        """The spans about an agent that began in this process and have not ended."""
        with self._lock:
            looks = [look for key, look in self._running.items() if key not in self._shown_open]
        spans = [look() for look in looks]
        return [span for span in spans if span.scope in LATE_SCOPES or facts_of(span) is not None]

    def without_parent(self) -> list[CollectedSpan]:
        """The spans whose parent is of the same process, and has not arrived."""
        with self._lock:
            known = self._spans.keys() | self._before | self.roots | self._running.keys()
            return [
                span
                for span in self._spans.values()
                if span.parent_id and not span.remote_parent and (span.trace_id, span.parent_id) not in known
            ]

    def take(self, running: list[CollectedSpan]) -> tuple[list[CollectedSpan], list[str]]:
        """What came since the last time, and why calls may be missing; then forget it.

        Args:
            running: Spans to show although they have not ended, and not again when they do.
        """
        with self._lock:
            spans, reasons = [*self._spans.values()], self._reasons
            for span in running:
                if span.key not in self._spans:
                    spans.append(span)
                    self._shown_open.add(span.key)
                    reasons.append(f"the span {quote(span.name, 80)} had not ended when the agent replied")
            self._before = set(self._spans)
            self._spans, self._reasons, self._told = {}, [], 0
            return spans, reasons

    def _doubt(self, reason: str) -> None:
        if reason not in self._reasons and len(self._reasons) < 20:
            self._reasons.append(reason)
