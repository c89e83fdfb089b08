"""Copies of what tools are given and return, so that a record does not change afterwards."""

from __future__ import annotations

import copy
import reprlib
from typing import TYPE_CHECKING, Any, cast

from rampart.text.safe import UNPRINTABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_LONGEST_REPR = 200
_DEEPEST = 32
_ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes})
_REBUILD: dict[type, Callable[[Iterable[Any]], Any]] = {
    list: list,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
}
_CONTAINERS = frozenset({dict, *_REBUILD})


def snapshot(value: object) -> Any:
    """An independent copy of `value`.

    What cannot be copied (locks, clients, generators) is replaced by its repr, cut at 200 characters;
    lists, dicts, tuples and sets around it keep the rest of what they hold.
    """
    try:
        return _copied(value, {}, depth=0)
    except Exception:  # such as a dict that another thread changes meanwhile
        return _shown(value)


def _copied(value: object, done: dict[int, Any], *, depth: int) -> Any:
    if type(value) in _ATOMS:
        return value
    if id(value) in done:
        return done[id(value)]
    try:
        copied = copy.deepcopy(value)
    except Exception:  # a foreign `__deepcopy__` or `__reduce_ex__` may raise anything
        done[id(value)] = "<cycle>"
        copied = _piecewise(value, done, depth=depth)
    done[id(value)] = copied
    return copied


def _piecewise(value: object, done: dict[int, Any], *, depth: int) -> Any:
    if depth >= _DEEPEST:
        return _shown(value)
    if type(value) is dict:
        return {key: _copied(item, done, depth=depth + 1) for key, item in value.items()}
    rebuild = _REBUILD.get(type(value))
    if rebuild is None:
        return _shown(value)
    return rebuild(_copied(item, done, depth=depth + 1) for item in cast("Iterable[object]", value))


def _shown(value: object) -> str:
    try:
        # Containers can hold one thing many times over, so that their own repr would never end.
        text = reprlib.repr(value) if type(value) in _CONTAINERS else repr(value)
    except Exception:  # a foreign `__repr__` may raise anything
        return UNPRINTABLE
    return text[:_LONGEST_REPR]
