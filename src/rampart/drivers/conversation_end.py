"""Why a simulated user ended its conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class ConversationEnd:
    """Why a simulated user ended its conversation: what it thinks, and no verdict.

    Attributes:
        status: `satisfied` or `hopeless`.
        reason: Its own words on one line, or that it kept repeating itself.
    """

    status: Literal["satisfied", "hopeless"]
    reason: str

    def __str__(self) -> str:
        """Both, as records show them."""
        return f"{self.status}: {self.reason}" if self.reason else self.status
