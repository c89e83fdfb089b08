"""Converters that write the same words in other letters."""

from __future__ import annotations

from rampart.converters.text_converter import TextConverter
from rampart.text.letter_forms import to_full_width, to_leetspeak, to_look_alikes


class LeetspeakConverter(TextConverter):
    """Digits for the letters a, e, g, i, o, s, t and z; this cannot be undone."""

    def transform(self, *, text: str) -> str:
        """The leetspeak of `text`."""
        return to_leetspeak(text)


class FullWidthConverter(TextConverter):
    """Full-width forms for ASCII, as they are used among Chinese and Japanese letters."""

    def transform(self, *, text: str) -> str:
        """The full-width form of `text`."""
        return to_full_width(text)


class LookAlikeConverter(TextConverter):
    """Cyrillic and other letters that look like the Latin ones: reads the same, is another string."""

    def transform(self, *, text: str) -> str:
        """`text` in look-alikes."""
        return to_look_alikes(text)
