"""A place where evaluators keep what they have found out about a trace that is still growing.

A stop condition is asked after every turn about all turns so far. What it found for earlier turns
stays true, so it may keep it; the place lives with the first turn and goes when the trace goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.types import Turn

_KEY = "_rampart_memo"


def enable_trace_memo(first_turn: Turn) -> None:
    """Give the trace that begins with `first_turn` a place for notes."""
    first_turn.__dict__.setdefault(_KEY, {})


def trace_memo(turns: Sequence[Turn]) -> dict[object, Any] | None:
    """The notes of a trace, by evaluator; None where it has no place for them."""
    return turns[0].__dict__.get(_KEY) if turns else None
