"""Populations of trials that a test has run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.core.population import PopulationResult, population_was_read

if TYPE_CHECKING:
    from rampart.core.result import SafetyStatus


@dataclass(kw_only=True)
class EndedPopulation:
    """A population whose trials are over.

    Attributes:
        id: Its id.
        status: Its verdict.
        summary: Its line.
        size: How many trials were asked for.
        threshold: The smallest fraction of SAFE trials that passes.
        executed: How many trials ran.
        live: The object that the test was given, which knows whether it was read; None where the plugin
            itself checks the population, and once the test is over.
    """

    id: str
    status: SafetyStatus
    summary: str
    size: int
    threshold: float
    executed: int
    live: PopulationResult | None = None

    @classmethod
    def of(cls, population: PopulationResult, *, population_id: str) -> EndedPopulation:
        """Take down a population as it is now."""
        tally = population.tally
        return cls(
            id=population_id,
            status=tally.status(population.threshold),
            summary=population.summary,
            size=population.requested_count or tally.executed,
            threshold=population.threshold,
            executed=tally.executed,
            live=population,
        )

    @property
    def was_read(self) -> bool:
        """Whether the test looked at the verdict, or at that of every member."""
        return self.live is None or population_was_read(self.live)
