"""Encodings in which an instruction hides from whoever reads plain text, each with its exact inverse."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
from urllib.parse import quote, unquote


def utf8_bytes(text: str, /) -> bytes:
    """The text as UTF-8.

    Raises:
        ValueError: If the text holds a lone surrogate, which no UTF-8 can carry.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        msg = (
            f"the text holds the lone surrogate U+{ord(text[error.start]):04X} at position {error.start}, "
            "which UTF-8 cannot carry; remove or replace it"
        )
        raise ValueError(msg) from None


def to_base64(text: str, /) -> str:
    """Base64 (RFC 4648, padded, one line) of the text's UTF-8.

    Raises:
        ValueError: If the text holds a lone surrogate.
    """
    return base64.b64encode(utf8_bytes(text)).decode("ascii")


def from_base64(encoded: str, /) -> str:
    """The text behind `to_base64`.

    Raises:
        ValueError: If it is no Base64, or not of UTF-8.
    """
    try:
        return base64.b64decode(encoded, validate=True).decode("utf-8")
    except (binascii.Error, ValueError) as error:
        msg = f"not the Base64 of a UTF-8 text: {error}"
        raise ValueError(msg) from error


def rot13(text: str, /) -> str:
    """The text with each ASCII letter moved by 13 places; applied twice it is the text again.

    Everything else stays, lone surrogates included.
    """
    return codecs.encode(text, "rot13")


def to_hex(text: str, /) -> str:
    """Two hexadecimal digits for each byte of the text's UTF-8, in small letters.

    Raises:
        ValueError: If the text holds a lone surrogate.
    """
    return utf8_bytes(text).hex()


def from_hex(encoded: str, /) -> str:
    """The text behind `to_hex`; white space between bytes is passed over.

    Raises:
        ValueError: If it is no row of hexadecimal bytes, or not of UTF-8.
    """
    try:
        return bytes.fromhex(encoded).decode("utf-8")
    except ValueError as error:
        msg = f"not the hexadecimal digits of a UTF-8 text: {error}"
        raise ValueError(msg) from error


def to_url(text: str, /, *, every_byte: bool = False) -> str:
    """Percent-encoding of the text's UTF-8 (RFC 3986), as for the value of a query parameter.

    Args:
        text: Any text.
        every_byte: Also encode letters, digits and `-._~`, which stand for themselves otherwise.

    Raises:
        ValueError: If the text holds a lone surrogate.
    """
    encoded = utf8_bytes(text)
    if every_byte:
        return "".join(f"%{byte:02X}" for byte in encoded)
    return quote(encoded, safe="")


def from_url(encoded: str, /) -> str:
    """The text behind `to_url`.

    Raises:
        ValueError: If what is encoded is not UTF-8.
    """
    try:
        return unquote(encoded, errors="strict")
    except UnicodeDecodeError as error:
        msg = f"not the percent-encoding of a UTF-8 text: {error}"
        raise ValueError(msg) from error


def to_html_entities(text: str, /) -> str:
    """A decimal character reference for each character, such as `&#72;` for `H`.

    Raises:
        ValueError: If the text holds a character for which HTML has no reference: a lone surrogate, a
            non-character or most control characters.
    """
    return "".join(map(_reference, text))


def from_html_entities(encoded: str, /) -> str:
    """The text behind `to_html_entities`; named and hexadecimal references are understood too."""
    return html.unescape(encoded)


def _reference(character: str) -> str:
    reference = f"&#{ord(character)};"
    # Controls, surrogates and non-characters read back as something else, or as nothing (HTML, 13.2.5.80).
    if html.unescape(reference) != character:
        msg = f"HTML has no character reference for U+{ord(character):04X}; remove or replace it"
        raise ValueError(msg)
    return reference
