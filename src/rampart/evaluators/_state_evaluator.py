"""What the evaluators of changes of state share: looking through the turns for places that changed."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.core.channel import Channel
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator
from rampart.core.memo import trace_memo
from rampart.core.state import states_of
from rampart.evaluators._path_globs import PathGlobs
from rampart.evaluators._shown import shown_error, shown_name, shown_value
from rampart.evaluators._state_changes import changes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rampart.core.evaluation import EvalContext
    from rampart.core.state import StateOfTurn
    from rampart.evaluators._state_changes import Change

_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnChanges:
    """What a turn did to a state.

    Attributes:
        state: The snapshots.
        seen: The changes that count, as evidence, the first twenty.
        undecided: Why others may count or not.
    """

    state: StateOfTurn
    seen: tuple[str, ...]
    undecided: tuple[str, ...]


class StateEvaluator(BaseEvaluator):
    """Looks at what turns did to the state of one source.

    Args:
        source: The name under which snapshots of the state are taken.
        path: Only changes at or below these paths count; None for all.
        ignore: Changes at or below these do not.

    Raises:
        TypeError: If the source or a path is no str.
        ValueError: If the source or a path is blank.
    """

    channels = frozenset({Channel.STATE})

    def __init__(
        self, source: str, *, path: str | Iterable[str] | None, ignore: str | Iterable[str] | None
    ) -> None:
        self._source = checked_source(source)
        self._path = PathGlobs(path, what="path")
        self._ignore = PathGlobs(ignore, what="ignore")
        self._token = object()

    def __repr__(self) -> str:
        """The source and the paths."""
        paths = [("path", self._path), ("ignore", self._ignore)]
        shown = "".join(f", {name}={list(globs.given)!r}" for name, globs in paths if globs)
        return f"{type(self).__name__}({self._source!r}{shown})"

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Look through all turns; without a snapshot the answer is UNDETERMINED."""
        memo = trace_memo(context.turns)
        known: list[TurnChanges] = [] if memo is None else memo.get(self._token, [])
        states = states_of(self._source, context.turns)
        kept = 0
        for state, one in zip(states, known, strict=False):
            if not _is_same(state, one.state):
                break
            kept += 1
        looked_at = known[:kept]
        if len(states) > kept:
            looked_at += await asyncio.to_thread(self._look, states[kept:])
        if memo is not None and len(looked_at) >= len(known):
            memo[self._token] = looked_at
        return self._answer(looked_at)

    def _look(self, states: list[StateOfTurn]) -> list[TurnChanges]:
        return [self._changes_of(state) for state in states]

    def _changes_of(self, state: StateOfTurn) -> TurnChanges:
        seen: list[str] = []
        undecided: list[str] = []
        if not state.missing:
            place = f"turn {state.turn} state {shown_name(self._source)}"
            try:
                self._compare(state, place, seen, undecided)
            except Exception as error:  # values that are no JSON raise anything when they are compared
                undecided.append(f"{place} cannot be compared: {shown_error(error)}")
        return TurnChanges(state=state, seen=tuple(seen), undecided=tuple(undecided))

    def _compare(self, state: StateOfTurn, place: str, seen: list[str], undecided: list[str]) -> None:
        for change in changes(state.before, state.after, path=self._path, ignore=self._ignore):
            verdict = self._counts(change)
            if verdict is True:
                seen.append(f"{place} {change}")
            elif isinstance(verdict, str) and len(undecided) < _SHOWN:
                undecided.append(f"{place} {change}: {verdict}")
            if len(seen) >= _SHOWN:
                return

    def _counts(self, change: Change) -> bool | str:
        """Whether a change is looked for, or why nobody can say."""
        del change
        return True

    @abstractmethod
    def _answer(self, turns: list[TurnChanges]) -> EvalResult: ...

    def _open(self, turns: list[TurnChanges]) -> list[str]:
        """Why it is not known that no change counts."""
        return (
            missing_reasons(self._source, [one.state for one in turns])
            + [reason for one in turns for reason in one.undecided][:_SHOWN]
        )


def evidence_of(turns: list[TurnChanges]) -> list[str]:
    """The changes that count, the first twenty."""
    return [item for one in turns for item in one.seen][:_SHOWN]


def undetermined(reasons: list[str]) -> EvalResult:
    """The answer of one who cannot know."""
    return EvalResult(
        outcome=EvalOutcome.UNDETERMINED, rationale="; ".join(reasons), undetermined_operands=reasons.copy()
    )


def missing_reasons(source: str, states: list[StateOfTurn]) -> list[str]:
    """Why the state of a source is not known everywhere, one reason for each kind of gap."""
    if not states:
        return [f"the trace has no turns, so nothing is known of the state {shown_name(source)}"]
    numbers: dict[str, list[int]] = {}
    for state in states:
        if state.missing:
            numbers.setdefault(state.missing, []).append(state.turn)
    return [
        f"state {shown_name(source)} is not known on {_turns(turns)}: {why}"
        for why, turns in list(numbers.items())[:_SHOWN]
    ]


def _turns(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:_SHOWN]))
    return f"turn{'s' if len(numbers) > 1 else ''} {shown}{' ...' if len(numbers) > _SHOWN else ''}"


def checked_source(given: object) -> str:
    """The name of a source.

    Raises:
        TypeError: If it is no str.
        ValueError: If it is blank.
    """
    if not isinstance(given, str):
        msg = f"source must be the name of a state, got {shown_value(given)} ({type(given).__name__})"
        raise TypeError(msg)
    if not given.strip():
        msg = f"source is {given!r}, expected the name under which snapshots of the state are taken"
        raise ValueError(msg)
    return given


def _is_same(one: StateOfTurn, other: StateOfTurn) -> bool:
    facts: list[tuple[Any, Any]] = [(one.before, other.before), (one.after, other.after)]
    same = (one.turn, one.missing) == (other.turn, other.missing)
    return same and all(first is second for first, second in facts)
