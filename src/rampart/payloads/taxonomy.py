"""The risks and techniques that payloads are tagged with, and their titles."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def taxonomies() -> Mapping[str, Mapping[str, str]]:
    """The titles by list (`owasp_llm`, `owasp_agentic`, `atlas`) and id."""
    return tomllib.loads(files("rampart.payloads").joinpath("taxonomies.toml").read_text(encoding="utf-8"))
