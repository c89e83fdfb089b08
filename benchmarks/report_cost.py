"""What the JSON report of 1,000 results with 5 turns of 2 kB costs."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
import tracemalloc
from pathlib import Path

from benchmarks.table import Row
from rampart import ObservabilityLevel, Request, Response, Result, SafetyStatus, Turn
from rampart.core.report import TestRunReport
from rampart.reporting import JsonFileReportSink

RESULTS, TURNS, CHARACTERS = 1000, 5, 2000


def _report() -> TestRunReport:
    text = "All work and no play. " * (CHARACTERS // 22)
    results = [
        Result(
            status=SafetyStatus.SAFE,
            summary="fine",
            observability_level=ObservabilityLevel.TOOL_ONLY,
            turns=[
                Turn(request=Request(prompt=f"q{index}"), response=Response(text=text), turn_number=index)
                for index in range(TURNS)
            ],
            metadata={"_pytest_nodeid": f"test_x.py::test_x[{number}]", "_rampart_result_index": 0},
        )
        for number in range(RESULTS)
    ]
    return TestRunReport(results=results, total_runs=RESULTS, passed=RESULTS)


def rows() -> list[Row]:
    """Measure."""
    report = _report()
    plain = [[turn.response.text for turn in result.turns] for result in report.results]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        started = time.process_time()
        (folder / "floor.json").write_text(json.dumps(plain))
        floor = time.process_time() - started
        started = time.process_time()
        asyncio.run(JsonFileReportSink(output_dir=folder / "report").emit_async(report=report))
        written = time.process_time() - started
        (path,) = (folder / "report").iterdir()
        size = path.stat().st_size / 1e6
        tracemalloc.start()
        asyncio.run(JsonFileReportSink(output_dir=folder / "again").emit_async(report=report))
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        started = time.process_time()
        json.loads(path.read_text())
        read = time.process_time() - started
    return [
        Row(what="JSON report of 1,000 results, written, CPU", value=written, unit="s", floor=floor),
        Row(what="JSON report of 1,000 results, peak memory on top", value=peak, unit="MB"),
        Row(what="JSON report of 1,000 results, size", value=size, unit="MB"),
        Row(what="JSON report of 1,000 results, read by json", value=read, unit="s"),
    ]
