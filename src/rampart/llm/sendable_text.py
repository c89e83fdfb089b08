"""Text that can be sent, whatever an agent put into it."""

from __future__ import annotations


def sendable(text: str, /) -> str:
    """Replace halves of surrogate pairs, which hostile text may hold and which UTF-8 does not know."""
    return text.encode("utf-8", "replace").decode("utf-8")
