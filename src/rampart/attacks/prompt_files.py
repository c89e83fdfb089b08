"""The texts that attacker models and graders are given; they are data files beside the code."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def prompt_text(name: str) -> str:
    """The text of `prompts/<name>.txt`."""
    return files("rampart.attacks").joinpath(f"prompts/{name}.txt").read_text(encoding="utf-8").strip()


def filled_prompt(name: str, **values: str) -> str:
    """The text of `prompts/<name>.txt` with `{{value}}` replaced; what a value holds is never looked at."""
    text = prompt_text(name)
    parts = []
    for piece in text.split("{{"):
        key, closed, rest = piece.partition("}}")
        parts.append(values[key] + rest if closed else piece)
    return "".join(parts)
