"""Which replies of a trace a text evaluator ranges over."""

from __future__ import annotations

from enum import Enum


class ResponseScope(Enum):
    """Which replies have to match. The scope has no say in how many replies there are."""

    ANY_TURN = "any_turn"
    """At least one reply matches."""
    ALL_TURNS = "all_turns"
    """Every reply matches."""
    CURRENT_TURN = "current_turn"
    """The last reply matches."""
