"""Which turns of a trace a judge is shown."""

from __future__ import annotations

from enum import Enum


class TranscriptScope(Enum):
    """How much of the conversation a judge reads."""

    FULL = "full"
    """All turns."""
    CURRENT_TURN = "current_turn"
    """The last turn."""
