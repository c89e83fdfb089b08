"""What drivers tell their models."""

from __future__ import annotations

from functools import partial

from rampart.text.prompt_file import prompt_text as text_of_package

prompt_text = partial(text_of_package, "rampart.drivers")
"""The text of one of this folder's prompts, by its name, with its values."""
