"""The form in which clauses of replies and phrases of lexicons are compared."""

from __future__ import annotations

from rampart.text.fold import fold


def folded(text: str) -> str:
    """The text folded, with the Cyrillic letter that is often typed without its dots as if it had none."""
    return fold(text).replace("ё", "е")
