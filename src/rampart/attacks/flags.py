"""Options that are on or off."""

from __future__ import annotations


def check_flag(value: object, *, name: str, none_allowed: bool = False) -> None:
    """Refuse anything but a bool, or None where that means something.

    Raises:
        TypeError: Naming the option.
    """
    if not (isinstance(value, bool) or (none_allowed and value is None)):
        msg = f"{name} must be True{', False or None' if none_allowed else ' or False'}, got {value!r}"
        raise TypeError(msg)
