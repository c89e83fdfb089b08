"""What of a reply is written for people: no code, no addresses, no markup."""

from __future__ import annotations

import re

_FENCE_LINE = re.compile(r"^ {0,3}(?P<mark>`{3,}+|~{3,}+)(?P<info>[^\n]*)$", re.MULTILINE)
_NO_PROSE = re.compile(
    r"`[^`\n]{1,200}`"  # code in a line
    r"|\b[a-z][a-z0-9+.-]{1,20}://[^\s<>\"']{1,2000}|\bwww\.[^\s<>\"']{1,2000}"
    r"|[\w.+-]{1,64}@[\w.-]{1,255}"
    r"|</?[a-zA-Z][^<>\n]{0,200}>"
    r"|\b\w{1,100}(?:[/_\\]\w{1,100}){1,20}"  # paths and names of variables
)
_SENTENCE_END = re.compile(r"(?<=[.!?;:…。！？；।؟۔])(?=\s)|(?<=[。！？；])|\n+")
_LONGEST_WHOLE = 60_000
_SAMPLES = 30


def prose_pieces(reply: str, /) -> list[str]:
    """The sentences and lines of a reply that people read, in order."""
    text = _NO_PROSE.sub(" ", _without_fences(reply))
    return [piece for one in _SENTENCE_END.split(text) if (piece := one.strip())]


def sampled(reply: str, /) -> str:
    """The reply, or of a very long one thirty parts of 2,000 characters that lie evenly in it."""
    if len(reply) <= _LONGEST_WHOLE:
        return reply
    step, size = len(reply) // _SAMPLES, _LONGEST_WHOLE // _SAMPLES
    return "\n".join(reply[start : start + size] for start in range(0, step * _SAMPLES, step))


def _without_fences(text: str) -> str:
    kept: list[str] = []
    begin = 0
    mark: str | None = None
    for line in _FENCE_LINE.finditer(text):
        if mark is None:
            kept.append(text[begin : line.start()])
            mark = line["mark"]
        elif line["mark"].startswith(mark) and not line["info"].strip():
            mark, begin = None, line.end()
    if mark is None:
        kept.append(text[begin:])
    return "\n".join(kept)
