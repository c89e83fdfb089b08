"""Counts that may be 0."""

from __future__ import annotations


def check_whole_number(value: object, *, name: str) -> None:
    """Refuse anything but a whole number of at least 0.

    Raises:
        TypeError: If `value` is a bool or no int.
        ValueError: If `value` is below 0.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        msg = f"{name} must be a non-boolean integer, got {value!r}"
        raise TypeError(msg)
    if value < 0:
        msg = f"{name} must be 0 or more, got {value!r}"
        raise ValueError(msg)
