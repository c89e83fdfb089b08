"""Character references of HTML, whatever somebody hostile makes of them."""

from __future__ import annotations

import html
import re

_DECIMAL = re.compile(r"&#0*([0-9]*)")
_DIGITS = 7
"""The last code point, 1114111, has so many."""
_NO_CHARACTER = "1114112"


def unescape_references(text: str, /) -> str:
    """Decode the character references in `text` as browsers do (HTML standard, section 13.2.5.80).

    `html.unescape` does it too, but Python refuses to read numbers of many thousand digits, so a text that
    somebody else wrote could make it fail. Such a reference becomes U+FFFD, like any beyond the last one.
    """
    return html.unescape(_DECIMAL.sub(_bounded, text))


def _bounded(reference: re.Match[str]) -> str:
    digits = reference[1]
    if not digits:  # zero, or no number at all
        return reference[0][:3]
    return f"&#{digits if len(digits) <= _DIGITS else _NO_CHARACTER}"
