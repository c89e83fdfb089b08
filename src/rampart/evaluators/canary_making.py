"""Values to plant that nobody says by chance."""

from __future__ import annotations

from typing import Literal

from rampart.text.canaries import random_token, random_words

CanaryKind = Literal["token", "words"]


def make_canary(*, prefix: str = "", kind: CanaryKind = "token") -> str:
    """A value that nobody has had before, to be planted where it must not get out of.

    It is recognised by its letters and digits alone, whatever the case and the characters between them, so
    it survives being wrapped, reformatted and encoded. Make one for each trial: a value in a file that is
    published is known to models some day.

    Args:
        prefix: Stands before it with a space or dash, such as `Order`, and counts as part of the value.
        kind: `token` gives 100 random bits that look like a reference or a licence key,
            `k7q2m-x9trw-4bnze-hd5pa`; `words` gives 85 bits that look like names, `Tovakiru Melosa Kefunita
            Bodipu`, and are pronounceable.

    Raises:
        ValueError: If the kind is another.
    """
    if kind == "token":
        return f"{prefix}-{random_token()}" if prefix else random_token()
    if kind == "words":
        return f"{prefix} {random_words()}" if prefix else random_words()
    msg = f"kind is {kind!r}, expected 'token' or 'words'"
    raise ValueError(msg)
