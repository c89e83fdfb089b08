"""Turns the spans of a turn into what rampart reports of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.adapters.turn_log import added
from rampart.core.tool_source import Observation
from rampart.core.types import Usage
from rampart.integrations.otel.content_capture import advice
from rampart.integrations.otel.span_facts import SpanKind
from rampart.integrations.otel.span_tree import SpanTree
from rampart.integrations.otel.tool_groups import OpenCalls, ToolGroup, call_of_message, groups_of
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rampart.integrations.otel.collected_span import CollectedSpan
    from rampart.integrations.otel.span_facts import SpanFacts

NO_SPAN = (
    "no span of the agent arrived in this turn; is it instrumented, and does what it does belong to the "
    "turn's trace? OtelCollector(silent_turns=True) says that a turn without spans is one without tool calls"
)


def observe(
    spans: Iterable[CollectedSpan], *, silent_turns: bool, reasons: Iterable[str] = ()
) -> Observation:
    """What spans tell of the turn that they belong to.

    Args:
        spans: All spans of the turn.
        silent_turns: Whether a turn without spans is one without calls.
        reasons: Why calls may be missing, as far as that is known already.
    """
    tree = SpanTree(spans)
    groups = groups_of(tree)
    missing = list(reasons)
    if not tree.told and not silent_turns:
        missing.append(NO_SPAN)
    if any(span.was_cut for span, _ in tree.told):
        missing.append("a span held more than is kept, so that a call or an argument may be cut")
    models = tree.outermost(SpanKind.MODEL)
    missing += _without_message(models, groups)
    groups += _of_messages(tree, models, groups)
    missing += _hidden(groups, tree)
    groups.sort(key=lambda group: group.place)
    return Observation(
        tool_calls=[group.call for group in groups],
        usage=_usage(models, tree),
        missing="; ".join(dict.fromkeys(missing)),
    )


def _of_messages(
    tree: SpanTree, models: list[list[tuple[CollectedSpan, SpanFacts]]], groups: list[ToolGroup]
) -> list[ToolGroup]:
    """The calls that models asked for and no span shows; what messages tell of the others is taken over."""
    talks = models or [[one] for one in tree.of_kind(SpanKind.AGENT)]
    answers: dict[str, Any] = {}
    for _, facts in tree.told:
        answers.update(facts.answers)
    offered = _offered(tree)
    added_groups: list[ToolGroup] = []
    seen_ids: set[tuple[str, str]] = set()
    open_calls = OpenCalls(groups)
    for talk in talks:
        span, _ = talk[0]
        asked = next((facts.asked for _, facts in talk if facts.asked), [])
        old = talk[0][1].answers if models else {}
        for index, one in enumerate(asked, 1):
            if not models and one.id is not None:  # nested agents repeat each other's messages
                if (one.id, one.name) in seen_ids:
                    continue
                seen_ids.add((one.id, one.name))
            answer = answers.get(one.id) if one.id is not None and one.id not in old else None
            group = open_calls.take(one, after_ns=span.start_ns)
            if group is None:
                unknown = offered is not None and one.name not in offered
                added_groups.append(
                    call_of_message(one, result=answer, unknown=unknown, start_ns=span.start_ns, index=index)
                )
                continue
            group.learn(
                arguments=one.arguments,
                id=one.id,
                result=answer if group.call.error is None else None,
                error=None,
            )
    return added_groups


def _offered(tree: SpanTree) -> frozenset[str] | None:
    lists = [facts.offered for _, facts in tree.told if facts.offered is not None]
    return frozenset().union(*lists) if lists else None


def _without_message(
    models: list[list[tuple[CollectedSpan, SpanFacts]]], groups: list[ToolGroup]
) -> list[str]:
    """Where models may have asked for calls that neither a span nor a message shows."""
    missing = []
    for talk in models:
        span = talk[0][0]
        if any(facts.asked for _, facts in talk) or not all(facts.hides_reply for _, facts in talk):
            continue
        wants = any(facts.wants_tools for _, facts in talk)
        if wants and any(group.place[0] >= span.start_ns for group in groups):
            continue
        what = (
            "a model asked for tools in a message that its span does not show, and no span shows the calls"
            if wants
            else "the span of a model does not show its reply, so that calls which never ran may be missing"
        )
        missing.append(f"{what}; {advice(one.scope for one, _ in talk)}")
    return missing


def _hidden(groups: list[ToolGroup], tree: SpanTree) -> list[str]:
    hidden = [group for group in groups if group.hidden]
    if not hidden:
        return []
    names = ", ".join(dict.fromkeys(quote(group.call.name, 60) for group in hidden[:5]))
    scopes = {scope for group in hidden for scope in group.scopes} or {span.scope for span, _ in tree.told}
    return [f"the arguments of {names} are not in the spans; {advice(scopes)}"]


def _usage(models: list[list[tuple[CollectedSpan, SpanFacts]]], tree: SpanTree) -> Usage | None:
    """The sum over the calls of models, or what agents report where no call of a model is seen."""
    total: Usage | None = None
    for talk in models:
        used = next((facts.usage for _, facts in talk if facts.usage is not None), None)
        if used is None and any(span.failed for span, _ in talk):
            continue  # a refused request
        one = used or Usage()
        one = Usage(
            input_tokens=one.input_tokens,
            cached_input_tokens=one.cached_input_tokens,
            output_tokens=one.output_tokens,
            reasoning_tokens=one.reasoning_tokens,
            requests=1,
        )
        total = one if total is None else added(total, one)
    if models:
        return total
    for talk in tree.outermost(SpanKind.AGENT):
        span, facts = talk[0]
        if facts.usage is None or any(about.kind is SpanKind.AGENT for _, about in tree.ancestors(span)):
            continue
        total = facts.usage if total is None else added(total, facts.usage)
    return total
