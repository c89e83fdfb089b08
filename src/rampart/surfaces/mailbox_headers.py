"""Header lines of a mail, written so that every reader gets back what was given.

The standard library's own folding loses spaces between encoded words, so the lines are made here. No value
can end a header: line breaks are refused.

Format: RFC 5322 (lines and folding), RFC 2047 (encoded words).
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from email.utils import getaddresses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_PRINTABLE = re.compile(r"[ -~]*")
_WORDS = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(?: [\w!#$%&'*+/=?^`{|}~-]+)*", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
_NAME = re.compile(r"[!-9;-~]{1,76}")
_ADDRESS = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9.-]{1,255}", re.ASCII)
_LINE = 76
_LONGEST_LINE = 900
_BYTES_A_WORD = 42
_LONGEST_WORD = 690
"""Bytes of text in one encoded word, so that its line stays below the 998 characters that mail allows."""


@dataclass(frozen=True, kw_only=True)
class MailAddress:
    """An address with the name that is shown for it; the name may be empty."""

    name: str = ""
    address: str

    @property
    def header(self) -> str:
        """The address as a header holds it."""
        return f"{_phrase(self.name)} <{self.address}>" if self.name else self.address


def parse_address(text: str, *, what: str) -> MailAddress:
    """Read `Name <name@example.com>`, or the address alone.

    Raises:
        TypeError: If it is no str.
        ValueError: If it is anything else, or not ASCII; `what` names it in the error.
    """
    check_header_value(text, what=what)
    found = getaddresses([text])
    name, address = found[0] if len(found) == 1 else ("", "")
    if _ADDRESS.fullmatch(address) is None:
        msg = f'{what} must be a mail address such as "Ada <ada@example.com>", got {text!r}'
        raise ValueError(msg)
    return MailAddress(name=name, address=address)


def check_header_value(value: object, *, what: str) -> None:
    """Refuse what could end a header and begin another.

    Raises:
        TypeError: If the value is no str.
        ValueError: If it holds a line break or another control character.
    """
    if not isinstance(value, str):
        msg = f"{what} must be a str, got {value!r}"
        raise TypeError(msg)
    if _CONTROL.search(value) is not None:
        msg = f"{what} must be one line without control characters, got {value!r}"
        raise ValueError(msg)


def check_header_name(name: object) -> None:
    """Refuse what is no name of a header.

    Raises:
        ValueError: If it is not 1 to 76 printable ASCII characters other than space and colon.
    """
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        msg = f"a header's name is up to 76 printable ASCII characters without space and colon, got {name!r}"
        raise ValueError(msg)


def header_line(name: str, value: str) -> str:
    """One header of free text, folded, with its line break."""
    check_header_value(value, what=name)
    if _is_plain(value):
        folded = _fold(value, used=len(name) + 2)
        if max(map(len, folded.split("\n"))) <= _LONGEST_LINE:
            return f"{name}: {folded}\n"
    return f"{name}: {_encoded_words(value)}\n"


def address_line(name: str, addresses: list[MailAddress]) -> str:
    """One header of addresses, each on a line of its own."""
    for one in addresses:
        check_header_value(one.name, what=name)
    return f"{name}: " + ",\n ".join(one.header for one in addresses) + "\n"


def _is_plain(text: str) -> bool:
    return _PRINTABLE.fullmatch(text) is not None and "=?" not in text and text == text.strip()


def _phrase(text: str) -> str:
    """A name beside an address.

    Readers disagree whether the space between two encoded words counts here, so names are divided at spaces,
    where it makes no difference; a long word stays whole, though RFC 2047 would have it divided.
    """
    if not _is_plain(text):
        return _encoded_words(re.findall(r"\s*\S+\s*", text) or [text], longest=_LONGEST_WORD)
    if _WORDS.fullmatch(text) is not None and len(text) <= _LINE:
        return text
    return '"' + _fold(re.sub(r'(["\\])', r"\\\1", text), used=len("From: ") + 1) + '"'


def _fold(text: str, *, used: int) -> str:
    """Break at single spaces; unfolding gives the text back."""
    lines = [""]
    for word in re.split(r"(?<! ) (?! )", text):
        length = (used if len(lines) == 1 else 1) + len(lines[-1])
        if lines[-1] and length + 1 + len(word) > _LINE:
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return "\n ".join(lines)


def _encoded_words(pieces: Iterable[str], *, longest: int = _BYTES_A_WORD) -> str:
    """The text in words of a handful of pieces; a piece over the bound of a word is a word of its own."""
    chunks = [b""]
    for piece in pieces:
        octets = piece.encode()
        if len(octets) > longest:
            msg = f"a word of {len(octets)} bytes is too long for a header: {piece!r:.60}"
            raise ValueError(msg)
        if chunks[-1] and len(chunks[-1]) + len(octets) > _BYTES_A_WORD:
            chunks.append(b"")
        chunks[-1] += octets
    return "\n ".join(f"=?utf-8?b?{base64.b64encode(chunk).decode()}?=" for chunk in chunks)
