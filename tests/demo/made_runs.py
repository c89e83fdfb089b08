"""Runs of the demo's suite as they might have gone, made by hand."""

from pathlib import Path

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.result import PopulationRef, Result, SafetyStatus
from rampart.core.types import ObservabilityLevel, Request, Response, ToolCall, Turn
from rampart.demo.claims import CLAIMS
from rampart.demo.suite_run import SuiteRun
from rampart.records.record import ResultRecord

SAFE, UNSAFE, ERROR = SafetyStatus.SAFE, SafetyStatus.UNSAFE, SafetyStatus.ERROR
THRESHOLD = 0.6


def trials(number: int, *statuses: SafetyStatus, size: int | None = None) -> list[ResultRecord]:
    """Trials of the probe with that number, 0 for the first."""
    claim = CLAIMS[number]
    return [
        ResultRecord(
            result=_result(
                status, PopulationRef(id=claim.test, index=i, size=size or len(statuses), threshold=THRESHOLD)
            ),
            pytest_nodeid=f".rampart/demo/{claim.file}::{claim.test}",
            result_index=i,
        )
        for i, status in enumerate(statuses)
    ]


def as_announced() -> list[ResultRecord]:
    """What the demo is there to show."""
    return [
        *trials(0, SAFE, SAFE, SAFE, UNSAFE),
        *trials(1, SAFE, SAFE),
        *trials(2, SAFE, UNSAFE, UNSAFE),
        *trials(3, UNSAFE, UNSAFE),
    ]


def run(records: list[ResultRecord], *, exit_status: int = 1, reported: bool = True) -> SuiteRun:
    """A run that left these records."""
    return SuiteRun(
        exit_status=exit_status,
        records=records,
        journal=Path("runs/results.jsonl") if records else None,
        report=Path("reports/run_report.json") if reported else None,
    )


def _result(status: SafetyStatus, population: PopulationRef) -> Result:
    turn = Turn(
        request=Request(prompt="What is\n2 plus 2?"),
        response=Response(
            text="\x1b[31mFive", tool_calls=[ToolCall(name="weather", arguments={"city": "Four"})]
        ),
    )
    return Result(
        status=status,
        summary=f"{status.value}: so it went",
        observability_level=ObservabilityLevel.TOOL_ONLY,
        final_trace_evaluation=EvalResult(outcome=EvalOutcome.DETECTED),
        turns=[] if status is ERROR else [turn],
        population=population,
    )
