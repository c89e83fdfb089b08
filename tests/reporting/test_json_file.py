"""The file of a JSON report: its name, and that it is whole or not there."""

from __future__ import annotations

import asyncio
import datetime as dt
import errno
import json
import multiprocessing
import os
import re
import stat
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from tests.reporting.support import INSTANT_OF_ALL, SAFE, emit, emit_together, recorded, report_of

from rampart.core.report import ReportSink, TestRunReport
from rampart.core.types import Request, Response, Turn
from rampart.reporting import JsonFileReportSink, json_file, report_json

NOW = dt.datetime(2026, 4, 25, 14, 30, 0, 123_999, tzinfo=dt.UTC)
ROOT = Path(__file__).parents[2]
needs_posix = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


@pytest.fixture
def frozen_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_file, "_now", lambda: NOW)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_it_is_a_sink(tmp_path: Path) -> None:
    assert isinstance(JsonFileReportSink(output_dir=tmp_path), ReportSink)


@pytest.mark.usefixtures("frozen_clock")
def test_the_name_says_when_to_the_millisecond(tmp_path: Path) -> None:
    assert emit(tmp_path, TestRunReport()).name == "run_report_2026-04-25T14-30-00-123.json"


def test_the_name_is_in_utc(tmp_path: Path) -> None:
    before = dt.datetime.now(dt.UTC)
    stamp = emit(tmp_path, TestRunReport()).stem.removeprefix("run_report_")
    said = dt.datetime.strptime(f"{stamp}000", "%Y-%m-%dT%H-%M-%S-%f").replace(tzinfo=dt.UTC)
    assert before - dt.timedelta(milliseconds=1) <= said <= dt.datetime.now(dt.UTC)


def test_the_folder_is_made_when_a_report_is_written(tmp_path: Path) -> None:
    sink = JsonFileReportSink(output_dir=tmp_path / "a" / "b")
    assert names_in(tmp_path) == []
    asyncio.run(sink.emit_async(report=TestRunReport()))
    assert len(names_in(tmp_path / "a" / "b")) == 1


def test_the_folder_may_be_given_as_text(tmp_path: Path) -> None:
    sink = JsonFileReportSink(output_dir=str(tmp_path))  # type: ignore[arg-type]  # as people do
    asyncio.run(sink.emit_async(report=TestRunReport()))
    assert len(names_in(tmp_path)) == 1


@pytest.mark.usefixtures("frozen_clock")
def test_s89_two_reports_of_one_instant_are_two_files(tmp_path: Path) -> None:
    first = emit(tmp_path, report_of([recorded(SAFE, name="test_first")]))
    before = first.read_bytes()
    second = emit(tmp_path, report_of([recorded(SAFE, name="test_second")]))
    assert first.read_bytes() == before
    assert re.fullmatch(r"run_report_2026-04-25T14-30-00-123-[0-9a-f-]{36}\.json", second.name)
    assert "test_second" in second.read_text(encoding="utf-8")
    assert len(names_in(tmp_path)) == 2


