"""Sensitive values in evidence: enough to find them again, not enough to use them."""

from __future__ import annotations

_SHOWN = 4
_AT_MOST = 4
"""At most the fourth part is shown."""


def masked(value: str) -> str:
    """The first few characters of a value, and how long it is."""
    return f"{value[: min(_SHOWN, len(value) // _AT_MOST)]}*** ({len(value)} characters)"
