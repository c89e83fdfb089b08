"""The converter that stores text backwards and shows it forwards."""

from __future__ import annotations

from rampart.converters.text_converter import TextConverter
from rampart.text.reversal import to_reversed


class BidiConverter(TextConverter):
    """The content in reverse order, wrapped in directional controls so that a screen shows it as it was.

    Each line is wrapped by itself (U+2066 U+202E ... U+202C U+2069). Letters that are written from right to
    left, and directional controls in the content, are refused.
    """

    def transform(self, *, text: str) -> str:
        """`text` reversed and wrapped."""
        return to_reversed(text)
