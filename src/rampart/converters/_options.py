"""Checks of what a converter is told at its construction."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T", bound=str)


def require_one_of(value: T, allowed: Sequence[str], *, what: str) -> T:
    """Return `value` if it is one of `allowed`.

    Raises:
        ValueError: If it is not.
    """
    if value not in allowed:
        msg = f"the {what} must be one of {', '.join(map(repr, allowed))}, got {value!r}"
        raise ValueError(msg)
    return value


def require_one_line(value: str, *, what: str) -> str:
    """Return `value` if it is one non-blank line.

    Raises:
        ValueError: If it is not.
    """
    if not value.strip() or len(value.splitlines()) > 1:
        msg = f"the {what} must be one line that is not blank, got {value!r}"
        raise ValueError(msg)
    return value


def require_address(address: str, *, what: str) -> str:
    """Return `address` if it is a bare mail address.

    Raises:
        ValueError: If it is not.
    """
    local, at, domain = address.rpartition("@")
    fine = at and local and domain and not any(sign.isspace() or sign in '<>,;"' for sign in address)
    if not fine or not address.isascii():
        msg = f"the {what} must be a plain address such as 'user@example.com', got {address!r}"
        raise ValueError(msg)
    return address
