"""Removal of terminal control sequences, so that quoted text cannot drive the reader's terminal."""

import re

# The body of a control string goes on until its terminator, an ESC (or any C1 control, the 8-bit form of one)
# or a line break: an open string must not swallow the lines after it.
_BODY_END = r"\x1b\x80-\x9f\n\r\x0b\x0c\u2028\u2029"

_SEQUENCE = re.compile(
    rf"(?:\x1b\]|\x9d)[^\x07{_BODY_END}]*(?:\x07|\x1b\\|\x9c)?"  # OSC, which BEL may end too
    rf"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^{_BODY_END}]*(?:\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI, complete or broken off
    r"|\x1b[ -/]*[0-~]"  # two-character escapes, with intermediates if any
)

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def strip_ansi(text: str, /) -> str:
    r"""Remove terminal control sequences and stray control characters.

    Sequences go in their 7-bit and their 8-bit form: OSC, DCS, SOS, PM and APC strings, CSI sequences and
    two-character escapes. What then remains of C0, C1 and DEL goes too, except tab, LF and CR. A control
    string ends at its terminator, an ESC or a line break.

    Source of the grammar: ECMA-48, 5th edition (1991), sections 5.3 to 5.6.
    """
    if text.isprintable():
        return text
    return _CONTROL.sub("", strip_sequences(text))


def strip_sequences(text: str, /) -> str:
    """Remove whole control sequences only; stray control characters stay, for callers that show them."""
    if text.isascii() and "\x1b" not in text:
        return text
    return _SEQUENCE.sub("", text)
