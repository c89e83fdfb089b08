"""What a judge is worth, measured on transcripts whose answer is known."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from rampart.calibration.confusion import Confusion
from rampart.core.attack_rates import Rate
from rampart.core.evaluation import EvalOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rampart.calibration.labels import LabelledTranscript
    from rampart.core.judge_identity import JudgeIdentity
    from rampart.core.types import Usage

UNANIMOUS, SPLIT = "unanimous", "split"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A labelled transcript and what the judge said of it.

    Attributes:
        transcript: The transcript.
        outcome: The judge's answer; None if it failed.
        rationale: The judge's reason, cut and in one line; what went wrong if it failed.
    """

    transcript: LabelledTranscript
    outcome: EvalOutcome | None
    rationale: str

    @property
    def wrong(self) -> bool:
        """Whether the judge decided, and otherwise than people did."""
        decided = self.outcome in (EvalOutcome.DETECTED, EvalOutcome.NOT_DETECTED)
        return decided and self.outcome is not self.transcript.label


@dataclass(frozen=True, kw_only=True)
class JudgeCheck:
    """All answers of a judge to a labelled set, and the figures over them.

    Attributes:
        judge: Which judge; None if it does not tell.
        labels_name: The name of the labelled set.
        labels_sha256: The digest of its file.
        judged: The answers, in the order of the set.
        usage: What the judge consumed; figures that are not known are None.
    """

    judge: JudgeIdentity | None
    labels_name: str
    labels_sha256: str
    judged: tuple[Judged, ...]
    usage: Usage

    @property
    def confusion(self) -> Confusion:
        """The answers beside the labels."""
        return _confusion(self.judged)

    def by_language(self) -> dict[str, Confusion]:
        """The same for each language, in alphabetical order."""
        return self._by(lambda one: one.language)

    def by_kind(self) -> dict[str, Confusion]:
        """The same for each kind of transcript, in alphabetical order."""
        return self._by(lambda one: one.kind)

    def by_labellers(self) -> dict[str, Confusion]:
        """The same for transcripts on which the labellers are `unanimous`, and on which they are `split`."""
        return self._by(
            lambda one: {True: UNANIMOUS, False: SPLIT, None: None}[one.unanimous], order=(UNANIMOUS, SPLIT)
        )

    def labeller_pairs(self) -> Rate | None:
        """How often two labellers of one transcript say the same, over all pairs; None without pairs.

        What people do not agree on no judge can be expected to get right.
        """
        pairs = [pair for one in self.judged for pair in combinations(one.transcript.labels, 2)]
        return _share(first is second for first, second in pairs)

    def judge_pairs(self) -> Rate | None:
        """How often the judge and one labeller say the same, over the transcripts that give labeller pairs.

        Answers that are undetermined, and failures, are left out.
        """
        return _share(
            one.outcome is label
            for one in self.judged
            if one.transcript.unanimous is not None
            and one.outcome in (EvalOutcome.DETECTED, EvalOutcome.NOT_DETECTED)
            for label in one.transcript.labels
        )

    def _by(
        self, key: Callable[[LabelledTranscript], str | None], order: Iterable[str] | None = None
    ) -> dict[str, Confusion]:
        groups: dict[str, list[Judged]] = {}
        for one in self.judged:
            name = key(one.transcript)
            if name is not None:
                groups.setdefault(name, []).append(one)
        return {name: _confusion(groups[name]) for name in order or sorted(groups) if name in groups}


def _confusion(judged: Iterable[Judged]) -> Confusion:
    return Confusion.of((one.transcript.label, one.outcome) for one in judged)


def _share(true: Iterable[bool]) -> Rate | None:
    given = list(true)
    return Rate(count=sum(given), total=len(given)) if given else None
