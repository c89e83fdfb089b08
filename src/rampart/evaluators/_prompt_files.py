"""The prompts of evaluators, which are data files."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


@cache
def prompt_file(name: str, /) -> str:
    """The text of a prompt as it was written, without white space at its end."""
    return files("rampart.evaluators").joinpath(f"prompts/{name}.txt").read_text(encoding="utf-8").rstrip()


def filled(prompt: str, /, **values: str) -> str:
    """A prompt whose `$name`s are replaced once; what stands in a value is never replaced in its turn.

    Raises:
        KeyError: If a name has no value.
    """
    return Template(prompt).substitute(values)
