"""Placeholders in the texts of the library: `{{goal}}`, or `{{say|html}}` with filters.

One pass over a text, and what is put in is not looked at again: a goal that looks like a placeholder, or
holds braces and quotes, stays what it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.payloads.text_filters import FILTERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)((?:\|[a-z0-9_]+)*)\}\}")


@dataclass(frozen=True, kw_only=True)
class Placeholder:
    """One place of a text that something is put into.

    Attributes:
        name: The parameter or the phrase.
        filters: What is done to it first, in this order.
    """

    name: str
    filters: tuple[str, ...]


def placeholders(text: str) -> Iterator[Placeholder]:
    """All placeholders of a text, in order."""
    for match in _PLACEHOLDER.finditer(text):
        yield Placeholder(name=match[1], filters=tuple(match[2].split("|")[1:]))


def without_placeholders(text: str) -> str:
    """What the text says besides."""
    return _PLACEHOLDER.sub("", text)


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with its placeholders replaced.

    Raises:
        KeyError: If a placeholder has no value, or there is no such filter.
    """

    def value(match: re.Match[str]) -> str:
        filled = values[match[1]]
        for name in match[2].split("|")[1:]:
            filled = FILTERS[name](filled)
        return filled

    return _PLACEHOLDER.sub(value, text)
