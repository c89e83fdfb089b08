"""Text that any request can carry, whatever an agent or a model put into it."""

from __future__ import annotations


def encodable(text: str, /) -> str:
    """The text with U+FFFD for lone surrogates, which UTF-8 does not know; two halves that fit become one."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
