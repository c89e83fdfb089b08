"""One list of calls out of what the agent reports and what the tools recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rampart.core.types import ToolCall

T = TypeVar("T")


def joined_calls(reported: list[ToolCall], recorded: list[ToolCall]) -> list[ToolCall]:
    """The calls of a turn, each once, in the order in which they were made.

    A call that is both reported by the agent and recorded by the tool is one call: it is found by name
    and id, or else by name and equal arguments. It keeps the agent's id for it; its arguments, result,
    error and time and whether it ran are those of the recording, which saw it, and the report's only
    where the recording knows nothing. A
    reported call that no tool recorded stays: the agent asked for it. Where the two orders leave it
    open, a call that was only recorded comes before the next one that was also reported.
    """
    if not reported or not recorded:
        return [*reported, *recorded]
    partners = _partners(reported, recorded)
    joined: list[ToolCall] = []
    behind = 0  # recorded calls before this place are in
    for index, call in enumerate(reported):
        place = partners.get(index)
        if place is None:
            joined.append(call)
            continue
        taken = set(partners.values())
        joined += [recorded[other] for other in range(behind, place) if other not in taken]
        behind = max(behind, place + 1)
        joined.append(_completed(call, recorded[place]))
    taken = set(partners.values())
    return joined + [recorded[other] for other in range(behind, len(recorded)) if other not in taken]


def _partners(reported: list[ToolCall], recorded: list[ToolCall]) -> dict[int, int]:
    """For each reported call, by place, the first free recorded call that is the same."""
    partners: dict[int, int] = {}
    free = list(range(len(recorded)))
    for is_same in (_same_in_all, _same_id, _same):  # calls that look alike may have several results
        for index, call in enumerate(reported):
            if index in partners:
                continue
            place = next((place for place in free if is_same(call, recorded[place])), None)
            if place is not None:
                partners[index] = place
                free.remove(place)
    return partners


def _same_in_all(reported: ToolCall, recorded: ToolCall) -> bool:
    return _same_id(reported, recorded) and _same(reported, recorded)


def _same_id(reported: ToolCall, recorded: ToolCall) -> bool:
    return reported.id is not None and (reported.name, reported.id) == (recorded.name, recorded.id)


def _same(reported: ToolCall, recorded: ToolCall) -> bool:
    if reported.name != recorded.name or reported.raw_arguments is not None:
        return False
    try:
        return bool(reported.arguments == recorded.arguments)
    except Exception:  # a foreign `__eq__` may raise anything
        return False


def _completed(reported: ToolCall, recorded: ToolCall) -> ToolCall:
    knows_arguments = bool(recorded.arguments) or recorded.raw_arguments is not None
    asked = recorded if knows_arguments else reported
    went_well = recorded.result is not None  # an error of which only the agent knows is none then
    return replace(
        reported,
        arguments=asked.arguments,
        raw_arguments=asked.raw_arguments,
        result=_first(recorded.result, reported.result),
        error=recorded.error if went_well else _first(recorded.error, reported.error),
        executed=_first(recorded.executed, reported.executed),
        timestamp=_first(recorded.timestamp, reported.timestamp),
    )


def _first(seen: T, told: T) -> T:
    return told if seen is None else seen
