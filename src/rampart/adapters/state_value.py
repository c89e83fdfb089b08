"""State as JSON, so that it can be compared and recorded."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

_DEEPEST = 200
_MOST = 50_000
_AS_TEXT = (date, time, timedelta, Decimal, UUID, PurePath)


class StateTooLargeError(ValueError):
    """A state has more values than a snapshot holds."""


def plain_state(value: object, /) -> Any:
    """A copy of a state as JSON that nobody else holds.

    Dates, decimals, UUIDs and paths become text, sets sorted lists, bytes their SHA-256 and their length.

    Raises:
        TypeError: If something in it is no JSON: two snapshots of an object whose text holds its address
            would never be equal.
        StateTooLargeError: If it has more than 50,000 values.
        ValueError: If it is nested more than 200 deep.
    """
    return _Copy().of(value, depth=0)


def digest(content: bytes, /) -> str:
    """Bytes as a short text that changes with them."""
    return f"sha256:{hashlib.sha256(content).hexdigest()} ({len(content)} bytes)"


class _Copy:
    def __init__(self) -> None:
        self._count = 0

    def of(self, value: object, *, depth: int) -> Any:
        self._count += 1
        if self._count > _MOST:
            msg = f"the state has more than {_MOST:,} values; take a snapshot of a part of it"
            raise StateTooLargeError(msg)
        if depth > _DEEPEST:
            msg = f"the state is nested more than {_DEEPEST} deep"
            raise ValueError(msg)
        if value is None or type(value) in {bool, int, float, str}:
            return value
        if isinstance(value, Enum):
            return self.of(value.value, depth=depth + 1)
        if isinstance(value, Mapping):
            return {str(key): self.of(item, depth=depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.of(item, depth=depth + 1) for item in value]
        if isinstance(value, set | frozenset):
            return sorted((self.of(item, depth=depth + 1) for item in value), key=repr)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, bytes | bytearray | memoryview):
            return digest(bytes(value))
        if isinstance(value, _AS_TEXT):
            return str(value)
        msg = f"a state must be JSON, and holds a {type(value).__name__}; make dicts and lists of it"
        raise TypeError(msg)
