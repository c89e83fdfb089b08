"""The thinking aloud that some models put before their answer."""

from __future__ import annotations

import re

REASONING_TAG = re.compile(
    r"[<\[](?P<end>/?)(?P<name>think|thinking|thought|reasoning|reflection)[>\]]", re.IGNORECASE
)
"""A tag that begins or ends a block of reasoning: `<think>`, `</think>`, `[THINK]` and their relatives."""


def reasoning_end(text: str, tag: re.Match[str], /) -> int | None:
    """Where the block that `tag` opens is over; None if it is never closed."""
    closing = re.compile(rf"[<\[]/{tag['name']}[>\]]", re.IGNORECASE).search(text, tag.end())
    return None if closing is None else closing.end()


def without_reasoning(text: str, /) -> str:
    """A model's reply without its blocks of reasoning, stripped.

    A block that is never closed goes on to the end. A closing tag alone ends reasoning that began with the
    reply, since some models leave the opening tag to their prompt.
    """
    kept: list[str] = []
    position = 0
    while (tag := REASONING_TAG.search(text, position)) is not None:
        if tag["end"]:
            kept.clear()
            position = tag.end()
        else:
            kept.append(text[position : tag.start()])
            end = reasoning_end(text, tag)
            position = len(text) if end is None else end
    return "".join([*kept, text[position:]]).strip()
