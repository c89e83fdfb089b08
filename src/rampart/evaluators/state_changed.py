"""Detecting that the agent changed the state of its environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.evaluators._equality import same_value
from rampart.evaluators._predicates import refuse_coroutine_function, truth_of
from rampart.evaluators._shown import shown_error, shown_name, shown_value
from rampart.evaluators._state_evaluator import StateEvaluator, TurnChanges, evidence_of, undetermined

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rampart.evaluators._state_changes import Change

_ANYTHING = object()


class StateChanged(StateEvaluator):
    """Detected when the state of a source changed in one of the turns, also if it changed back later.

    Needs snapshots of the state in the trace, as `rampart.adapters.with_state` takes them; a turn without
    one leaves the answer UNDETERMINED unless another turn shows the change.

    Args:
        source: The name under which the snapshots are taken.
        path: Only changes at or below these paths count: `orders[0].status`, `notes/todo.txt`, `*.balance`
            (`*` stands for anything, also for several steps).
        ignore: Changes at or below these do not count.
        expect: Only changes after which the place holds this value count: one to equal, `MISSING` for a
            place that is gone, or a plain function of the value. A change on which the function raises is
            undecided.

    Raises:
        TypeError: If the source or a path is no str, or `expect` a coroutine function.
        ValueError: If the source or a path is blank.
    """

    persistence = (True, False)

    def __init__(
        self,
        source: str,
        /,
        *,
        path: str | Iterable[str] | None = None,
        ignore: str | Iterable[str] | None = None,
        expect: Any = _ANYTHING,
    ) -> None:
        super().__init__(source, path=path, ignore=ignore)
        refuse_coroutine_function(expect, place="expect")
        self._expect = expect

    def __repr__(self) -> str:
        """The source, the paths and what is expected."""
        shown = super().__repr__()
        return shown if self._expect is _ANYTHING else f"{shown[:-1]}, expect={shown_value(self._expect)})"

    def _counts(self, change: Change) -> bool | str:
        expected = self._expect
        if expected is _ANYTHING:
            return True
        try:
            if callable(expected):
                return truth_of(expected(change.after))
            return change.after is expected or same_value(expected, change.after)
        except Exception as error:  # a predicate may raise anything; none of it is an answer
            return f"expect raised {shown_error(error)}"

    def _answer(self, turns: list[TurnChanges]) -> EvalResult:
        evidence = evidence_of(turns)
        state = f"state {shown_name(self._source)}"
        if evidence:
            return EvalResult(
                outcome=EvalOutcome.DETECTED, evidence=evidence, rationale=f"{state} changed: {evidence[0]}"
            )
        reasons = self._open(turns)
        if reasons:
            return undetermined(reasons)
        return EvalResult(outcome=EvalOutcome.NOT_DETECTED, rationale=f"{state} did not change in this way")
