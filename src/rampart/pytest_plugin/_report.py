"""Putting together the report of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.core.population import Tally
from rampart.core.report import TestRunReport, last_attempts
from rampart.core.result import Result, status_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_Figures = dict[str, Any]


def build_report(
    *,
    results: Iterable[Result],
    populations: Sequence[tuple[int, _Figures]],
    incomplete: Sequence[str],
    duration_seconds: float,
) -> TestRunReport:
    """Put results and populations in order and count them.

    Args:
        results: The recorded copies of the whole run.
        populations: The attempt in which each population ran, and its figures.
        incomplete: Why the run does not cover everything; empty if it does.
        duration_seconds: How long the run took, in seconds.
    """
    ordered = sorted(results, key=_order)
    counted = last_attempts(ordered)
    tally = Tally.of(map(status_of, counted))
    metadata: _Figures = {}
    if incomplete:
        metadata = {"incomplete": True, "incomplete_reasons": list(incomplete)}
    return TestRunReport(
        results=ordered,
        populations=_last_populations(ordered, populations),
        total_runs=len(counted),
        passed=tally.safe,
        failed=tally.unsafe,
        undetermined=tally.undetermined,
        errors=tally.error,
        duration_seconds=duration_seconds,
        metadata=metadata,
    )


def _order(result: Result) -> tuple[str, int, int, str]:
    metadata = result.metadata
    return (
        metadata.get("_pytest_nodeid") or metadata.get("_pytest_test_name", ""),
        metadata.get("_rampart_result_index", 0),
        metadata.get("_rampart_attempt", 0),
        metadata.get("_rampart_source_worker", ""),
    )


def _last_populations(ordered: list[Result], populations: Sequence[tuple[int, _Figures]]) -> list[_Figures]:
    """The populations of each test's last attempt, in the order of their first result."""
    latest: dict[str, int] = {}
    place: dict[str, int] = {}
    for position, result in enumerate(ordered):
        nodeid = result.metadata["_pytest_nodeid"]
        latest[nodeid] = max(latest.get(nodeid, 0), result.metadata.get("_rampart_attempt", 0))
        if result.population is not None:
            place.setdefault(result.population.id, position)
    for attempt, figures in populations:
        latest[figures["pytest_nodeid"]] = max(latest.get(figures["pytest_nodeid"], 0), attempt)
    kept = [figures for attempt, figures in populations if attempt == latest[figures["pytest_nodeid"]]]
    return sorted(kept, key=lambda figures: place.get(figures["id"], len(ordered)))
