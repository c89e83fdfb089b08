"""What a reader of a payload gets, by tools that are not those that wrote it."""

from __future__ import annotations

import base64
import codecs
import html
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from rampart.core.types import PayloadFormat
from rampart.text.fold import fold

if TYPE_CHECKING:
    from rampart.core.types import Payload

_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_HEX = re.compile(r"\b(?:[0-9a-f]{2}){12,}\b")
_SPELLED = re.compile("(?:.-){11,}.", re.DOTALL)
_ZERO_WIDTH = re.compile("[\u200b\u200c]{8,}")
_TAGS = re.compile("[\U000e0000-\U000e007f]+")


class _Page(HTMLParser):
    """Collects text, comments and the values of attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_comment(self, data: str) -> None:
        self.found.append(html.unescape(data))  # a comment has no entities, but models know what they mean

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.extend(value for _, value in attrs if value)


def read_html(content: str) -> str:
    """All that stands in a piece of HTML, visible or not."""
    page = _Page()
    page.feed(content)
    page.close()
    return "\n".join(page.found)


def decode(content: str, encodings: list[str]) -> str:
    """The content with what is encoded in it decoded."""
    decoded = [content]
    if "base64" in encodings:
        decoded += [base64.b64decode(found).decode() for found in _BASE64.findall(content)]
    if "hex" in encodings:
        decoded += [bytes.fromhex(found).decode() for found in _HEX.findall(content)]
    if "rot13" in encodings:
        decoded.append(codecs.decode(content, "rot13"))
    if "spelled" in encodings:
        decoded += [found[::2] for found in _SPELLED.findall(content)]
    if "backwards" in encodings:
        decoded.append(content[::-1])
    if "zero_width" in encodings:
        decoded += [_from_bits(found) for found in _ZERO_WIDTH.findall(content)]
    if "tags" in encodings:
        decoded.append(_TAGS.sub(lambda found: "".join(chr(ord(tag) & 0x7F) for tag in found[0]), content))
    if "split_letters" in encodings:
        decoded.append(content.replace("\u200b", ""))
    if {"look_alikes", "full_width"} & set(encodings):
        decoded.append(fold(content, case_sensitive=True, confusables=True))
    return "\n".join(decoded)


def _from_bits(found: str) -> str:
    bits = found.replace("\u200b", "0").replace("\u200c", "1")
    return int(bits, 2).to_bytes(len(bits) // 8, "big").decode()


def read(payload: Payload) -> str:
    """All that a reader can find in a payload."""
    content = payload.content
    if payload.format is PayloadFormat.HTML:
        content = read_html(content)
    text = decode(content, payload.metadata["encodings"])
    return f"{text}\n{_unescape_json(text)}"


def _unescape_json(text: str) -> str:
    """Escapes of JSON and iCalendar undone where there are any."""
    return re.sub(r"\\(?:u([0-9a-f]{4})|(.))", _unescaped, text)


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}.get(match[2], match[2])


def letters(text: str) -> str:
    """Letters and digits alone, folded: what is left of a text in a file name or on one line."""
    return "".join(character for character in fold(text, confusables=True) if character.isalnum())
