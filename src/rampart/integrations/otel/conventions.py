"""Reads a span by whichever convention it follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.integrations.otel import gen_ai, langsmith, openinference, traceloop

if TYPE_CHECKING:
    from rampart.integrations.otel.collected_span import CollectedSpan
    from rampart.integrations.otel.span_facts import SpanFacts

# What writes one of the others writes some of `gen_ai.*` as well, so that comes last.
_READERS = (langsmith.read, openinference.read, traceloop.read, gen_ai.read)


def facts_of(span: CollectedSpan) -> SpanFacts | None:
    """What a span tells of an agent; None if it is about something else.

    A span may follow several conventions: what the first one that knows its kind leaves open is taken from
    the next ones that see the same kind in it.
    """
    found: SpanFacts | None = None
    for read in _READERS:
        facts = read(span)
        if facts is None:
            continue
        if found is None:
            found = facts
        elif facts.kind is found.kind:
            _fill(found, facts)
    return found


def _fill(known: SpanFacts, more: SpanFacts) -> None:
    for name in ("call_id", "arguments", "result", "error", "offered", "usage"):
        if getattr(known, name) is None:
            setattr(known, name, getattr(more, name))
    known.hides_reply = known.hides_reply and more.hides_reply
    known.asked = known.asked or more.asked
    known.answers = {**more.answers, **known.answers}
    known.wants_tools = known.wants_tools or more.wants_tools
    known.executed = known.executed and more.executed
