"""Copies of what tools are given and return, so that a record does not change afterwards."""

from __future__ import annotations

import copy
from typing import Any

from rampart.text.safe import UNPRINTABLE

_LONGEST_REPR = 200
_DEEPEST = 32
_ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes})


def snapshot(value: object) -> Any:
    """An independent copy of `value`.

    What cannot be copied (locks, clients, generators) is replaced by its repr, cut at 200 characters;
    lists, dicts, tuples and sets around it keep the rest of what they hold.
    """
    try:
        return _copied(value, depth=0)
    except Exception:  # such as a dict that another thread changes meanwhile
        return _shown(value)


def _copied(value: object, *, depth: int) -> Any:
    if type(value) in _ATOMS:
        return value
    try:
        return copy.deepcopy(value)
    except Exception:  # a foreign `__deepcopy__` or `__reduce_ex__` may raise anything
        return _piecewise(value, depth=depth)


def _piecewise(value: object, *, depth: int) -> Any:
    if depth >= _DEEPEST:
        return _shown(value)
    if type(value) is dict:
        return {key: _copied(item, depth=depth + 1) for key, item in value.items()}
    if type(value) in {list, tuple, set, frozenset}:
        return type(value)(_copied(item, depth=depth + 1) for item in value)  # type: ignore[call-arg, attr-defined]
    return _shown(value)


def _shown(value: object) -> str:
    try:
        return repr(value)[:_LONGEST_REPR]
    except Exception:  # a foreign `__repr__` may raise anything
        return UNPRINTABLE
