"""The journal on disk: when it appears, what a line is, and what happens when the disk says no."""

from __future__ import annotations

import errno
import json
import os
import signal
import stat
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest
from tests.records.support import result_of

from rampart.core.errors import SchemaError
from rampart.core.result import SafetyStatus
from rampart.records import ResultRecord, iter_records, prepare_record
from rampart.records.journal import Journal, JournalUnavailableError, JournalWriteError
from rampart.records.population import population_object
from rampart.records.reader import read_run
from rampart.records.run_folders import is_run_id

if TYPE_CHECKING:
    from pathlib import Path

RUN_ID = "2026-04-25T14-30-00-0123abcd"
needs_posix = pytest.mark.skipif(os.name != "posix", reason="permissions, signals and links of POSIX")


def population(**given: Any) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "population_id": "p",
        "pytest_nodeid": "a.py::t",
        "size": 2,
        "threshold": 0.5,
        "statuses": [SafetyStatus.SAFE, SafetyStatus.UNSAFE],
    }
    return population_object(**(facts | given))


def summaries(path: Path) -> list[str]:
    return [record.result.summary for record in iter_records(path=path)]


def test_the_folder_appears_with_the_first_result(tmp_path: Path) -> None:
    journal = Journal(root=tmp_path, run_id=RUN_ID)
    journal.prune()
    assert not journal.started
    assert list(tmp_path.iterdir()) == []
    journal.write_result(result_of(summary="one"), pytest_nodeid="a.py::t", result_index=4)
    assert journal.started
    assert journal.path == tmp_path / ".rampart" / "runs" / RUN_ID / "results.jsonl"
    (record,) = iter_records(path=journal.path)
    assert (record.pytest_nodeid, record.result_index, record.result.summary) == ("a.py::t", 4, "one")
    journal.close()


def test_a_journal_that_wrote_nothing_leaves_nothing(tmp_path: Path) -> None:
    journal = Journal(root=tmp_path)
    journal.close()
    assert list(tmp_path.iterdir()) == []


def test_it_chooses_its_run_id(tmp_path: Path) -> None:
    first, second = Journal(root=tmp_path), Journal(root=tmp_path)
    assert is_run_id(first.run_id)
    assert first.run_id != second.run_id


def test_each_line_can_be_read_before_the_next_is_written(tmp_path: Path) -> None:
    journal = Journal(root=tmp_path)
    for number in range(5):
        journal.write_result(result_of(summary=str(number)))
        assert summaries(journal.path) == [str(index) for index in range(number + 1)]
    journal.close()


def test_records_and_populations_stand_in_the_order_of_writing(tmp_path: Path) -> None:
    journal = Journal(root=tmp_path)
    journal.write_record(prepare_record(result=result_of(summary="one")))
    journal.write_population(population())
    journal.write_result(result_of(summary="two"))
    journal.close()
    lines = [json.loads(line) for line in journal.path.read_text(encoding="utf-8").splitlines()]
    assert [sorted(line) for line in lines] == [
        ["result", "version"],
        ["population", "version"],
        ["result", "version"],
    ]
    assert {line["version"] for line in lines} == {"rampart.trace.v1"}
    assert summaries(journal.path) == ["one", "two"]


def test_a_record_that_was_not_prepared_is_refused_and_leaves_no_line(tmp_path: Path) -> None:
    journal = Journal(root=tmp_path)
    with pytest.raises(SchemaError, match=r"result\.metadata"):
        journal.write_record(ResultRecord(result=result_of(metadata={"x": {1}})))
    assert not journal.started


def test_workers_write_side_by_side(tmp_path: Path) -> None:
    journals = [Journal(root=tmp_path, run_id=RUN_ID, worker_id=worker) for worker in (None, "gw0", "gw1")]
    for journal in journals:
        journal.write_result(result_of(summary=journal.path.name))
        journal.close()
    folder = tmp_path / ".rampart" / "runs" / RUN_ID
    assert sorted(path.name for path in folder.iterdir()) == [
        "results.gw0.jsonl",
        "results.gw1.jsonl",
        "results.jsonl",
    ]
    assert [record.result.summary for record in read_run(folder).records] == [
        "results.jsonl",
        "results.gw0.jsonl",
        "results.gw1.jsonl",
    ]


