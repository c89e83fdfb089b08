"""Arbitrary values made JSON-safe, or checked to be."""

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import Decimal
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from rampart.core.errors import SchemaError
from rampart.records.paths import Part, Path, depth, render
from rampart.text.safe import UNPRINTABLE, safe_repr, safe_str
from rampart.text.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.records.losses import Losses, Reason

MAX_NESTING = 64
"""How deep a record may be nested, the record itself included."""

MAX_PREPARED_NESTING = 32
"""How deep preparing keeps the nesting of one value."""

_SHOWN_OF_A_VALUE = 200
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_CONTAINERS = (dict, list, tuple)
_NAMED: tuple[tuple[type | tuple[type, ...], Callable[[Any], object]], ...] = (
    (dt.date, lambda value: value.isoformat()),
    ((PurePath, UUID, Decimal), str),
)


def is_a(value: object, kinds: type | tuple[type, ...]) -> bool:
    """Whether `value` really is one: unlike `isinstance`, the value itself is not asked."""
    return issubclass(type(value), kinds)


def has_surrogate(text: str) -> bool:
    """Whether `text` holds a lone surrogate, which no UTF-8 file can."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def clean_text(text: str) -> str:
    """`text` as an exact str without registered secrets, lone surrogates as U+FFFD."""
    redacted = redact(str.__str__(text))
    return _SURROGATE.sub("\ufffd", redacted) if has_surrogate(redacted) else redacted


def prepare_text(text: str, parent: Path | None, part: Part, losses: Losses) -> str:
    """`text` cleaned, noting surrogates; removing a secret is no loss."""
    redacted = redact(str.__str__(text))
    if not has_surrogate(redacted):
        return redacted
    losses.note(parent, part, "surrogate")
    return _SURROGATE.sub("\ufffd", redacted)


def prepare_value(
    value: Any, parent: Path | None, part: Part, losses: Losses, enclosing: tuple[int, ...] = ()
) -> Any:
    """A deep copy of `value` made of JSON values; each change is noted.

    Args:
        value: Anything.
        parent: The place of what holds the value.
        part: The last step to the value.
        losses: Where changes are noted.
        enclosing: The identities of the containers around the value, up to the field's own.
    """
    kind = type(value)
    if kind is str:
        return prepare_text(value, parent, part, losses)
    if value is None or kind is bool:
        return value
    if kind is dict or kind is list or issubclass(kind, _CONTAINERS):
        reason: Reason | None = None
        if id(value) in enclosing:
            reason = "cycle"
        elif len(enclosing) >= MAX_PREPARED_NESTING:
            reason = "depth"
        if reason is None:
            inside = (*enclosing, id(value))
            if issubclass(kind, dict):
                return _mapping(value, (parent, part), losses, inside)
            return _array(value, (parent, part), losses, inside)
        losses.note(parent, part, reason)
        return _representation(value)
    return _scalar(value, parent, part, losses)


def _mapping(value: dict[Any, Any], here: Path, losses: Losses, enclosing: tuple[int, ...]) -> dict[str, Any]:
    # All items at once: the test's own threads may go on changing the mapping.
    items = list(dict.items(value))
    names = _names([key for key, _ in items], here, losses)
    return {
        name: prepare_value(item, here, name, losses, enclosing)
        for name, (_, item) in zip(names, items, strict=True)
    }


def _array(
    value: list[Any] | tuple[Any, ...], here: Path, losses: Losses, enclosing: tuple[int, ...]
) -> list[Any]:
    return [
        prepare_value(item, here, index, losses, enclosing) for index, item in enumerate(plain_items(value))
    ]


def plain_items(value: list[Any] | tuple[Any, ...]) -> list[Any]:
    """The items at this moment, whatever a subclass makes of iteration."""
    if issubclass(type(value), tuple):
        return list(tuple.__iter__(cast("tuple[Any, ...]", value)))
    return list.copy(cast("list[Any]", value))


def _names(keys: list[Any], here: Path, losses: Losses) -> list[str]:
    """The keys as strings, each once. A key that stays as it is keeps its name; others make way."""
    plain = [str.__str__(key) if issubclass(type(key), str) else None for key in keys]
    pairs = zip(keys, plain, strict=True)
    names = [clean_text(safe_str(key) if text is None else text) for key, text in pairs]
    if names == plain:
        return names
    as_they_were = [name == text for name, text in zip(names, plain, strict=True)]
    taken = {name for name, same in zip(names, as_they_were, strict=True) if same}
    numbers: dict[str, int] = {}
    for position, (text, same) in enumerate(zip(plain, as_they_were, strict=True)):
        if same:
            continue
        name = wanted = names[position]
        while name in taken:
            numbers[wanted] = numbers.get(wanted, 1) + 1
            name = f"{wanted} ({numbers[wanted]})"
        taken.add(name)
        names[position] = name
        if text is None:
            losses.note(here, name, "non_string_key")
        elif has_surrogate(text):
            losses.note(here, name, "surrogate")
    return names


def _scalar(value: Any, parent: Path | None, part: Part, losses: Losses) -> Any:
    if is_a(value, str):
        return prepare_text(value, parent, part, losses)
    if is_a(value, (int, float)):
        number = plain_number(value)
        if number is None:
            losses.note(parent, part, "non_finite")
        return number
    losses.note(parent, part, "not_json")
    for kinds, written in _NAMED:
        if is_a(value, kinds):
            try:
                return clean_text(safe_str(written(value)))
            except KeyboardInterrupt:
                raise
            except BaseException:  # a subclass may do anything
                return UNPRINTABLE
    return _representation(value)


def plain_number(value: float) -> float | None:
    """The number without its subclass; None if it is not finite in double precision."""
    if issubclass(type(value), int):
        whole = int.__int__(cast("int", value))
        try:
            float(whole)
        except OverflowError:
            return None
        return whole
    number = float.__float__(value)
    return number if math.isfinite(number) else None


def _representation(value: Any) -> str:
    # Cleaned before it is cut, so that the cut leaves no half of a secret.
    return clean_text(safe_repr(value))[:_SHOWN_OF_A_VALUE]


def check_value(value: Any, parent: Path | None, part: Part) -> Any:
    """Return `value` if it is made of plain JSON values.

    Raises:
        SchemaError: If it is not; the text names the place, keys inside of free mappings as `[...]`.
    """
    kind = type(value)
    if kind is dict or kind is list:
        if value:
            # The record itself is the first level, and each step opens another one.
            _check_container(value, (parent, part), depth((parent, part)) + 1)
        return value
    return _check_scalar(value, parent, part)


def _check_container(value: Any, here: Path, level: int) -> None:
    if level > MAX_NESTING:
        raise SchemaError(f"{render(*here)}: nested deeper than {MAX_NESTING}")
    if type(value) is dict:
        for key in value:
            if type(key) is not str:
                raise SchemaError(f"{render(here, ...)}: expected a string as key, got {type(key).__name__}")
            check_text(key, here, ...)
    steps = ((..., item) for item in value.values()) if type(value) is dict else enumerate(value)
    for step, item in steps:
        kind = type(item)
        if kind is dict or kind is list:
            _check_container(item, (here, step), level + 1)
        else:
            _check_scalar(item, here, step)


def _check_scalar(value: Any, parent: Path | None, part: Part) -> Any:
    kind = type(value)
    if kind is str:
        return check_text(value, parent, part)
    if value is None or kind is bool or kind is int:
        return value
    if kind is not float:
        raise SchemaError(f"{render(parent, part)}: expected a JSON value, got {kind.__name__}")
    if not math.isfinite(value):
        raise SchemaError(f"{render(parent, part)}: expected a finite number")
    return value


def check_text(value: Any, parent: Path | None, part: Part) -> str:
    """Return `value` if it is a str without lone surrogates.

    Raises:
        SchemaError: If it is not.
    """
    if type(value) is not str:
        raise SchemaError(f"{render(parent, part)}: expected a string, got {type(value).__name__}")
    if has_surrogate(value):
        raise SchemaError(f"{render(parent, part)}: expected a string without lone surrogates")
    return value
