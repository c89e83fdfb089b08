"""Results and reports that the tests of reporting share."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from typing import TYPE_CHECKING, Any

from rampart.core.population import Tally
from rampart.core.report import TestRunReport
from rampart.core.result import PopulationRef, Result, SafetyStatus, status_of
from rampart.core.types import ObservabilityLevel
from rampart.records.population import population_object
from rampart.reporting import JsonFileReportSink, json_file

if TYPE_CHECKING:
    from pathlib import Path
    from threading import Barrier

SAFE, UNSAFE = SafetyStatus.SAFE, SafetyStatus.UNSAFE
UNDETERMINED, ERROR = SafetyStatus.UNDETERMINED, SafetyStatus.ERROR


def recorded(
    status: SafetyStatus = SAFE, *, name: str | None = "test_a", index: int = 0, **given: Any
) -> Result:
    """A result as the plugin records it."""
    facts: dict[str, Any] = {
        "summary": f"it was {status.value}",
        "observability_level": ObservabilityLevel.TOOL_ONLY,
    }
    metadata = {} if name is None else _recorded_in(name, index)
    metadata |= given.pop("metadata", {})
    return Result(status=status, metadata=metadata, **(facts | given))


def _recorded_in(name: str, index: int) -> dict[str, Any]:
    return {
        "_pytest_test_name": name,
        "_pytest_nodeid": f"tests/test_x.py::{name}",
        "_rampart_result_index": index,
    }


def trials(
    *statuses: SafetyStatus, name: str = "test_trials", size: int | None = None, **given: Any
) -> list[Result]:
    """The results of one population, one a trial."""
    return [
        recorded(
            status,
            name=name,
            index=index,
            population=PopulationRef(
                id=f"id-of-{name}", index=index, size=size or len(statuses), threshold=0.8
            ),
            **given,
        )
        for index, status in enumerate(statuses)
    ]


def figures_of(results: list[Result], **given: Any) -> dict[str, Any]:
    """The figures of a population that ended."""
    reference = results[0].population
    assert reference is not None
    facts: dict[str, Any] = {
        "population_id": reference.id,
        "pytest_nodeid": results[0].metadata["_pytest_nodeid"],
        "size": reference.size,
        "threshold": reference.threshold,
        "statuses": map(status_of, results),
    }
    return population_object(**(facts | given))


def report_of(results: list[Result], **given: Any) -> TestRunReport:
    """A report whose counters are right."""
    tally = Tally.of(map(status_of, results))
    counters: dict[str, Any] = {
        "total_runs": tally.executed,
        "passed": tally.safe,
        "failed": tally.unsafe,
        "undetermined": tally.undetermined,
        "errors": tally.error,
    }
    return TestRunReport(results=results, **(counters | given))


def emit(folder: Path, report: TestRunReport) -> Path:
    """Write a report and return the new file."""
    before = set(folder.iterdir()) if folder.exists() else set()
    asyncio.run(JsonFileReportSink(output_dir=folder).emit_async(report=report))
    (new,) = set(folder.iterdir()) - before
    return new


def written(folder: Path, report: TestRunReport) -> dict[str, Any]:
    """A report as its file holds it; constants that are no JSON are refused."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    text = emit(folder, report).read_bytes().decode("utf-8", errors="strict")
    document: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return document


INSTANT_OF_ALL = "2026-04-25T00-00-00-000"


def emit_together(folder: Path, number: int, together: Barrier) -> None:
    """Write a report of 200 results at the moment at which 19 other processes do, by the same clock."""
    json_file._now = lambda: dt.datetime(2026, 4, 25, tzinfo=dt.UTC)
    report = report_of([recorded(SAFE, name=f"test_{number}", index=index) for index in range(200)])
    together.wait(timeout=60)
    asyncio.run(JsonFileReportSink(output_dir=folder).emit_async(report=report))