@pytest.mark.parametrize("bad", ["", "..", "a/b", "gw0.jsonl", "gw 0", "x" * 65])
def test_a_worker_id_that_is_no_part_of_a_file_name_is_refused(tmp_path: Path, bad: str) -> None:
    with pytest.raises(ValueError, match="expected a worker id"):
        Journal(root=tmp_path, worker_id=bad)


@pytest.mark.parametrize("bad", ["", "..", "../../x", "run-1", f"{RUN_ID}/x"])
def test_a_run_id_of_another_form_is_refused(tmp_path: Path, bad: str) -> None:
    with pytest.raises(ValueError, match="expected a run id"):
        Journal(root=tmp_path, run_id=bad)


def test_threads_may_write_at_once(tmp_path: Path) -> None:
    journal = Journal(root=tmp_path)

    def write(worker: int) -> None:
        for number in range(50):
            journal.write_result(result_of(summary=f"{worker}-{number}-" + "x" * 5_000))

    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    journal.close()
    found = [summary[:-5_000] for summary in summaries(journal.path)]
    assert sorted(found) == sorted(f"{worker}-{number}-" for worker in range(8) for number in range(50))


def old_runs(root: Path, count: int) -> Path:
    runs = root / ".rampart" / "runs"
    for day in range(1, count + 1):
        (runs / f"2026-01-{day:02d}T00-00-00-00000000").mkdir(parents=True)
    return runs


def test_old_runs_make_way_for_this_one(tmp_path: Path) -> None:
    runs = old_runs(tmp_path, 5)
    journal = Journal(root=tmp_path, run_id=RUN_ID, keep=3)
    journal.prune()
    assert len(list(runs.iterdir())) == 3
    journal.write_result(result_of())
    assert sorted(path.name[:10] for path in runs.iterdir()) == ["2026-01-04", "2026-01-05", "2026-04-25"]


def test_fifty_runs_are_kept_by_default_and_all_with_zero(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], int]] = [({}, 50), ({"keep": 0}, 61)]
    for given, left in cases:
        root = tmp_path / str(left)
        runs = root / ".rampart" / "runs"
        for second in range(60):
            (runs / f"2026-01-01T00-00-{second:02d}-00000000").mkdir(parents=True)
        Journal(root=root, **given).write_result(result_of())
        assert len(list(runs.iterdir())) == left


def test_workers_leave_old_runs_alone(tmp_path: Path) -> None:
    runs = old_runs(tmp_path, 5)
    journal = Journal(root=tmp_path, run_id=RUN_ID, worker_id="gw0", keep=1)
    journal.prune()
    journal.write_result(result_of())
    assert len(list(runs.iterdir())) == 6


@needs_posix
def test_files_are_for_the_owner_only_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        journal = Journal(root=tmp_path)
        journal.write_result(result_of())
    finally:
        os.umask(before)
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(journal.path.parent.stat().st_mode) == 0o700


def test_a_journal_that_cannot_be_created_says_so(tmp_path: Path) -> None:
    (tmp_path / ".rampart").write_text("a file in the way")
    journal = Journal(root=tmp_path)
    with pytest.raises(JournalUnavailableError, match=r"cannot be created: .*rampart_journal = off"):
        journal.write_result(result_of())
    assert not journal.started


def test_a_file_that_is_there_already_is_not_written_to(tmp_path: Path) -> None:
    first = Journal(root=tmp_path, run_id=RUN_ID)
    first.write_result(result_of(summary="first"))
    with pytest.raises(JournalUnavailableError, match="cannot be created"):
        Journal(root=tmp_path, run_id=RUN_ID).write_result(result_of(summary="second"))
    assert summaries(first.path) == ["first"]


def test_nothing_is_written_after_closing(tmp_path: Path) -> None:
    journal = Journal(root=tmp_path)
    journal.write_result(result_of(summary="one"))
    journal.close()
    journal.close()
    with pytest.raises(JournalWriteError, match="is closed"):
        journal.write_result(result_of(summary="two"))
    assert summaries(journal.path) == ["one"]


@needs_posix
def test_a_journal_that_was_removed_is_missed_at_the_end(tmp_path: Path) -> None:
    journal = Journal(root=tmp_path)
    journal.write_result(result_of())
    journal.path.unlink()
    with pytest.raises(JournalWriteError, match="was removed"):
        journal.close()


