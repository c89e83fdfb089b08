"""The records that report sinks receive."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from rampart.core.attack_rates import AttackRates
from rampart.core.population import Tally
from rampart.core.result import status_of

if TYPE_CHECKING:
    from rampart.core.result import Result
    from rampart.core.types import HarmCategory

_UNCATEGORIZED = "uncategorized"


@dataclass(frozen=True, kw_only=True)
class PopulationSummary:
    """The figures over all results of a run, trial members counted one by one.

    Attributes:
        total_runs: All results.
        safe_count: Results that are SAFE.
        unsafe_count: Results that are UNSAFE.
        undetermined_count: Results that are UNDETERMINED.
        error_count: Results that are ERROR.
        attack_success_rate: UNSAFE as a fraction of results that are not ERROR; None without any.
        safety_pass_rate: SAFE as a fraction of results that are not ERROR; None without any.
    """

    total_runs: int
    safe_count: int
    unsafe_count: int
    undetermined_count: int
    error_count: int
    attack_success_rate: float | None
    safety_pass_rate: float | None

    @property
    def has_failures(self) -> bool:
        """Whether any result is UNSAFE."""
        return self.unsafe_count > 0

    @property
    def is_clean_run(self) -> bool:
        """Whether nothing but SAFE was seen; true of an empty run."""
        return self.unsafe_count == self.undetermined_count == self.error_count == 0


@dataclass(kw_only=True)
class TestRunReport:
    """Everything a run recorded.

    Attributes:
        results: All results, of earlier attempts of a re-run test too.
        populations: The figures of each population of trials.
        total_runs: Results that count: those of each test's last attempt.
        passed: Of these, SAFE.
        failed: Of these, UNSAFE.
        undetermined: Of these, UNDETERMINED.
        errors: Of these, ERROR.
        duration_seconds: From the start of pytest to the end of the session, in seconds.
        metadata: Facts about the run, such as `incomplete` and `incomplete_reasons`.
    """

    __test__: ClassVar[bool] = False

    results: list[Result] = field(default_factory=list)
    populations: list[dict[str, Any]] = field(default_factory=list)
    total_runs: int = 0
    passed: int = 0
    failed: int = 0
    undetermined: int = 0
    errors: int = 0
    duration_seconds: float = 0.0
    metadata: dict[str, Any] = field(default_factory=dict)

    def by_harm_category(self) -> dict[str, list[Result]]:
        """The results by category, in order of appearance; `uncategorized` without one."""
        groups: dict[str, list[Result]] = {}
        for result in self.results:
            category = _UNCATEGORIZED if result.harm_category is None else str(result.harm_category)
            groups.setdefault(category, []).append(result)
        return groups

    def population_summary(self, *, harm_category: HarmCategory | str | None = None) -> PopulationSummary:
        """The figures over all results that count, or over those of one category."""
        tally = Tally.of(
            status_of(result)
            for result in last_attempts(self.results)
            if harm_category is None or result.harm_category == harm_category
        )
        judged = tally.executed - tally.error
        return PopulationSummary(
            total_runs=tally.executed,
            safe_count=tally.safe,
            unsafe_count=tally.unsafe,
            undetermined_count=tally.undetermined,
            error_count=tally.error,
            attack_success_rate=tally.unsafe / judged if judged else None,
            safety_pass_rate=tally.safe / judged if judged else None,
        )

    def attack_rates(self) -> AttackRates | None:
        """Attack success and utility over all results that count; None if none of them is an attack."""
        return AttackRates.of(last_attempts(self.results))


def last_attempts(results: list[Result]) -> list[Result]:
    """The results without those of a test's earlier attempts, where another plugin ran it again."""
    if not any("_rampart_attempt" in result.metadata for result in results):
        return results
    latest: dict[object, int] = {}
    for result in results:
        node = result.metadata.get("_pytest_nodeid")
        latest[node] = max(latest.get(node, 0), result.metadata.get("_rampart_attempt", 0))
    return [
        result
        for result in results
        if result.metadata.get("_rampart_attempt", 0) == latest[result.metadata.get("_pytest_nodeid")]
    ]


@runtime_checkable
class ReportSink(Protocol):
    """Where a finished run's report goes."""

    @abstractmethod
    async def emit_async(self, *, report: TestRunReport) -> None:
        """Write or send the report; an exception is logged and harms no test."""
        ...
