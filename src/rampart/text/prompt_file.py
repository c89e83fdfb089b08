"""What language models are told, kept as text files beside the code that tells it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


@cache
def prompt_template(package: str, name: str, /) -> Template:
    """The text of `prompts/<name>.txt` of a package, without white space at its end.

    Each `$name` in it stands for a value.
    """
    text = files(package).joinpath(f"prompts/{name}.txt").read_text(encoding="utf-8")
    return Template(text.rstrip())


def prompt_text(package: str, name: str, /, **values: str) -> str:
    """The same with its values; what stands in a value is taken as it is, and never replaced in its turn.

    Raises:
        KeyError: If a `$name` of the text has no value.
    """
    return prompt_template(package, name).substitute(values)
