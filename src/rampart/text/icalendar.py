"""Text as calendar files hold it (RFC 5545): escaped values, and lines of at most 75 octets."""

from __future__ import annotations

import re

_LINE_OCTETS = 75
_TO_ESCAPE = re.compile(r"[\\;,]")
_ESCAPED = re.compile(r"\\([\s\S])")


def to_calendar_text(text: str, /) -> str:
    """A text as the value of a property (section 3.3.11); each kind of line break becomes an escape."""
    one_kind = text.replace("\r\n", "\n").replace("\r", "\n")
    return _TO_ESCAPE.sub(r"\\\g<0>", one_kind).replace("\n", r"\n")


def from_calendar_text(value: str, /) -> str:
    """The text behind `to_calendar_text`, with a line feed for each line break."""
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)


def folded(line: str, /, *, line_break: str = "\r\n") -> str:
    """A line in pieces of at most 75 octets of UTF-8, each further one after a break and space (section 3.1).

    Args:
        line: The line, without a break.
        line_break: What separates lines; the format wants CR LF, files of a system often have its own.
    """
    pieces = [""]
    size = 0
    for character in line:
        octets = len(character.encode("utf-8"))
        if size + octets > _LINE_OCTETS:
            pieces.append("")
            size = 1  # the space that begins a further piece
        pieces[-1] += character
        size += octets
    return f"{line_break} ".join(pieces)
