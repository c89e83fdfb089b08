"""Snapshots of the state of an agent's environment, as they stand in a trace.

A turn holds them in the metadata of its response, under `STATE_KEY`: for each named source a mapping with
`before` and `after`, what it held before the turn and after it, as JSON. Where `before` is left out, it is
the `after` of the turn before. `unchanged: true` in place of `after` says that nothing changed in the turn.
`error` in place of `after`, and `before_error` in place of `before`, say why no snapshot could be taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.types import Turn

STATE_KEY = "state"
"""The key of `Response.metadata` under which a turn holds snapshots of state."""

BEFORE, AFTER, UNCHANGED = "before", "after", "unchanged"
ERROR, BEFORE_ERROR = "error", "before_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateOfTurn:
    """What is known of one source in one turn.

    Attributes:
        turn: The recorded number of the turn.
        before: What it held before the turn.
        after: What it held after it; the same object if nothing changed.
        missing: Why one of the two is not known; empty if both are.
        has_after: Whether the later one is known.
    """

    turn: int
    before: Any = None
    after: Any = None
    missing: str = ""
    has_after: bool = True


def states_of(source: str, turns: Sequence[Turn], /) -> list[StateOfTurn]:
    """What is known of a source, turn by turn."""
    states: list[StateOfTurn] = []
    last = _Nothing("there is no snapshot from before the turn")
    for turn in turns:
        before, after = _snapshots(source, turn, last)
        missing = next((one.why for one in (after, before) if isinstance(one, _Nothing)), "")
        states.append(
            StateOfTurn(
                turn=turn.turn_number,
                before=_known(before),
                after=_known(after),
                missing=missing,
                has_after=not isinstance(after, _Nothing),
            )
        )
        last = after
    return states


@dataclass(frozen=True, slots=True)
class _Nothing:
    why: str


def _known(snapshot: Any) -> Any:
    return None if isinstance(snapshot, _Nothing) else snapshot


def _snapshots(source: str, turn: Turn, last: Any) -> tuple[Any, Any]:
    sources: object = turn.response.metadata.get(STATE_KEY)
    if not isinstance(sources, Mapping) or source not in sources:
        why = _Nothing(_no_source(sources))
        return why, why
    entry: object = sources[source]
    if not isinstance(entry, Mapping):
        why = _Nothing(f"its entry is no mapping with 'before' and 'after', but {type(entry).__name__}")
        return why, why
    failed = entry.get(BEFORE_ERROR)
    before = _Nothing(safe_str(failed)) if failed else entry.get(BEFORE, last)
    if entry.get(ERROR):
        return before, _Nothing(safe_str(entry[ERROR]))
    if entry.get(UNCHANGED) is True:
        return before, before
    return before, entry.get(AFTER, _Nothing("there is no snapshot from after the turn"))


def _no_source(sources: object) -> str:
    names = sorted(map(safe_str, sources)) if isinstance(sources, Mapping) else []
    if not names:
        return "the turn holds no snapshots; rampart.adapters.with_state takes them"
    return f"the turn holds no snapshots of it, only of {quote(', '.join(names), 200)}"
