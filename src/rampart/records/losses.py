"""Keeping account of what preparing a record changed."""

from __future__ import annotations

from typing import Literal, TypeAlias

from rampart.records.paths import Part, Path, render

LISTED_LOSSES = 100

Reason: TypeAlias = Literal[
    "non_finite",
    "non_string_key",
    "not_json",
    "cycle",
    "depth",
    "surrogate",
    "wrong_type",
    "artifact",
]


class Losses:
    """The changes made to one record: place and reason of the first 100, and how many there were."""

    __slots__ = ("listed", "total")

    def __init__(self) -> None:
        self.listed: list[tuple[str, str]] = []
        self.total = 0

    def note(self, parent: Path | None, part: Part, reason: Reason) -> None:
        """Note that the value at this place was changed."""
        self.total += 1
        if self.total <= LISTED_LOSSES:
            self.listed.append((render(parent, part), reason))

    def entries(self) -> list[tuple[str, str]]:
        """The listed changes; where there were more, a last one with an empty path counts them."""
        hidden = self.total - len(self.listed)
        return [*self.listed, ("", f"and {hidden} more")] if hidden else self.listed
