"""How deep a JSON text is nested, without building anything from it."""

from __future__ import annotations

import re

from rampart.records.json_values import MAX_NESTING

_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NOT_A_BRACKET = bytes(set(range(256)) - set(b"[]{}"))


def too_deep(data: str | bytes) -> bool:
    """Whether the arrays and objects of a valid JSON text are nested deeper than 64."""
    openers = (
        data.count(b"[") + data.count(b"{") if isinstance(data, bytes) else data.count("[") + data.count("{")
    )
    if openers <= MAX_NESTING:
        return False
    text = data if isinstance(data, bytes) else data.encode()
    level = 0
    for bracket in _STRING.sub(b"", text).translate(None, _NOT_A_BRACKET):
        level += 1 if bracket in b"[{" else -1
        if level > MAX_NESTING:
            return True
    return False
