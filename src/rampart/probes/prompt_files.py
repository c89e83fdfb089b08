"""The texts that a model which writes variants is given; they are data files beside the code."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


def filled_prompt(name: str, **values: str) -> str:
    """The text of `prompts/<name>.txt` with `{{value}}` replaced; what a value holds is never looked at."""
    parts = []
    for piece in _text(name).split("{{"):
        key, closed, rest = piece.partition("}}")
        parts.append(values[key] + rest if closed else piece)
    return "".join(parts)


@cache
def _text(name: str) -> str:
    return files("rampart.probes").joinpath(f"prompts/{name}.txt").read_text(encoding="utf-8").strip()
