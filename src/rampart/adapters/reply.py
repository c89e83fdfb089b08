"""What an agent function may return, made a `Response`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from rampart.adapters.snapshot import plain_key, snapshot
from rampart.core.errors import InfrastructureError
from rampart.core.types import Response, SideEffect, ToolCall, Usage

T = TypeVar("T")

_RESPONSE_KEYS = ("text", "tool_calls", "side_effects", "usage", "metadata")
_CALL_KEYS = ("name", "arguments", "raw_arguments", "id", "result", "error", "executed", "timestamp")
_EFFECT_KEYS = ("kind", "details")
_USAGE_KEYS = (
    "input_tokens",
    "cached_input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "requests",
    "cost_usd",
)


class ReplyError(InfrastructureError, TypeError):
    """An agent function returned something that is no reply."""


def response_of(reply: object, *, source: str) -> Response:
    """The reply of an agent function as a new `Response`.

    Args:
        reply: A str; a dict with the keys of `Response`, its calls, effects and usage as dicts with the
            keys of `ToolCall`, `SideEffect` and `Usage` or as these objects; or a `Response`.
        source: Who returned it, for messages.

    Raises:
        ReplyError: If it is anything else; the text says who returned what, and where the fault is.
    """
    if isinstance(reply, str):
        return Response(text=str.__str__(reply))
    if isinstance(reply, Response):
        fields: Mapping[Any, Any] = {key: getattr(reply, key) for key in _RESPONSE_KEYS}
    elif isinstance(reply, Mapping):
        fields = reply
    else:
        msg = f"{source} returned {_described(reply)}; expected a str, a dict or a Response{_hint(reply)}"
        raise ReplyError(msg)
    try:
        return _response(fields)
    except _WrongPlaceError as wrong:
        kind = "a Response" if isinstance(reply, Response) else "a dict"
        msg = f"{source} returned {kind} whose {wrong}"
        raise ReplyError(msg) from None


def _described(reply: object) -> str:
    return "None" if reply is None else f"a value of type {type(reply).__name__}"


def _hint(reply: object) -> str:
    if inspect.isgenerator(reply) or inspect.isasyncgen(reply):
        return "; join the pieces of a streamed reply and return the whole text"
    if isinstance(reply, bytes | bytearray):
        return "; decode it"
    return ""


class _WrongPlaceError(Exception):
    """A part of a reply is wrong; the text begins with the place."""

    def __init__(self, place: str, value: object, *, expected: str) -> None:
        found = "None" if value is None else type(value).__name__
        super().__init__(f"{place} must be {expected}, got {found}")


class _UnknownKeyError(_WrongPlaceError):
    """A mapping has a key that means nothing."""

    def __init__(self, place: str, unknown: list[object], *, known: tuple[str, ...]) -> None:
        names = ", ".join(repr(key) for key in unknown)
        where = f" in {place}" if place else ""
        Exception.__init__(self, f"keys{where} {names} are unknown; the keys are {', '.join(known)}")


def _response(fields: Mapping[Any, Any]) -> Response:
    _check_keys(fields, "", known=_RESPONSE_KEYS, required="text")
    return Response(
        text=_text(fields["text"], "text"),
        tool_calls=_items(fields.get("tool_calls"), "tool_calls", _tool_call),
        side_effects=_items(fields.get("side_effects"), "side_effects", _side_effect),
        usage=_usage(fields.get("usage")),
        metadata=_mapping(fields.get("metadata"), "metadata"),
    )


def _tool_call(value: object, place: str) -> ToolCall:
    if isinstance(value, ToolCall):
        fields: Mapping[Any, Any] = vars(value)
    else:
        fields = _fields(value, place, known=_CALL_KEYS, required="name", kind="a ToolCall or a dict")
    arguments = fields.get("arguments")
    if isinstance(arguments, Mapping):
        arguments = _details(arguments, f"{place}.arguments")
    elif isinstance(arguments, str):
        arguments = str.__str__(arguments)
    elif arguments is not None:
        raise _WrongPlaceError(f"{place}.arguments", arguments, expected="a dict or a str")
    return ToolCall(
        name=_text(fields["name"], f"{place}.name"),
        arguments=arguments,  # type: ignore[arg-type]  # ToolCall takes None and text, and parses them
        **({"raw_arguments": raw} if (raw := _optional(fields, place, "raw_arguments", str)) else {}),
        id=_optional(fields, place, "id", str),
        result=snapshot(fields.get("result")),
        error=_optional(fields, place, "error", str),
        executed=_optional(fields, place, "executed", bool),
        timestamp=_timestamp(fields.get("timestamp"), f"{place}.timestamp"),
    )


def _side_effect(value: object, place: str) -> SideEffect:
    if isinstance(value, SideEffect):
        fields: Mapping[Any, Any] = vars(value)
    else:
        fields = _fields(value, place, known=_EFFECT_KEYS, required="kind", kind="a SideEffect or a dict")
    return SideEffect(
        kind=_text(fields["kind"], f"{place}.kind"),
        details=_details(fields.get("details"), f"{place}.details"),
    )


def _usage(value: object) -> Usage | None:
    if value is None:
        return None
    if isinstance(value, Usage):
        fields: Mapping[Any, Any] = vars(value)
    else:
        fields = _fields(value, "usage", known=_USAGE_KEYS, kind="a Usage or a dict")
    for key in _USAGE_KEYS:
        number = fields.get(key)
        if number is not None and (isinstance(number, bool) or not isinstance(number, int | float)):
            raise _WrongPlaceError(f"usage.{key}", number, expected="a number or None")
    return Usage(**{key: fields.get(key) for key in _USAGE_KEYS})


def _fields(
    value: object, place: str, *, known: tuple[str, ...], kind: str, required: str | None = None
) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise _WrongPlaceError(place, value, expected=kind)
    _check_keys(value, place, known=known, required=required)
    return value


def _check_keys(
    fields: Mapping[Any, Any], place: str, *, known: tuple[str, ...], required: str | None = None
) -> None:
    unknown = [key for key in fields if key not in known]
    if unknown:
        raise _UnknownKeyError(place, unknown, known=known)
    if required is not None and required not in fields:
        raise _WrongPlaceError(f"{place}.{required}" if place else required, None, expected="a str")


def _items(value: object, place: str, convert: Callable[[object, str], T]) -> list[T]:
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise _WrongPlaceError(place, value, expected="a list")
    return [convert(item, f"{place}[{index}]") for index, item in enumerate(value)]


def _text(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise _WrongPlaceError(place, value, expected="a str")
    return str.__str__(value)


def _mapping(value: object, place: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _WrongPlaceError(place, value, expected="a dict")
    return dict(value)


def _details(value: object, place: str) -> dict[str, Any]:
    """A copy that stays as it is, whatever the agent does later with what it returned."""
    mapping = _mapping(value, place)
    return {plain_key(key): snapshot(item) for key, item in mapping.items()}


def _optional(fields: Mapping[Any, Any], place: str, key: str, kind: type[T]) -> T | None:
    value = fields.get(key)
    if value is not None and not isinstance(value, kind):
        raise _WrongPlaceError(f"{place}.{key}", value, expected=f"a {kind.__name__} or None")
    plain: T | None = snapshot(value)
    return plain


def _timestamp(value: object, place: str) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            pass
    raise _WrongPlaceError(place, value, expected="a datetime, ISO 8601 text or None")
