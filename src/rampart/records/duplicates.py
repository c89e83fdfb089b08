"""Names that stand twice in one JSON object: which value counts would be up to the reader."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Collection

    from rampart.records.paths import Path


class _Pairs(list[tuple[str, Any]]):
    """What an object holds, in order and with every name that it has."""


def duplicate_key(data: str | bytes, *, known: Collection[str]) -> Path | None:
    """The place of the first name that stands twice in one object of `data`, a valid JSON text.

    Args:
        data: The text; where it is written as rampart writes, looking at it costs next to nothing.
        known: The names that may be shown; any other is `...`.
    """
    text = data.encode() if isinstance(data, str) else data
    if _is_canonical(text):
        return None
    # Numbers stay text: one of many digits would not be read.
    pairs = json.loads(text, object_pairs_hook=_Pairs, parse_int=str, parse_float=str)
    return _found(pairs, None, known)


def _is_canonical(text: bytes) -> bool:
    """Whether reading and writing gives the same bytes, which no name that stands twice survives."""
    try:
        return msgspec.json.encode(msgspec.json.decode(text)) == text.removesuffix(b"\n")
    except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):
        return False


def _found(value: object, here: Path | None, known: Collection[str]) -> Path | None:
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for name, item in value:
            step: Path = (here, name if name in known else ...)
            if name in seen:
                return step
            seen.add(name)
            found = _found(item, step, known)
            if found is not None:
                return found
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found = _found(item, (here, index), known)
            if found is not None:
                return found
    return None
