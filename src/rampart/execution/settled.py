"""Responses as they were when they came, whatever becomes of the objects they came in.

Adapters hand over live objects: a list that the next turn empties, a dict that the tool goes on using, a
string of a class of its own. A verdict rests on what was said and done in a turn, so a turn holds a copy
of it, made of plain values.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from rampart.core.types import Response, SideEffect, ToolCall, Usage

if TYPE_CHECKING:
    from collections.abc import Callable

_ATOMS = frozenset({str, int, float, bool, type(None)})

T = TypeVar("T")


def settled_response(response: Response) -> tuple[Response, str | None]:
    """A copy of a response that nobody else holds, and what is wrong with the response.

    Args:
        response: What an adapter handed over.

    Returns:
        The copy, with whatever of a malformed response could be used, and None or what was seen and
        expected.
    """
    problems: list[str] = []
    usage: object = response.usage
    metadata: object = response.metadata
    settled = Response(
        text=_text(response.text, problems),
        tool_calls=_items(response.tool_calls, "tool_calls", ToolCall, _settled_call, problems),
        side_effects=_items(response.side_effects, "side_effects", SideEffect, _settled_effect, problems),
        usage=replace(usage) if isinstance(usage, Usage) else None,
        metadata=dict(metadata) if isinstance(metadata, dict) else {},
    )
    return settled, problems[0] if problems else None


def _text(text: object, problems: list[str]) -> str:
    if type(text) is str:
        return text
    if isinstance(text, str):
        return str.__str__(text)
    problems.append(f"whose text is {type(text).__name__}, expected a str")
    return ""


def _items(
    items: object, place: str, kind: type[T], settle: Callable[[T], T], problems: list[str]
) -> list[T]:
    """Copies of the items; of a sequence that is none, whatever it yields, which is evidence too."""
    if type(items) is list and not items:
        return []
    if not isinstance(items, list | tuple):
        problems.append(f"whose {place} is {type(items).__name__}, expected a list of {kind.__name__}")
    settled = []
    for position, item in enumerate(_listed(items)):
        if not isinstance(item, kind):
            problems.append(f"whose {place}[{position}] is {type(item).__name__}, expected a {kind.__name__}")
            continue
        try:
            settled.append(settle(item))
        except TypeError as error:
            problems.append(f"whose {place}[{position}] has {error}")
    return settled


def _listed(items: Any) -> list[object]:
    try:
        return list(items)
    except Exception:  # nothing can be had of it; the problem is noted already
        return []


def _settled_call(call: ToolCall) -> ToolCall:
    raw, error, executed = call.raw_arguments, call.error, call.executed
    return ToolCall(
        name=_plain(call.name, "a name"),
        arguments=plain_copy(call.arguments),
        raw_arguments=None if raw is None else _plain(raw, "raw_arguments"),
        id=call.id,
        result=plain_copy(call.result),
        error=None if error is None else _plain(error, "an error"),
        executed=executed if isinstance(executed, bool) else None,
        timestamp=call.timestamp,
    )


def _settled_effect(effect: SideEffect) -> SideEffect:
    return SideEffect(kind=_plain(effect.kind, "a kind"), details=plain_copy(effect.details))


def _plain(text: object, what: str) -> str:
    if isinstance(text, str):
        return str.__str__(text)
    msg = f"{what} of type {type(text).__name__}, expected a str"
    raise TypeError(msg)


def plain_copy(value: Any) -> Any:
    """A deep copy in which strings, lists and dicts are of Python's own classes.

    Values that are neither are copied as Python copies them, or kept where that fails; so is the whole
    where it is nested too deeply.
    """
    try:
        return _copied(value, {})
    except RecursionError:
        return value


def _copied(value: Any, made: dict[int, Any]) -> Any:
    if type(value) in _ATOMS:
        return value
    if id(value) in made:
        return made[id(value)]
    if isinstance(value, dict):
        mapping: dict[Any, Any] = {}
        made[id(value)] = mapping
        for key, item in dict.items(value):
            mapping[str.__str__(key) if isinstance(key, str) else key] = _copied(item, made)
        return mapping
    if isinstance(value, list):
        items: list[Any] = []
        made[id(value)] = items
        items.extend(_copied(item, made) for item in list.__iter__(value))
        return items
    if type(value) is tuple:
        return tuple(_copied(item, made) for item in value)
    if isinstance(value, str) and not isinstance(value, Enum):
        return str.__str__(value)
    try:
        return copy.deepcopy(value, made)
    except Exception:  # it cannot be copied, and is evidence as it stands
        return value
