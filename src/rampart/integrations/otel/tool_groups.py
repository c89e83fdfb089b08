"""The calls of a turn: what several spans and messages tell of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rampart.core.types import ToolCall
from rampart.integrations.otel.span_facts import SpanKind
from rampart.text.secrets import redact

if TYPE_CHECKING:
    from rampart.integrations.otel.collected_span import CollectedSpan
    from rampart.integrations.otel.span_facts import AskedCall, SpanFacts
    from rampart.integrations.otel.span_tree import SpanTree

_MOST_CANDIDATES = 2_000
"""Calls among which the one of a message is looked for; a hostile agent makes as many as it likes."""
_SEPARATORS = ("__", "_", ".", "/", "-", ":")


@dataclass(slots=True, eq=False)
class ToolGroup:
    """One call, as some spans and perhaps a message tell of it.

    Attributes:
        call: The call.
        place: What it is sorted by: when it began, and its place in a message.
        scopes: The instrumentations that saw it.
        hidden: Whether nobody told its arguments.
        trace_id: The trace that it is in.
        asked: Whether a message for it was found.
    """

    call: ToolCall
    place: tuple[int, int]
    scopes: set[str] = field(default_factory=set)
    hidden: bool = False
    trace_id: str = ""
    asked: bool = False

    def learn(
        self,
        *,
        arguments: Any,
        id: str | None,  # noqa: A002  # as on ToolCall
        result: Any,
        error: str | None,
    ) -> None:
        """Take over what was not known yet."""
        call = self.call
        if self.hidden and arguments is not None:
            given = ToolCall(name="", arguments=arguments)
            call.arguments, call.raw_arguments, self.hidden = given.arguments, given.raw_arguments, False
        call.id = id if call.id is None else call.id
        call.result = result if call.result is None else call.result
        call.error = error if call.error is None else call.error


def groups_of(tree: SpanTree) -> list[ToolGroup]:
    """One group for each call that spans show."""
    groups: list[ToolGroup] = []
    by_span: dict[tuple[str, str], ToolGroup] = {}
    by_id: dict[tuple[str, str], list[ToolGroup]] = {}
    for span, facts in tree.of_kind(SpanKind.TOOL):
        group = _known(tree, span, facts, by_span, by_id)
        if group is None:
            group = _new(span, facts)
            groups.append(group)
        else:
            group.learn(arguments=facts.arguments, id=facts.call_id, result=facts.result, error=facts.error)
            group.scopes.add(span.scope)
        by_span[span.key] = group
        if facts.call_id is not None:
            by_id.setdefault((span.trace_id, facts.call_id), []).append(group)
    return groups


def _known(
    tree: SpanTree,
    span: CollectedSpan,
    facts: SpanFacts,
    by_span: dict[tuple[str, str], ToolGroup],
    by_id: dict[tuple[str, str], list[ToolGroup]],
) -> ToolGroup | None:
    """The call that another instrumentation saw already; two spans of one instrumentation are two calls."""
    if facts.call_id is not None:
        for group in by_id.get((span.trace_id, facts.call_id), []):
            if span.scope not in group.scopes and same_tool(group.call.name, facts.tool_name):
                return group
    for above, about in tree.ancestors(span):
        group_above = by_span.get(above.key)
        if group_above is None:
            if about.kind is SpanKind.AGENT:
                return None  # a sub-agent's own call
            continue
        fits = span.scope not in group_above.scopes and same_tool(group_above.call.name, facts.tool_name)
        ids = {group_above.call.id, facts.call_id} - {None}
        return group_above if fits and len(ids) < 2 else None
    return None


def same_tool(name: str, other: str) -> bool:
    """Whether two names stand for one tool: servers' tools get their server's name put before them."""
    if name == other:
        return True
    longer, shorter = (name, other) if len(name) > len(other) else (other, name)
    return bool(shorter) and any(longer.endswith(f"{mark}{shorter}") for mark in _SEPARATORS)


class OpenCalls:
    """The calls that spans show and no message was found for yet.

    Args:
        groups: The calls.
    """

    def __init__(self, groups: list[ToolGroup]) -> None:
        self._without_id: list[ToolGroup] = []
        self._by_id: dict[str, list[ToolGroup]] = {}
        self._all = sorted(groups, key=lambda group: group.place)
        for group in self._all:
            (self._without_id if group.call.id is None else self._by_id.setdefault(group.call.id, [])).append(
                group
            )

    def take(self, asked: AskedCall, *, after_ns: int) -> ToolGroup | None:
        """The call that a message asked for, which is found for no other message then."""
        if asked.id is None:
            candidates = self._all
        else:
            candidates = [*self._by_id.get(asked.id, ()), *self._without_id[:_MOST_CANDIDATES]]
        for group in candidates[:_MOST_CANDIDATES]:
            if group.asked or group.place[0] < after_ns or not same_tool(group.call.name, asked.name):
                continue
            same_id = asked.id is not None and asked.id == group.call.id
            if same_id or group.hidden or asked.arguments is None or _same_arguments(group.call, asked):
                group.asked = True
                return group
        return None


def call_of_message(asked: AskedCall, *, result: Any, unknown: bool, start_ns: int, index: int) -> ToolGroup:
    """A call that only a message shows: it never ran if there is no such tool, else nobody knows."""
    call = ToolCall(
        name=asked.name,
        arguments=asked.arguments,
        id=asked.id,
        result=result,
        executed=False if unknown else None,
        timestamp=moment(start_ns),
    )
    return ToolGroup(call, (start_ns, index), hidden=asked.arguments is None, asked=True)


def moment(start_ns: int) -> datetime | None:
    """A time as spans give it; None for one that cannot be."""
    try:
        return datetime.fromtimestamp(start_ns / 1e9, UTC) if start_ns > 0 else None
    except (OverflowError, OSError, ValueError):
        return None


def _new(span: CollectedSpan, facts: SpanFacts) -> ToolGroup:
    call = ToolCall(
        name=facts.tool_name,
        arguments=facts.arguments,
        id=facts.call_id,
        result=facts.result,
        error=None if facts.error is None else redact(facts.error),
        executed=facts.executed,
        timestamp=moment(span.start_ns),
    )
    hidden = facts.arguments is None
    return ToolGroup(call, (span.start_ns, 0), {span.scope}, hidden=hidden, trace_id=span.trace_id)


def _same_arguments(call: ToolCall, asked: AskedCall) -> bool:
    given = ToolCall(name="", arguments=asked.arguments)
    return given.arguments == call.arguments and given.raw_arguments == call.raw_arguments
