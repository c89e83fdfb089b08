"""The verdicts of a demo run, put together from its records."""

from collections.abc import Iterable
from dataclasses import dataclass

from rampart.core.population import PopulationResult
from rampart.core.result import Result
from rampart.demo.claims import CLAIMS, Claim
from rampart.records.record import ResultRecord


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one probe came to.

    Attributes:
        claim: The probe.
        trials: Those recorded, in order of completion.
        requested: How many were to run; 0 when none was recorded.
        population: Their common verdict; None when none was recorded.
    """

    claim: Claim
    trials: list[Result]
    requested: int
    population: PopulationResult | None

    @property
    def complete(self) -> bool:
        """Whether all trials are there."""
        return self.population is not None and len(self.trials) == self.requested

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the one that the demo announces."""
        return self.population is not None and self.population.status is self.claim.expected


def outcomes(records: Iterable[ResultRecord]) -> list[Outcome]:
    """Group the trials by probe, in the order of the suite."""
    by_test: dict[str, list[Result]] = {claim.test: [] for claim in CLAIMS}
    for record in records:
        test = (record.pytest_nodeid or "").rsplit("::", 1)[-1]
        if test in by_test:
            by_test[test].append(record.result)
    return [_outcome(claim, by_test[claim.test]) for claim in CLAIMS]


def _outcome(claim: Claim, trials: list[Result]) -> Outcome:
    reference = trials[0].population if trials else None
    if reference is None:
        return Outcome(claim=claim, trials=trials, requested=0, population=None)
    population = PopulationResult(
        results=trials, threshold=reference.threshold, requested_count=max(reference.size, len(trials))
    )
    return Outcome(claim=claim, trials=trials, requested=reference.size, population=population)
