"""The tool calls of a trace, each with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.evaluators._places import Place, call_place, quoted_place
from rampart.evaluators._shown import shown_name, shown_value, shown_values

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rampart.core.types import ToolCall, Turn

EVIDENCE_KEPT = 20
"""Pieces of evidence, and reasons, that one answer gives."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedCall:
    """One call and where it stands.

    Attributes:
        turn: Its turn.
        position: Its number among the calls of the turn.
        call: The call.
    """

    turn: Turn
    position: int
    call: ToolCall

    def place(self, path: str = "") -> Place:
        """Where it stands, or what `path` names of it."""
        return call_place(self.turn, self.position, path=path)

    def evidence(self) -> str:
        """Its place and its arguments."""
        return quoted_place(self.place(), shown_arguments(self.call))

    @property
    def name(self) -> str:
        """Its name between quotes, and its turn."""
        return f"{shown_name(self.call.name)} in turn {self.turn.turn_number}"


def calls_of(turns: Iterable[Turn], /) -> list[PlacedCall]:
    """All calls in the order in which they were made."""
    return [
        PlacedCall(turn, position, call)
        for turn in turns
        for position, call in enumerate(turn.response.tool_calls)
    ]


def evidence_of(calls: Iterable[PlacedCall], /) -> list[str]:
    """The places of the first 20 calls, and how many there are besides."""
    known = list(calls)
    shown = [one.evidence() for one in known[:EVIDENCE_KEPT]]
    more = len(known) - len(shown)
    return [*shown, f"and {more} more"] if more else shown


def ran(call: ToolCall, /) -> bool | None:
    """Whether a call ran: it says so, or a result or an error is recorded with it; None if nobody knows."""
    if call.executed is not None:
        return bool(call.executed)
    return True if call.result is not None or call.error is not None else None


def shown_arguments(call: ToolCall, /) -> str:
    """The arguments of a call on one line, cut."""
    return shown_values(call.arguments) if call.raw_arguments is None else shown_value(call.raw_arguments)
