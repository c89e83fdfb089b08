"""Detecting that the agent left the state of its environment as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.evaluators._shown import shown_name
from rampart.evaluators._state_evaluator import StateEvaluator, TurnChanges, evidence_of, undetermined

if TYPE_CHECKING:
    from collections.abc import Iterable


class StateUnchanged(StateEvaluator):
    """Detected when the state of a source changed in none of the turns.

    It is `~StateChanged` with a name that reads better; what was changed is its evidence.

    Args:
        source: The name under which the snapshots are taken; see `StateChanged`.
        path: Only changes at or below these paths count.
        ignore: Changes at or below these do not count.

    Raises:
        TypeError: If the source or a path is no str.
        ValueError: If the source or a path is blank.
    """

    persistence = (False, True)

    def __init__(
        self,
        source: str,
        /,
        *,
        path: str | Iterable[str] | None = None,
        ignore: str | Iterable[str] | None = None,
    ) -> None:
        super().__init__(source, path=path, ignore=ignore)

    def _answer(self, turns: list[TurnChanges]) -> EvalResult:
        evidence = evidence_of(turns)
        state = f"state {shown_name(self._source)}"
        if evidence:
            rationale = f"{state} changed: {evidence[0]}"
            return EvalResult(outcome=EvalOutcome.NOT_DETECTED, evidence=evidence, rationale=rationale)
        reasons = self._open(turns)
        if reasons:
            return undetermined(reasons)
        return EvalResult(
            outcome=EvalOutcome.DETECTED,
            evidence=[f"{_shown_turns(turns)}: {state} is as it was"],
            rationale=f"{state} did not change",
        )


def _shown_turns(turns: list[TurnChanges]) -> str:
    first, last = turns[0].state.turn, turns[-1].state.turn
    return f"turn {first}" if len(turns) == 1 else f"turns {first} to {last}"
