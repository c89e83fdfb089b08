"""Equality as JSON has it, for the values that tools are called with."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number


def same_value(expected: object, actual: object, /) -> bool:
    """Whether two values are equal, at every depth, without mixing types that JSON keeps apart.

    A bool equals no number, text equals no number; int and float of equal value are equal. Lists and
    tuples are alike, since JSON has only arrays. Other objects are asked, the expected one first, so
    that helpers such as `unittest.mock.ANY` work.
    """
    if isinstance(expected, bool) is not isinstance(actual, bool):
        both_numbers = isinstance(expected, Number) and isinstance(actual, Number)
        return not both_numbers and bool(expected == actual)
    if isinstance(expected, list | tuple) and isinstance(actual, list | tuple):
        return len(expected) == len(actual) and all(map(same_value, expected, actual))
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        return len(expected) == len(actual) and all(
            key in actual and same_value(value, actual[key]) for key, value in expected.items()
        )
    return bool(expected == actual)
