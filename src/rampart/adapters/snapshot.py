"""Copies of what tools are given and return, so that a record does not change afterwards."""

from __future__ import annotations

import copy
import reprlib
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from rampart.text.safe import UNPRINTABLE, safe_repr
from rampart.text.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_LONGEST_REPR = 200
_DEEPEST = 100
_ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes})
_COLLECTIONS: dict[type, Callable[[Any], Iterable[object]]] = {
    tuple: tuple.__iter__,
    set: set.__iter__,
    frozenset: frozenset.__iter__,
}
_CONTAINERS = frozenset({dict, list, *_COLLECTIONS})
_PLAIN: dict[type, Callable[[Any], object]] = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
    bytes: partial(bytes.__add__, b""),
}


def snapshot(value: object) -> Any:
    """An independent copy of `value`.

    Strings, numbers, lists, dicts, tuples and sets of a class of their own become plain ones, so that
    nothing but what they hold decides later what they equal. What cannot be copied (locks, clients,
    generators) is replaced by its repr, cut at 200 characters, and so is what is nested too deeply.
    """
    try:
        return _copied(value, {}, depth=0)
    except Exception:  # such as a dict that another thread changes meanwhile
        return _shown(value)


def plain_key(key: Any) -> Any:
    """A key of a dict; a str of a class of its own as a plain one."""
    return str.__str__(key) if issubclass(type(key), str) else key


def _copied(value: object, done: dict[int, Any], *, depth: int) -> Any:
    if type(value) in _ATOMS:
        return value
    if id(value) in done:
        return done[id(value)]
    if depth >= _DEEPEST:
        return _shown(value)
    if issubclass(type(value), dict):  # not isinstance, which asks the object
        mapping: dict[Any, Any] = {}
        done[id(value)] = mapping
        for key, item in dict.items(cast("dict[Any, Any]", value)):
            mapping[plain_key(key)] = _copied(item, done, depth=depth + 1)
        return mapping
    if issubclass(type(value), list):
        items: list[Any] = []
        done[id(value)] = items
        items.extend(_copied(item, done, depth=depth + 1) for item in list.__iter__(cast("list[Any]", value)))
        return items
    copied = done[id(value)] = _rebuilt(value, done, depth=depth)
    return copied


def _rebuilt(value: object, done: dict[int, Any], *, depth: int) -> Any:
    for kind, parts in _COLLECTIONS.items():
        if issubclass(type(value), kind):
            return kind(_copied(part, done, depth=depth + 1) for part in parts(value))
    if not issubclass(type(value), Enum):
        for kind, plain in _PLAIN.items():
            if issubclass(type(value), kind):
                return plain(value)
    try:
        return copy.deepcopy(value)
    except Exception:  # a foreign `__deepcopy__` or `__reduce_ex__` may raise anything
        return _shown(value)


class _ShortRepr(reprlib.Repr):
    """Short reprs of containers; what they hold loses its secrets before it is cut."""

    def repr_str(self, text: str, level: int) -> str:
        return super().repr_str(redact(text), level)

    def repr_instance(self, value: object, level: int) -> str:
        shown = redact(safe_repr(value))
        return shown if len(shown) <= self.maxother else shown[: self.maxother] + self.fillvalue


def _shown(value: object) -> str:
    # Containers can hold one thing many times over, so that their own repr would never end.
    text = _rendered(value) if type(value) in _CONTAINERS else safe_repr(value)
    return redact(text)[:_LONGEST_REPR]


def _rendered(container: object) -> str:
    try:
        return _ShortRepr().repr(container)
    except KeyboardInterrupt:
        raise
    except BaseException:  # comparing keys, to sort them, may raise anything
        return UNPRINTABLE
