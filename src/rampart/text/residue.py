"""What is left of a text whatever it was wrapped in: its letters and digits, without escapes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rampart.text.fold import fold
from rampart.text.references import unescape_references

if TYPE_CHECKING:
    from collections.abc import Iterator

_NEITHER = re.compile(r"[\W_]+")
_ESCAPE = re.compile(
    r"\\(?:u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>[0-9a-fA-F]{8})|x(?P<two>[0-9a-fA-F]{2})|(?P<other>.))",
    re.DOTALL,
)
_SPACES = frozenset("nrtbfav0e_NLP\n")
"""What stands behind a backslash for white space or a control, in JSON, YAML or Python."""
_MOST_ROUNDS = 3


def letters_and_digits(text: str, /) -> str:
    """The letters and digits of folded `text`, and nothing else."""
    return _NEITHER.sub("", fold(text))


def residues(text: str, /) -> Iterator[str]:
    """The letters and digits of `text` as it stands, and as it reads once its escapes are decoded.

    Backslash escapes are those of JSON (RFC 8259, section 7), of YAML (version 1.2.2, section 5.7) and of
    Python; text that was escaped several times over is decoded up to three times. Character references of
    HTML are decoded too. Which of these a text really uses is not known, so each reading is given.
    """
    for _round in range(_MOST_ROUNDS + 1):
        yield letters_and_digits(text)
        if "&" in text and (unescaped := unescape_references(text)) != text:
            yield letters_and_digits(unescaped)
        if "\\" not in text:
            return
        text = _ESCAPE.sub(_decoded, text)
        if not text.isascii():  # two escapes may stand for one character
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _decoded(escape: re.Match[str]) -> str:
    digits = escape["four"] or escape["eight"] or escape["two"]
    if digits is not None:
        code = int(digits, 16)
        return chr(code) if code <= 0x10FFFF else " "
    other = escape["other"]
    return " " if other in _SPACES else other
