"""Foreign text quoted inside one line of our own."""

import re

from rampart.text.ansi import strip_sequences
from rampart.text.secrets import redact

CUT_MARK = "..."

# Control characters, the two Unicode line breaks, bidirectional controls, lone surrogates.
_NOT_SHOWN_AS_IS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SHORT_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def quote(text: str, /, limit: int = 500) -> str:
    r"""Make `text` fit to stand in a one-line summary.

    Registered secrets become `***`, terminal sequences go, line breaks and every other control (bidirectional
    ones too) are shown escaped (`\n`, `\x0b`, `\u2028`), lone surrogates as U+FFFD. Secrets go first, so
    that a cut leaves no half of one.

    Args:
        text: What somebody else wrote.
        limit: Characters that are shown; of longer text the beginning, followed by `...`. An escape is shown
            whole or not at all.
    """
    cleaned = _cleaned(text)
    if len(cleaned) <= limit:
        shown = _escaped(cleaned)
        if len(shown) <= limit:
            return shown
    # Each character is shown as at least one, so what lies beyond the limit need not be looked at.
    return _beginning(cleaned[:limit], limit) + CUT_MARK


def one_line(text: str, /) -> str:
    """Do as `quote` does, without a cut."""
    return _escaped(_cleaned(text))


def _cleaned(text: str) -> str:
    redacted = redact(text)
    if redacted.isprintable():
        return redacted
    # Once more afterwards: a sequence inside a secret hides it from the first search.
    return redact(strip_sequences(redacted))


def _escaped(text: str) -> str:
    return text if text.isprintable() else _NOT_SHOWN_AS_IS.sub(_escape, text)


def _beginning(text: str, limit: int) -> str:
    """Escape `text` up to the last character that is shown whole within `limit`."""
    if text.isprintable():
        return text
    shown: list[str] = []
    room = limit
    for character in text:
        piece = _escaped(character)
        room -= len(piece)
        if room < 0:
            break
        shown.append(piece)
    return "".join(shown)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    short = _SHORT_ESCAPES.get(character)
    if short is not None:
        return short
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
