"""What judges tell their models."""

from __future__ import annotations

from functools import partial

from rampart.text.prompt_file import prompt_template
from rampart.text.prompt_file import prompt_text as text_of_package

prompt_text = partial(text_of_package, "rampart.evaluators")
"""The text of one of this folder's prompts, by its name, with its values."""


def prompt_source(name: str, /) -> str:
    """The text as it was written, before its values: what a judge's identity is made of."""
    return prompt_template("rampart.evaluators", name).template