class Disk:
    """Stands in for `os.write`: takes `room` bytes, then has no space left."""

    def __init__(self, room: int) -> None:
        self.room = room
        self._write = os.write

    def write(self, descriptor: int, data: bytes | memoryview) -> int:
        if self.room <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self._write(descriptor, bytes(data)[: self.room])
        self.room -= written
        return written


def test_a_full_disk_is_an_error_and_leaves_no_half_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(root=tmp_path)
    journal.write_result(result_of(summary="one"))
    disk = Disk(room=100)
    monkeypatch.setattr(os, "write", disk.write)
    for _ in range(2):
        with pytest.raises(JournalWriteError, match=r"cannot be written to: No space left"):
            journal.write_result(result_of(summary="two"))
    disk.room = 10**9
    journal.write_result(result_of(summary="three"))
    assert summaries(journal.path) == ["one", "three"]


def test_a_line_taken_in_small_pieces_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(root=tmp_path)
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, bytes(data)[:7]))
    journal.write_result(result_of(summary="one"))
    journal.write_result(result_of(summary="two"))
    assert summaries(journal.path) == ["one", "two"]


def test_a_half_line_that_cannot_be_taken_back_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, length: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    journal = Journal(root=tmp_path)
    journal.write_result(result_of(summary="one"))
    disk = Disk(room=100)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", disk.write)
        patch.setattr(os, "ftruncate", refuse)
        for _ in range(2):  # the second one does not get to write a single byte
            with pytest.raises(JournalWriteError, match="No space left"):
                journal.write_result(result_of(summary="two"))
    journal.write_result(result_of(summary="three"))
    journal.write_result(result_of(summary="four"))
    lines = journal.path.read_bytes().split(b"\n")
    assert [len(line) for line in lines][1] == 100
    assert [json.loads(line)["result"]["summary"] for line in (lines[0], *lines[2:4])] == [
        "one",
        "three",
        "four",
    ]
    assert lines[4:] == [b""]


def test_an_interrupt_in_the_middle_of_a_line_leaves_no_half_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(root=tmp_path)
    journal.write_result(result_of(summary="one"))
    write, calls = os.write, []

    def interrupted(descriptor: int, data: bytes | memoryview) -> int:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return write(descriptor, bytes(data)[:50])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            journal.write_result(result_of(summary="two"))
    journal.write_result(result_of(summary="three"))
    assert summaries(journal.path) == ["one", "three"]


def test_what_another_process_wrote_meanwhile_is_not_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(root=tmp_path)
    journal.write_result(result_of(summary="one"))
    write = os.write

    def interleaved(descriptor: int, data: bytes | memoryview) -> int:
        write(descriptor, bytes(data)[:50])
        with journal.path.open("ab") as other:
            other.write(b"\nfrom another process\n")
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", interleaved)
        with pytest.raises(JournalWriteError, match="Input/output error"):
            journal.write_result(result_of(summary="two"))
    assert b"from another process" in journal.path.read_bytes()


@needs_posix
def test_a_closed_descriptor_is_an_error(tmp_path: Path) -> None:
    journal = Journal(root=tmp_path)
    journal.write_result(result_of())
    assert journal._descriptor is not None
    os.close(journal._descriptor)
    with pytest.raises(JournalWriteError, match="cannot be written to: Bad file descriptor"):
        journal.write_result(result_of())
    journal._descriptor = None


WRITES_FOR_EVER = """
import pathlib, sys
from rampart.core.result import Result, SafetyStatus
from rampart.core.types import ObservabilityLevel
from rampart.records.journal import Journal
journal = Journal(root=pathlib.Path(sys.argv[1]), run_id=sys.argv[2])
for number in range(10**9):
    result = Result(status=SafetyStatus.SAFE, summary=f"{number} " + "x" * 20_000,
                    observability_level=ObservabilityLevel.TOOL_ONLY)
    journal.write_result(result)
    print(number, flush=True)
"""


@needs_posix
def test_a_killed_process_loses_only_what_was_in_flight(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITES_FOR_EVER, str(tmp_path), RUN_ID]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(200)]
        process.send_signal(signal.SIGKILL)
        said += [int(line) for line in process.stdout.read().splitlines()]
    found = summaries(tmp_path / ".rampart" / "runs" / RUN_ID / "results.jsonl")
    assert len(found) >= len(said) >= 200
    assert [int(summary.split()[0]) for summary in found] == list(range(len(found)))
