"""Cases about files of reports: none is lost, none is half written, none is too large."""

import json
from pathlib import Path

import pytest
from tests.cases.child import Child, only_report, read_report

from rampart import ObservabilityLevel, Result, SafetyStatus
from rampart.reporting import JsonFileReportSink, TestRunReport

# The clock stands still for whatever asks for the date after this.
FROZEN_CLOCK = """
import asyncio
import datetime
import multiprocessing
from pathlib import Path


class Frozen(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2026, 4, 25, 14, 30, 0, 123_000, tzinfo=tz)


datetime.datetime = Frozen

from rampart import ObservabilityLevel, Result, SafetyStatus
from rampart.reporting import JsonFileReportSink, TestRunReport


def emit(number, barrier=None):
    result = Result(
        status=SafetyStatus.SAFE,
        summary=f"report {number}",
        observability_level=ObservabilityLevel.TOOL_ONLY,
    )
    if barrier is not None:
        barrier.wait()
    report = TestRunReport(results=[result], total_runs=1, passed=1)
    asyncio.run(JsonFileReportSink(output_dir=Path("reports")).emit_async(report=report))


if __name__ == "__main__":
    emit(0)
    emit(1)
    # A copy of a process that has imported everything is ready at once.
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(20)
    processes = [context.Process(target=emit, args=(number, barrier)) for number in range(2, 22)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert all(process.exitcode == 0 for process in processes)
"""


@pytest.mark.case(89)
def test_s89_two_reports_in_one_instant(child: Child) -> None:
    child.write("emit.py", FROZEN_CLOCK)
    first = child.folder / "reports" / "run_report_2026-04-25T14-30-00-123.json"
    first.parent.mkdir()
    first.write_text('"of an earlier run"', encoding="utf-8")
    run = child.run_script("emit.py")
    assert run.status == 0, run.output
    assert first.read_text(encoding="utf-8") == '"of an earlier run"'
    files = {path for path in first.parent.iterdir() if path != first}
    assert len(files) == 22
    assert all(path.name.startswith("run_report_2026-04-25T14-30-00-123-") for path in files)
    summaries = [read_report(path)["by_harm_category"]["uncategorized"][0]["summary"] for path in files]
    assert sorted(summaries) == sorted(f"report {number}" for number in range(22))


class BreaksOff(list[Result]):
    """Results of which the second cannot be had."""

    def __iter__(self):  # type: ignore[no-untyped-def]  # a list's iterator that ends with an error
        yield super().__getitem__(0)
        raise RuntimeError("the rest is gone")


def _safe() -> Result:
    return Result(
        status=SafetyStatus.SAFE, summary="made by hand", observability_level=ObservabilityLevel.TOOL_ONLY
    )


@pytest.mark.case(90)
async def test_s90_failed_report_leaves_the_earlier_one(tmp_path: Path) -> None:
    sink = JsonFileReportSink(output_dir=tmp_path)
    await sink.emit_async(report=TestRunReport(results=[_safe()], total_runs=1, passed=1))
    earlier = only_report(tmp_path)
    with pytest.raises(RuntimeError, match="the rest is gone"):
        await sink.emit_async(report=TestRunReport(results=BreaksOff([_safe(), _safe()])))
    assert only_report(tmp_path) == earlier
    assert len(list(tmp_path.iterdir())) == 1  # noqa: ASYNC240  # nothing else runs in this loop


SMALL_DISK = """
import resource
from pathlib import Path

from rampart.reporting import JsonFileReportSink


class OnASmallDisk(JsonFileReportSink):
    # No file may grow beyond 20,000 bytes while the report is written.
    async def emit_async(self, *, report):
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
        try:
            await super().emit_async(report=report)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


def pytest_rampart_sinks(config):
    return [OnASmallDisk(output_dir=Path("reports"))]
"""


@pytest.mark.case(90)
def test_s90_full_disk_changes_neither_report_nor_verdicts(tmp_path: Path) -> None:
    pytest.importorskip("resource", reason="limits of file sizes are for Unix")
    child = Child(tmp_path / "project", conftest=SMALL_DISK)
    child.write(
        "test_it.py",
        """
        from kit import *

        async def test_small():
            assert await one()

        async def test_large():
            for number in range(4):
                assert await one(f"ok {number}" + "x" * 10_000)
        """,
    )
    first = child.run("-k", "small")
    assert first.status == 0, first.output
    (path,) = (child.folder / "reports").iterdir()
    content = path.read_bytes()
    second = child.run()
    assert second.status == 0, second.output
    assert second.outcomes == {"test_small": "passed", "test_large": "passed"}
    assert len([line for line in second.journal if "result" in line]) == 5
    assert [*(child.folder / "reports").iterdir()] == [path]
    assert path.read_bytes() == content
    assert "OnASmallDisk" in second.output
    assert "File too large" in second.output


HUGE = """
import resource
import sys
from pathlib import Path

from rampart.reporting import JsonFileReportSink


class Measured(JsonFileReportSink):
    async def emit_async(self, *, report):
        await super().emit_async(report=report)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        Path("peak").write_text(str(peak * (1 if sys.platform == "darwin" else 1024)))


def pytest_rampart_sinks(config):
    return [Measured(output_dir=Path("reports"))]
"""


@pytest.mark.case(91)
def test_s91_huge_transcript(tmp_path: Path) -> None:
    pytest.importorskip("resource", reason="peak memory is measured on Unix")
    child = Child(tmp_path / "project", conftest=HUGE)
    child.write(
        "test_it.py",
        """
        from kit import *

        async def test_it():
            for number in range(200):
                assert await one(f"ok {number} ".ljust(1_500_000, "x"))
        """,
    )
    run = child.run("-o", "rampart_journal=off")
    assert run.status == 0, run.output
    (path,) = (child.folder / "reports").iterdir()
    size = path.stat().st_size
    path.unlink()  # pytest keeps the folders of several runs
    results = run.results()
    assert run.report["total_runs"] == run.report["passed"] == len(results) == 200
    assert {result["status"] for result in results} == {"safe"}
    for result in results:
        text = result["turns"][0]["response"]["text"]
        assert len(text) == 1_500_000 or result.get("losses") or result.get("truncated")
    assert int((child.folder / "peak").read_text(encoding="utf-8")) < 4 * size


@pytest.mark.case(91)
async def test_s91_journal_line_of_a_huge_reply(child: Child) -> None:
    child.write(
        "test_it.py",
        """
        from kit import *

        async def test_it():
            assert await one("ok ".ljust(1_500_000, "x"))
        """,
    )
    run = child.run()
    assert run.status == 0, run.output
    (line,) = run.journal
    assert len(line["result"]["turns"][0]["response"]["text"]) == 1_500_000
    assert len(json.dumps(run.report)) > 1_500_000
