"""Converters that encode the content; each has its exact inverse in `rampart.text.encodings`."""

from __future__ import annotations

from rampart.converters.text_converter import TextConverter
from rampart.text.encodings import rot13, to_base64, to_hex, to_html_entities, to_url


class Base64Converter(TextConverter):
    """Base64 of the UTF-8 content, padded, on one line. A lone surrogate is refused."""

    def transform(self, *, text: str) -> str:
        """The Base64 of `text`."""
        return to_base64(text)


class Rot13Converter(TextConverter):
    """The content with each ASCII letter moved by 13 places."""

    def transform(self, *, text: str) -> str:
        """The ROT13 of `text`."""
        return rot13(text)


class HexConverter(TextConverter):
    """Two hexadecimal digits for each byte of the UTF-8 content. A lone surrogate is refused."""

    def transform(self, *, text: str) -> str:
        """The hexadecimal digits of `text`."""
        return to_hex(text)


class UrlConverter(TextConverter):
    """Percent-encoding of the UTF-8 content, as for a query parameter. A lone surrogate is refused.

    Args:
        every_byte: Also encode letters and digits, which stand for themselves otherwise.
    """

    def __init__(self, *, every_byte: bool = False) -> None:
        self._every_byte = every_byte

    def transform(self, *, text: str) -> str:
        """The percent-encoding of `text`."""
        return to_url(text, every_byte=self._every_byte)


class HtmlEntityConverter(TextConverter):
    """A decimal character reference for each character. What HTML cannot refer to is refused."""

    def transform(self, *, text: str) -> str:
        """The character references of `text`."""
        return to_html_entities(text)
