"""Writing that no reader sees: zero-width characters and Unicode tags.

What a person sees and what a program reads differ; `rampart.text.fold` removes all of these characters.
"""

from __future__ import annotations

import re

from rampart.text.encodings import utf8_bytes

_ZERO, _ONE = "\u200b", "\u200c"  # zero width space, zero width non-joiner
_OPEN, _CLOSE = "\u2060", "\ufeff"  # word joiner, zero width no-break space
_ZERO_WIDTH = re.compile(f"{_OPEN}([{_ZERO}{_ONE}]*){_CLOSE}")
_SPLIT = "\u200b"

_TAGS_FROM = 0xE0000  # the block of tag characters mirrors ASCII from here on
_TAGS = {code: _TAGS_FROM + code for code in range(0x20, 0x7F)}
_FROM_TAGS = {tag: code for code, tag in _TAGS.items()}


def split_letters(text: str, /) -> str:
    """The text with U+200B ZERO WIDTH SPACE between any two letters or digits that stand side by side.

    It looks the same and no word of it can be searched for. Marks and joined emoji are left together.
    """
    pieces: list[str] = []
    for previous, character in zip(" " + text, text, strict=False):
        if previous.isalnum() and character.isalnum():
            pieces.append(_SPLIT)
        pieces.append(character)
    return "".join(pieces)


def join_letters(text: str, /) -> str:
    """The text without any U+200B: the exact inverse of `split_letters` for texts that had none."""
    return text.replace(_SPLIT, "")


def to_zero_width(text: str, /) -> str:
    """Write the bits of the text's UTF-8 as zero-width characters, the highest bit of each byte first.

    U+200B is 0, U+200C is 1; U+2060 begins the text and U+FEFF ends it.

    Raises:
        ValueError: If the text holds a lone surrogate.
    """
    bits = "".join(f"{byte:08b}" for byte in utf8_bytes(text))
    return _OPEN + bits.replace("0", _ZERO).replace("1", _ONE) + _CLOSE


def from_zero_width(text: str, /) -> str:
    """What `to_zero_width` wrote anywhere in `text`, one after another; empty if there is nothing.

    Raises:
        ValueError: If the bits are no whole bytes, or not of UTF-8.
    """
    found = (match[1].replace(_ZERO, "0").replace(_ONE, "1") for match in _ZERO_WIDTH.finditer(text))
    return "".join(map(_from_bits, found))


def _from_bits(bits: str) -> str:
    if len(bits) % 8:
        msg = f"zero-width text has {len(bits)} bits, which is no whole number of bytes"
        raise ValueError(msg)
    hidden = bytes(int(bits[start : start + 8], 2) for start in range(0, len(bits), 8))
    try:
        return hidden.decode("utf-8")
    except UnicodeDecodeError as error:
        msg = f"the bits of the zero-width text are no UTF-8: {error}"
        raise ValueError(msg) from error


def to_tags(text: str, /) -> str:
    """Write printable ASCII as Unicode tag characters (U+E0020 to U+E007E).

    There are no tags for anything else: other characters are kept as they are, and stay visible.
    """
    return text.translate(_TAGS)


def from_tags(text: str, /) -> str:
    """`text` with its tag characters read as ASCII: the exact inverse of `to_tags` for texts without tags."""
    return text.translate(_FROM_TAGS)
