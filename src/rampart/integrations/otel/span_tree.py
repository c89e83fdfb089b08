"""Which spans that tell something lie within which others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.integrations.otel.conventions import facts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rampart.integrations.otel.collected_span import CollectedSpan
    from rampart.integrations.otel.span_facts import SpanFacts, SpanKind

_Key = tuple[str, str]
_MOST_ANCESTORS = 64
"""Further up, no two spans are about one thing; a hostile agent nests as deeply as it likes."""


class SpanTree:
    """Spans in the order in which they began, and the facts of those that are about an agent.

    Args:
        spans: The spans; their parents need not be among them, and may form cycles.
    """

    def __init__(self, spans: Iterable[CollectedSpan]) -> None:
        self._spans = {span.key: span for span in spans}
        self.told: list[tuple[CollectedSpan, SpanFacts]] = []
        self._facts: dict[_Key, SpanFacts] = {}
        for span in sorted(self._spans.values(), key=lambda one: one.start_ns):
            facts = facts_of(span)
            if facts is not None:
                self._facts[span.key] = facts
                self.told.append((span, facts))
        self._above: dict[_Key, _Key | None] = {}

    def of_kind(self, kind: SpanKind) -> list[tuple[CollectedSpan, SpanFacts]]:
        """The spans of a kind."""
        return [(span, facts) for span, facts in self.told if facts.kind is kind]

    def ancestors(self, span: CollectedSpan) -> Iterator[tuple[CollectedSpan, SpanFacts]]:
        """The spans about an agent that this one lies within, the nearest first."""
        key, seen = self._next_above(span.key), {span.key}
        while key is not None and key not in seen and len(seen) <= _MOST_ANCESTORS:
            seen.add(key)
            yield self._spans[key], self._facts[key]
            key = self._next_above(key)

    def outermost(self, kind: SpanKind) -> list[list[tuple[CollectedSpan, SpanFacts]]]:
        """The spans of a kind, those that directly lie within others of the kind grouped with these.

        The outer one comes first in each group.
        """
        groups: dict[_Key, list[tuple[CollectedSpan, SpanFacts]]] = {}
        for span, facts in self.of_kind(kind):
            top = span
            for above, about in self.ancestors(span):
                if about.kind is not kind:
                    break
                top = above
            group = groups.setdefault(top.key, [])
            if top is span:
                group.insert(0, (span, facts))
            else:
                group.append((span, facts))
        return list(groups.values())

    def _next_above(self, key: _Key) -> _Key | None:
        if key in self._above:
            return self._above[key]
        path: list[_Key] = []
        at: _Key | None = key
        found: _Key | None = None
        on_path: set[_Key] = set()
        while at is not None and at not in on_path:
            path.append(at)
            on_path.add(at)
            span = self._spans.get(at)
            parent = (span.trace_id, span.parent_id) if span is not None and span.parent_id else None
            if parent is None or parent not in self._spans:
                break
            if parent in self._facts:
                found = parent
                break
            if parent in self._above:
                found = self._above[parent]
                break
            at = parent
        for one in path:
            self._above[one] = found
        return found