@needs_posix
def test_s89_twenty_processes_write_twenty_whole_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    existing = tmp_path / f"run_report_{INSTANT_OF_ALL}.json"
    existing.write_text("an earlier report", encoding="utf-8")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.reporting.support"])
    together = context.Barrier(20)
    processes = [
        context.Process(target=emit_together, args=(tmp_path, number, together)) for number in range(20)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 20
    assert existing.read_text(encoding="utf-8") == "an earlier report"
    files = [path for path in tmp_path.iterdir() if path != existing]
    assert {path.name[: len(existing.stem)] for path in files} == {existing.stem}
    found = [
        json.loads(path.read_text(encoding="utf-8"))["by_harm_category"]["uncategorized"] for path in files
    ]
    assert [len(results) for results in found] == [200] * 20
    assert len({results[0]["pytest_nodeid"] for results in found}) == 20


@pytest.mark.usefixtures("frozen_clock")
@pytest.mark.parametrize("failing", [0, 1, 2], ids=["at-the-start", "halfway", "at-the-end"])
def test_s90_a_failure_leaves_the_earlier_report_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    earlier = emit(tmp_path, TestRunReport())
    before = earlier.read_bytes()
    results = [recorded(SAFE, index=index) for index in range(3)]
    show = report_json.result_object

    def fail(result: object) -> object:
        if result is results[failing]:
            raise RuntimeError("cannot be shown")
        return show(result)  # type: ignore[arg-type]  # a result, as the sink calls it

    monkeypatch.setattr(report_json, "result_object", fail)
    sink = JsonFileReportSink(output_dir=tmp_path)
    with pytest.raises(RuntimeError, match="cannot be shown"):
        asyncio.run(sink.emit_async(report=report_of(results)))
    assert names_in(tmp_path) == [earlier.name]
    assert earlier.read_bytes() == before


def test_s90_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        asyncio.run(JsonFileReportSink(output_dir=tmp_path).emit_async(report=TestRunReport()))
    assert names_in(tmp_path) == []


def no_links(self: Path, target: Path) -> None:
    raise PermissionError(errno.EPERM, "Operation not permitted")


@pytest.mark.usefixtures("frozen_clock")
def test_a_file_system_without_links_works_and_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "hardlink_to", no_links)
    first = emit(tmp_path, report_of([recorded(SAFE, name="test_first")]))
    before = first.read_bytes()
    second = emit(tmp_path, report_of([recorded(SAFE, name="test_second")]))
    assert first.name == "run_report_2026-04-25T14-30-00-123.json"
    assert first.read_bytes() == before
    assert "test_second" in second.read_text(encoding="utf-8")
    assert names_in(tmp_path) == sorted([first.name, second.name])


@pytest.mark.usefixtures("frozen_clock")
def test_without_links_a_failure_leaves_no_empty_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Path, target: Path) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(OSError, match="Input/output error"):
        asyncio.run(JsonFileReportSink(output_dir=tmp_path).emit_async(report=TestRunReport()))
    assert names_in(tmp_path) == []


@needs_posix
def test_a_report_has_the_permissions_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        path = emit(tmp_path, TestRunReport())
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_folder_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(FileExistsError):
        asyncio.run(JsonFileReportSink(output_dir=tmp_path / "out").emit_async(report=TestRunReport()))


def test_s91_a_huge_transcript_is_written_piece_by_piece(tmp_path: Path) -> None:
    reply = "x" * 1_500_000
    results = [
        recorded(SAFE, index=index, turns=[Turn(request=Request(prompt="p"), response=Response(text=reply))])
        for index in range(200)
    ]
    report = report_of(results)
    tracemalloc.start()
    try:
        path = emit(tmp_path, report)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    size = path.stat().st_size
    assert size > 200 * len(reply)
    # The replies themselves are held once, by the report; writing adds a few copies of one of them.
    assert peak < 10 * len(reply)
    with path.open("rb") as file:
        assert sum(line.count(b'"result_index"') for line in file) == 200
    path.unlink()


def test_s99_the_report_is_utf_8_whatever_the_locale_says(tmp_path: Path) -> None:
    script = tmp_path / "emit.py"
    script.write_text(
        "import pathlib, sys\n"
        "from tests.reporting.support import *\n"
        "report = report_of([recorded(SAFE, summary='日本 ﬁ 🙂 1.5°')])\n"
        "emit(pathlib.Path(sys.argv[1]), report)\n",
        encoding="utf-8",
    )
    environment = os.environ | {
        "PYTHONUTF8": "0",
        "PYTHONIOENCODING": "cp1252:strict",
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, str(script), str(tmp_path / "out")]
    subprocess.run(command, check=True, env=environment, cwd=ROOT)
    (path,) = (tmp_path / "out").iterdir()
    assert "日本 ﬁ 🙂 1.5°" in path.read_text(encoding="utf-8")
