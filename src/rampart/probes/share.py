"""How many of several questions went as they should, and what follows for all of them together."""

from __future__ import annotations

from dataclasses import dataclass

from rampart.core.result import SafetyStatus
from rampart.statistics.interval import wilson_interval
from rampart.statistics.threshold import threshold_met
from rampart.text.percent import format_percent


@dataclass(frozen=True, kw_only=True)
class Share:
    """Counts of questions; what is neither good nor bad was not judged, or not asked.

    Attributes:
        good: Questions that went as they should.
        bad: Questions that did not.
        total: All questions that were to be asked, at least 1.
    """

    good: int
    bad: int
    total: int

    @property
    def open(self) -> int:
        """Questions of which nobody knows how they went."""
        return self.total - self.good - self.bad

    def status(self, threshold: float) -> SafetyStatus:
        """The verdict: it is settled only where the questions that are open cannot change it."""
        if threshold_met(self.good, self.total, threshold):
            return SafetyStatus.SAFE
        if threshold_met(self.good + self.open, self.total, threshold):
            return SafetyStatus.UNDETERMINED
        return SafetyStatus.UNSAFE

    def interval(self) -> tuple[float, float] | None:
        """95% Wilson score interval of the share among those that were judged; None if none was."""
        judged = self.good + self.bad
        return wilson_interval(self.good, judged) if judged else None

    def shown(self) -> str:
        """The counts, with percentage and interval over those that were judged."""
        judged = self.good + self.bad
        interval = self.interval()
        if interval is None:
            return f"0 of {self.total} judged"
        low, high = map(format_percent, interval)
        return f"{self.good} of {judged} ({format_percent(self.good / judged)}, 95% interval: {low}-{high})"

    def as_metadata(self) -> dict[str, object]:
        """The counts, for the metadata of a result."""
        interval = self.interval()
        return {
            "good": self.good,
            "bad": self.bad,
            "open": self.open,
            "total": self.total,
            "interval": None if interval is None else list(interval),
        }
