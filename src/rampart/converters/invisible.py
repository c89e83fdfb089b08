"""Converters that use characters which no screen shows."""

from __future__ import annotations

from typing import Literal, get_args

from rampart.converters._options import require_one_of
from rampart.converters.text_converter import TextConverter
from rampart.text.invisible import from_tags, from_zero_width, split_letters, to_tags, to_zero_width

ZeroWidthMode = Literal["split", "hide"]


class ZeroWidthConverter(TextConverter):
    """Zero-width characters between the letters, or instead of them.

    Args:
        mode: `split` puts U+200B between letters, which stay visible: no word can be searched for. `hide`
            writes the bits of the content in U+200B and U+200C, between U+2060 and U+FEFF: nothing is to be
            seen, and a reader has to be told how to decode it.
        cover: For `hide`: visible text that stands before the hidden one.

    Raises:
        ValueError: If the mode is none of these, if `split` has a cover, or if the cover hides a text itself.
    """

    def __init__(self, *, mode: ZeroWidthMode = "split", cover: str = "") -> None:
        self._mode = require_one_of(mode, get_args(ZeroWidthMode), what="mode of ZeroWidthConverter")
        if cover and mode == "split":
            msg = "ZeroWidthConverter takes a cover only with mode='hide'; 'split' leaves the text visible"
            raise ValueError(msg)
        if from_zero_width(cover):
            msg = "the cover of ZeroWidthConverter hides a zero-width text itself; choose another"
            raise ValueError(msg)
        self._cover = cover

    def transform(self, *, text: str) -> str:
        """`text` with, or in, zero-width characters."""
        return split_letters(text) if self._mode == "split" else self._cover + to_zero_width(text)


class UnicodeTagConverter(TextConverter):
    """ASCII as Unicode tag characters: no screen shows them, many models read them.

    Line breaks and tabs, which have no tags, stay. Content that is not ASCII is refused, since other
    characters would stay visible.

    Args:
        cover: Visible text that stands before the hidden one.

    Raises:
        ValueError: If the cover holds tag characters itself.
    """

    def __init__(self, *, cover: str = "") -> None:
        if from_tags(cover) != cover:
            msg = "the cover of UnicodeTagConverter already holds tag characters; choose another"
            raise ValueError(msg)
        self._cover = cover

    def transform(self, *, text: str) -> str:
        """`text` as tags."""
        for character in text:
            if not (" " <= character <= "~" or character in "\t\n\r"):
                msg = (
                    f"only printable ASCII has Unicode tags, and {character!r} (U+{ord(character):04X}) "
                    "would stay visible; use ZeroWidthConverter(mode='hide') for other texts"
                )
                raise ValueError(msg)
        return self._cover + to_tags(text)
