"""Counting the votes of a panel."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rampart.core.evaluation import EvalOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.evaluation import EvalResult

Decision = Literal["majority", "unanimous"]

_D, _N, _U = EvalOutcome.DETECTED, EvalOutcome.NOT_DETECTED, EvalOutcome.UNDETERMINED
_WORDS = {_D: "detected", _N: "not detected", _U: "undetermined"}


def outcome_words(outcome: EvalOutcome, /) -> str:
    """An outcome as a sentence has it."""
    return _WORDS[outcome]


@dataclass(frozen=True, kw_only=True)
class Vote:
    """What one voter answered, or why it did not.

    Attributes:
        voter: How reports name it.
        result: Its answer; None if it failed.
        error: What it raised.
    """

    voter: str
    result: EvalResult | None = None
    error: Exception | None = None


class Ballot:
    """All votes of one panel.

    Args:
        votes: One of each voter, in order, those that failed included.
        decision: `majority`: more than half of all votes have to agree; `unanimous`: all of them.
    """

    def __init__(self, votes: Sequence[Vote], *, decision: Decision) -> None:
        self.votes = votes
        self._needed = len(votes) // 2 + 1 if decision == "majority" else len(votes)
        self._counts = Counter(vote.result.outcome for vote in votes if vote.result is not None)

    def outcome(self) -> EvalOutcome | None:
        """What the panel decides; None if that hangs on votes that failed.

        An undetermined vote is one for neither side.
        """
        missing = len(self.votes) - self._counts.total()
        # Whatever else the missing votes could be lies between these three.
        possible = {self._decided(self._counts + Counter({cast: missing})) for cast in (_D, _N, _U)}
        return possible.pop() if len(possible) == 1 else None

    def _decided(self, counts: Counter[EvalOutcome]) -> EvalOutcome:
        return next((side for side in (_D, _N) if counts[side] >= self._needed), _U)

    def agreeing(self, outcome: EvalOutcome) -> list[EvalResult]:
        """The answers with this outcome."""
        return [vote.result for vote in self.votes if vote.result and vote.result.outcome is outcome]

    def tally(self) -> str:
        """How many votes there are for what, such as `2 of 3 detected, 1 undetermined`."""
        sides = sorted((side for side in _WORDS if self._counts[side]), key=lambda side: -self._counts[side])
        parts = [f"{self._counts[side]} {_WORDS[side]}" for side in sides]
        failed = len(self.votes) - self._counts.total()
        parts += [f"{failed} failed"] if failed else []
        count, _, rest = parts[0].partition(" ")
        return ", ".join([f"{count} of {len(self.votes)} {rest}", *parts[1:]])

    def agreement(self) -> float:
        """The share of the most frequent of the two sides among all votes, 0 to 1."""
        return max(self._counts[_D], self._counts[_N]) / len(self.votes)
