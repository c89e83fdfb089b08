"""What is known about the replies of a trace, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rampart.core.types import Turn
    from rampart.evaluators._text_target import Answer

_REASONS_KEPT = 20


class Replies:
    """Which replies match a target, which do not, and which are undecided.

    Attributes:
        texts: The replies that were looked at.
        found: The numbers of the turns that match, as `0, 2`.
        missing: The numbers of those that do not, likewise.
        undecided: Why others are undecided, with their turn number; the first 20.
    """

    __slots__ = ("_answers", "_later", "found", "missing", "texts", "undecided")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.found = ""
        self.missing = ""
        self.undecided: list[str] = []
        self._answers: list[Answer] = []
        # Without the first turn, which may hold this object in its memo: a cycle would keep the whole
        # trace in memory until the garbage collector comes by.
        self._later: list[Turn] = []

    def add(self, turn: Turn, text: str, answer: Answer) -> None:
        """Note the answer about the next reply."""
        if self.texts:
            self._later.append(turn)
        self.texts.append(text)
        self._answers.append(answer)
        number = turn.turn_number
        if answer is True:
            self.found = f"{self.found}, {number}" if self.found else str(number)
        elif answer is False:
            self.missing = f"{self.missing}, {number}" if self.missing else str(number)
        elif len(self.undecided) < _REASONS_KEPT:
            self.undecided.append(f"turn {number}: {answer}")

    def still_true_of(self, turns: list[Turn], texts: list[str]) -> Replies:
        """A copy with what still holds: the longest beginning in which turns and texts are the same.

        Args:
            turns: The turns as they are now, the first one being that of this object.
            texts: Their replies.
        """
        count = len(self.texts)
        # Lists compare by identity first, so this costs next to nothing where all is as it was.
        if self.texts == texts[:count] and self._later == turns[1:count]:
            return self._copy()
        kept = Replies()
        known = zip(self.texts, self._answers, strict=True)
        for position, (turn, text, (old_text, answer)) in enumerate(zip(turns, texts, known, strict=False)):
            if text != old_text or (position and turn != self._later[position - 1]):
                break
            kept.add(turn, text, answer)
        return kept

    def _copy(self) -> Replies:
        copy = Replies()
        copy.texts = self.texts.copy()
        copy.found = self.found
        copy.missing = self.missing
        copy.undecided = self.undecided.copy()
        copy._answers = self._answers.copy()
        copy._later = self._later.copy()
        return copy
