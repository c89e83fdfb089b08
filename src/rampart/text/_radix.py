"""Bytes written in digits of two to six bits: Base64, Base32, hexadecimal, binary.

Decoding takes the whole text, leaves out every character that is no digit, and begins at every digit that
could be the first of a byte. So it does not matter where encoded text begins, how it is wrapped and what
stands before it: of all that comes out, only what reads as text is looked at any further.
"""

from __future__ import annotations

import binascii
import re
import string
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class DecodedBytes(NamedTuple):
    """What came out for one beginning.

    Attributes:
        data: The bytes.
        first: Bits before the first of them, counted from the first digit.
    """

    data: bytes
    first: int


@dataclass(frozen=True, kw_only=True)
class Radix:
    """One way to write bytes in digits.

    Attributes:
        name: For people.
        bits: Of one digit.
        digits: All digits, as the inside of a character class.
        marks: What is no digit although it looks like some, such as the `0x` before hexadecimal ones.
    """

    name: str
    bits: int
    digits: str
    decode: Callable[[bytes], Iterator[DecodedBytes]]
    translation: bytes | None = None
    delete: bytes = b""
    marks: tuple[str, ...] = ()

    def applies_to(self, text: str) -> bool:
        """Whether this differs from the way of the same name without marks."""
        return not self.marks or any(mark in text for mark in self.marks)

    def decoded(self, text: str) -> Iterator[DecodedBytes]:
        """What the digits of `text` may stand for."""
        plain = self._without_marks(text).encode("ascii", "ignore")
        digits = plain.translate(self.translation, self.delete)
        if len(digits) * self.bits >= _LEAST_BITS:
            yield from self.decode(digits)

    def span(self, text: str, first_bit: int, end_bit: int) -> tuple[int, int]:
        """Where in `text` the digits that hold these bits stand."""
        first, last = first_bit // self.bits, -(-end_bit // self.bits) - 1
        found = re.finditer(f"[{self.digits}]", self._without_marks(text))
        start = next(islice(found, first, None)).start()
        if last > first:
            return start, next(islice(found, last - first - 1, None)).end()
        return start, start + 1

    def _without_marks(self, text: str) -> str:
        for mark in self.marks:
            if len(mark) > 1:
                text = text.replace(mark, " " * len(mark))
        return text


_LEAST_BITS = 64


def _base64(digits: bytes) -> Iterator[DecodedBytes]:
    for skipped in range(4):
        count = (len(digits) - skipped) // 4 * 4
        rest = len(digits) - skipped - count
        padded = digits[skipped:] + b"=" * (-rest % 4) if rest > 1 else digits[skipped : skipped + count]
        yield DecodedBytes(binascii.a2b_base64(padded), skipped * 6)


def _hexadecimal(digits: bytes) -> Iterator[DecodedBytes]:
    for skipped in range(2):
        count = (len(digits) - skipped) // 2 * 2
        yield DecodedBytes(binascii.a2b_hex(digits[skipped : skipped + count]), skipped * 4)


def _by_number(bits: int) -> Callable[[bytes], Iterator[DecodedBytes]]:
    """Decode by way of one large number: reading it in a base that is a power of two takes linear time."""

    def decode(digits: bytes) -> Iterator[DecodedBytes]:
        number = int(digits, 1 << bits)
        width = len(digits) * bits
        for skipped in range(8):
            size = (width - skipped) // 8
            if size > 0:
                kept = (number >> (width - skipped - size * 8)) & ((1 << size * 8) - 1)
                yield DecodedBytes(kept.to_bytes(size, "big"), skipped)

    return decode


def _others(digits: str) -> bytes:
    return bytes(code for code in range(256) if chr(code) not in digits)


_ALNUM = string.ascii_letters + string.digits
_HEX = string.hexdigits
_BASE32 = string.ascii_letters + "234567"

RADICES = (
    Radix(name="base64", bits=6, digits="A-Za-z0-9+/", decode=_base64, delete=_others(_ALNUM + "+/")),
    Radix(
        name="base64url",
        bits=6,
        digits="A-Za-z0-9+/_-",
        decode=_base64,
        translation=bytes.maketrans(b"-_", b"+/"),
        delete=_others(_ALNUM + "+/-_"),
        marks=("-", "_"),
    ),
    Radix(name="hex", bits=4, digits="0-9A-Fa-f", decode=_hexadecimal, delete=_others(_HEX)),
    Radix(
        name="hex", bits=4, digits="0-9A-Fa-f", decode=_hexadecimal, delete=_others(_HEX), marks=("0x", "0X")
    ),
    Radix(
        name="base32",
        bits=5,
        digits="A-Za-z2-7",
        decode=_by_number(5),
        translation=bytes.maketrans(
            (string.ascii_lowercase + string.ascii_uppercase + "234567").encode(),
            ("0123456789abcdefghijklmnop" * 2 + "qrstuv").encode(),
        ),
        delete=_others(_BASE32),
    ),
    Radix(name="binary", bits=1, digits="01", decode=_by_number(1), delete=_others("01")),
)
"""All ways, the usual ones first."""


# What a byte can be in UTF-8: plain text (a), the first byte of two and more (b), one of the others (c).
_CLASSES = bytes(
    ord("a")
    if code in b"\x00\t\n\r" or 0x20 <= code < 0x7F  # with zeros as in UTF-16
    else ord("b")
    if 0xC2 <= code <= 0xF4
    else ord("c")
    if 0x80 <= code <= 0xBF
    else ord(" ")
    for code in range(256)
)
_TELLING = (b"bcc" * 4, b"abcc" * 3, b"abc" * 4, b"bccc" * 3, b"bc" * 6)
_TEXT_END = b" "


def text_regions(data: bytes, least: int) -> Iterator[tuple[int, int]]:
    """Where `data` reads as text: so many plain characters in a row, or a row of longer ones in UTF-8."""
    classes = data.translate(_CLASSES)
    patterns = (b"a" * least, *_TELLING)
    following = [(classes.find(pattern), pattern) for pattern in patterns]
    end = 0
    while following := [(at, pattern) for at, pattern in following if at >= 0]:
        at = min(following)[0]
        if at < end:
            following = [(classes.find(one, end) if place < end else place, one) for place, one in following]
            continue
        start = classes.rfind(_TEXT_END, end, at) + 1 or end
        end = classes.find(_TEXT_END, at)
        end = len(data) if end < 0 else end
        yield start, end
