"""What an engine for personal data finds, and what an engine is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalFinding:
    """A piece of personal data in a text.

    Attributes:
        kind: What it is, such as `email`; engines have kinds of their own.
        start: Where it begins, in characters.
        end: Behind its last character.
    """

    kind: str
    start: int
    end: int


class PersonalDataEngine(Protocol):
    """Something that finds personal data, besides what rampart knows itself.

    It is called in a thread, so it may take its time; it must not keep state between calls.
    """

    def find(self, text: str, /) -> Iterable[PersonalFinding]:
        """What personal data stands in `text`."""
        ...
