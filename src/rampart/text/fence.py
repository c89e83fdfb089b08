"""Marking text that a language model is to read and not to obey."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field

from rampart.text.forged_lines import quote_lines, readings

_VALUE_BYTES = 16
_DECORATION = re.compile(r"[\W_]+")


def _new_value() -> str:
    return secrets.token_hex(_VALUE_BYTES)


@dataclass(frozen=True, kw_only=True)
class Fence:
    """Two markers that nobody can write who has not seen them. Make one for each call of a model.

    Attributes:
        label: What stands between them, in capitals, such as `TRANSCRIPT`.
        value: What makes these two unlike all others: 128 random bits in hexadecimal digits.
    """

    label: str
    value: str = field(default_factory=_new_value)

    @property
    def opening(self) -> str:
        """The line before the text."""
        return f"<<<BEGIN UNTRUSTED {self.label} {self.value}>>>"

    @property
    def closing(self) -> str:
        """The line after the text."""
        return f"<<<END UNTRUSTED {self.label} {self.value}>>>"

    def around(self, text: str, /) -> str:
        """The text between the two markers.

        A line that holds the random value, or that looks like a marker with another one, is quoted (`> `).
        """
        return f"{self.opening}\n{self._quoted(text)}\n{self.closing}"

    def _quoted(self, text: str) -> str:
        signs = tuple(
            _letters(sign)
            for sign in (self.value, *(f"{word} UNTRUSTED {self.label}" for word in ("BEGIN", "END")))
        )
        if not _holds(text, signs):  # nearly always, and much faster than line by line
            return text
        return quote_lines(text, where=lambda _, line: _holds(line, signs))


def fenced(text: str, /, *, label: str) -> str:
    """Put untrusted text between two markers that are made for it; see `Fence`.

    What the model is told should say that whatever stands between the two markers is data.

    Args:
        text: What an agent, a tool or another model wrote.
        label: What the text is, in capitals, such as `AGENT REPLY`.
    """
    return Fence(label=label).around(text)


def _holds(text: str, signs: tuple[str, ...]) -> bool:
    return any(sign in _letters(reading) for reading in readings(text) for sign in signs)


def _letters(text: str) -> str:
    return _DECORATION.sub("", text.casefold())
