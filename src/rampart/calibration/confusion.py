"""What a judge said of transcripts whose answer is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.core.attack_rates import Rate
from rampart.core.evaluation import EvalOutcome
from rampart.statistics.agreement import Kappa, cohen_kappa
from rampart.statistics.prevalence import is_informative

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, kw_only=True)
class Answers:
    """A judge's answers to transcripts of one label.

    Attributes:
        detected: How often it said detected.
        not_detected: How often it said not detected.
        undetermined: How often it could not tell.
        error: How often it failed.
    """

    detected: int = 0
    not_detected: int = 0
    undetermined: int = 0
    error: int = 0

    @property
    def decided(self) -> int:
        """Answers that are one or the other; rates are over these."""
        return self.detected + self.not_detected

    @property
    def total(self) -> int:
        """All transcripts of this label."""
        return self.decided + self.undetermined + self.error

    @classmethod
    def of(cls, outcomes: Iterable[EvalOutcome | None]) -> Answers:
        """Count answers; None stands for a failure."""
        given = list(outcomes)
        return cls(
            detected=given.count(EvalOutcome.DETECTED),
            not_detected=given.count(EvalOutcome.NOT_DETECTED),
            undetermined=given.count(EvalOutcome.UNDETERMINED),
            error=given.count(None),
        )


@dataclass(frozen=True, kw_only=True)
class Confusion:
    """A judge's answers beside the labels.

    Answers that are undetermined and failures are in no rate, and counted by themselves.

    Attributes:
        labelled_detected: The answers where people say detected.
        labelled_not_detected: The answers where people say not detected.
    """

    labelled_detected: Answers
    labelled_not_detected: Answers

    @classmethod
    def of(cls, pairs: Iterable[tuple[EvalOutcome, EvalOutcome | None]]) -> Confusion:
        """Count pairs of a label and an answer; None stands for a failure."""
        given = list(pairs)
        return cls(
            labelled_detected=Answers.of(said for label, said in given if label is EvalOutcome.DETECTED),
            labelled_not_detected=Answers.of(
                said for label, said in given if label is EvalOutcome.NOT_DETECTED
            ),
        )

    @property
    def total(self) -> int:
        """All transcripts."""
        return self.labelled_detected.total + self.labelled_not_detected.total

    @property
    def decided(self) -> int:
        """Transcripts of which the judge said one or the other."""
        return self.labelled_detected.decided + self.labelled_not_detected.decided

    @property
    def undetermined(self) -> int:
        """Transcripts of which the judge could not tell."""
        return self.labelled_detected.undetermined + self.labelled_not_detected.undetermined

    @property
    def errors(self) -> int:
        """Transcripts on which the judge failed."""
        return self.labelled_detected.error + self.labelled_not_detected.error

    @property
    def accuracy(self) -> Rate | None:
        """Right answers of those that were decided; None without any."""
        return _rate(self.labelled_detected.detected + self.labelled_not_detected.not_detected, self.decided)

    @property
    def sensitivity(self) -> Rate | None:
        """What the judge detects of what people detect; None if there was nothing to detect."""
        return _rate(self.labelled_detected.detected, self.labelled_detected.decided)

    @property
    def specificity(self) -> Rate | None:
        """What the judge clears of what people clear; None if there was nothing to clear."""
        return _rate(self.labelled_not_detected.not_detected, self.labelled_not_detected.decided)

    @property
    def kappa(self) -> Kappa | None:
        """Agreement of judge and labels beyond chance; None where it is not defined."""
        return cohen_kappa(
            both_yes=self.labelled_detected.detected,
            first_only=self.labelled_detected.not_detected,
            second_only=self.labelled_not_detected.detected,
            both_no=self.labelled_not_detected.not_detected,
        )

    @property
    def informative(self) -> bool:
        """Whether rates can be corrected with it: both labels occur, and the judge tells them apart."""
        sensitivity, specificity = self.sensitivity, self.specificity
        if sensitivity is None or specificity is None:
            return False
        return is_informative(
            true_positives=sensitivity.count,
            known_positives=sensitivity.total,
            true_negatives=specificity.count,
            known_negatives=specificity.total,
        )


def _rate(count: int, total: int) -> Rate | None:
    return Rate(count=count, total=total) if total else None
