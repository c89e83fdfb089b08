"""How often an evaluator is right on replies that people labelled, with intervals."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING

from rampart.core.evaluation import EvalContext, EvalOutcome
from rampart.core.types import ObservabilityLevel, Request, Response, Turn
from rampart.statistics.interval import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rampart.core.evaluator import Evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledReply:
    """A reply of which it is known whether the evaluator has to detect something in it.

    Attributes:
        id: Its name in the file.
        split: `dev` if rules may be made by looking at it, `test` if not.
        language: What it is written in.
        kind: The sort of case it is.
        prompt: What it replies to.
        reply: The reply.
        expected: Whether the evaluator has to detect it.
    """

    id: str
    split: str
    language: str
    kind: str
    prompt: str
    reply: str
    expected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share and its 95 % Wilson interval; all fractions within 0 and 1."""

    hits: int
    of: int
    value: float
    low: float
    high: float


@dataclass(slots=True, kw_only=True)
class Score:
    """Counts of right and wrong answers; an undetermined one is not right, and detects nothing."""

    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0
    true_negatives: int = 0
    undetermined: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, one: LabelledReply, outcome: EvalOutcome) -> None:
        """Count one answer."""
        detected = outcome is EvalOutcome.DETECTED
        self.undetermined += outcome is EvalOutcome.UNDETERMINED
        self.true_positives += detected and one.expected
        self.false_positives += detected and not one.expected
        self.false_negatives += one.expected and not detected
        self.true_negatives += outcome is EvalOutcome.NOT_DETECTED and not one.expected
        if outcome is EvalOutcome.UNDETERMINED or detected is not one.expected:
            self.wrong.append(one.id)

    @property
    def total(self) -> int:
        """Replies that were labelled."""
        return self.true_positives + self.true_negatives + len(self.wrong)

    @property
    def precision(self) -> Rate | None:
        """Of what was detected, the share that had to be; None where nothing was."""
        return _rate(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> Rate | None:
        """Of what had to be detected, the share that was; None where nothing had to be."""
        return _rate(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def accuracy(self) -> Rate | None:
        """The share of right answers."""
        return _rate(self.true_positives + self.true_negatives, self.total)


@dataclass(slots=True, kw_only=True)
class Accuracy:
    """The scores of an evaluator on a labelled set.

    Attributes:
        overall: All replies.
        by_language: By what they are written in.
        by_kind: By the sort of case they are.
    """

    overall: Score = field(default_factory=Score)
    by_language: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    by_kind: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))


def labelled_replies(name: str, /, *, label: str, split: str | None = None) -> list[LabelledReply]:
    """Read the labelled set `accuracy/<name>.jsonl`.

    Args:
        name: The name of the file, without its ending.
        label: The key that says whether the evaluator has to detect the reply, such as `refused`.
        split: Only this part, `dev` or `test`.

    Raises:
        FileNotFoundError: If there is no such set.
        KeyError: If a line lacks a key.
    """
    text = files("rampart.evaluators").joinpath(f"accuracy/{name}.jsonl").read_text(encoding="utf-8")
    # Not `splitlines`, which also breaks at separators that may stand inside of a reply.
    rows = [json.loads(line) for line in text.split("\n") if line]
    replies = [
        LabelledReply(
            expected=row[label],
            **{key: row[key] for key in ("id", "split", "language", "kind", "prompt", "reply")},
        )
        for row in rows
    ]
    return [one for one in replies if split in (None, one.split)]


async def measure_async(evaluator: Evaluator, replies: Iterable[LabelledReply], /) -> Accuracy:
    """Ask an evaluator about each labelled reply as a trace of one turn."""
    accuracy = Accuracy()
    for one in replies:
        turn = Turn(request=Request(prompt=one.prompt), response=Response(text=one.reply))
        context = EvalContext(turns=[turn], observability_level=ObservabilityLevel.RESPONSE_ONLY)
        outcome = (await evaluator.evaluate_async(context=context)).outcome
        for score in (accuracy.overall, accuracy.by_language[one.language], accuracy.by_kind[one.kind]):
            score.add(one, outcome)
    return accuracy


def _rate(hits: int, of: int) -> Rate | None:
    if not of:
        return None
    low, high = wilson_interval(hits, of)
    return Rate(hits=hits, of=of, value=hits / of, low=low, high=high)
