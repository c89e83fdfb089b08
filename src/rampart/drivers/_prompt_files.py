"""What drivers tell their models, kept as text files."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


def prompt_text(name: str, /, **values: str) -> str:
    """The text of a file in `prompts/`, each `$name` in it replaced by the value of that name.

    What the values hold is taken as it is: nothing in them is replaced.
    """
    return _template(name).substitute(values)


@cache
def _template(name: str) -> Template:
    text = files("rampart.drivers").joinpath(f"prompts/{name}.txt").read_text(encoding="utf-8")
    return Template(text.strip())
