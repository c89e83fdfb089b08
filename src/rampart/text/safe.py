"""Values of unknown origin turned into plain text and numbers, whatever their methods do.

Of what their methods raise only Ctrl-C goes through: anything else that ends or skips a test would be taken
for what the test itself wants.
"""

import math
from collections.abc import Callable
from typing import Any

UNPRINTABLE = "<unprintable value>"


def safe_str(value: object, /) -> str:
    """Render `value` as an exact `str`; `<unprintable value>` if rendering it raises."""
    if type(value) is str:
        return value
    return _rendered(value, str)


def safe_repr(value: object, /) -> str:
    """The repr of `value` as an exact `str`; `<unprintable value>` if that raises."""
    return _rendered(value, repr)


def _rendered(value: object, render: Callable[[object], str]) -> str:
    try:
        # It may be a subclass, whose overridden methods must not travel on.
        return str.__str__(render(value))
    except KeyboardInterrupt:
        raise
    except BaseException:  # any failure of a foreign `__str__` means the same here
        return UNPRINTABLE


def safe_str_list(value: Any, /) -> list[str]:
    """Render an iterable item by item with `safe_str`.

    A str gives one item. What cannot be iterated, or raises on the way, gives an empty list.
    """
    try:
        if isinstance(value, str):
            return [safe_str(value)]
        return [safe_str(item) for item in value]
    except KeyboardInterrupt:
        raise
    except BaseException:  # any failure of a foreign object means the same here
        return []


def safe_float(value: object, /) -> float | None:
    """Give a finite int or float as an exact `float`.

    None for a bool, anything that is no int or float, NaN, the infinities, and ints too large for a float.
    """
    try:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        number = float(value)
    except KeyboardInterrupt:
        raise
    except BaseException:  # overflow, or whatever a subclass does in `__float__`
        return None
    return number if math.isfinite(number) else None
