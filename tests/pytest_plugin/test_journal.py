"""The journal as the plugin keeps it; its format is tested with the records."""

import re
from typing import Any

import pytest

ONE = "async def test_it(): assert await one(SAFE)\n"


def test_results_are_there_as_soon_as_they_are_recorded(project: Any) -> None:
    project.write(
        """
        from pathlib import Path

        def lines():
            return [line for file in Path(".rampart/runs").glob("*/results.jsonl") for line in file.open()]

        @pytest.mark.harm("jailbreak")
        async def test_it():
            assert not Path(".rampart").exists()
            assert await one(SAFE)
            assert len(lines()) == 1
            assert await many([SAFE, SAFE])
            assert len(lines()) == 4

        @pytest.mark.trial(n=2)
        async def test_repeated():
            assert await one(SAFE)

        def test_after():
            assert len(lines()) == 7
        """
    )
    assert project.run().ret == 0
    lines = project.journal_lines()
    assert {line["version"] for line in lines} == {"rampart.trace.v1"}
    assert [line["pytest_nodeid"] for line in lines if "result" in line][:1] == ["test_it.py::test_it"]
    results = [line["result"] for line in lines if "result" in line]
    assert [result["harm_category"] for result in results] == ["jailbreak"] * 3 + [None] * 2
    assert [result["population"] and result["population"]["index"] for result in results] == [
        None,
        0,
        1,
        0,
        1,
    ]
    populations = [line["population"] for line in lines if "population" in line]
    assert populations == sorted(project.dump["populations"], key=lambda p: p["pytest_nodeid"])
    folder = project.journals[0].parent
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9a-f]{8}", folder.name)
    assert (folder.parent / ".gitignore").read_text() == "*\n"


def test_it_can_be_switched_off(project: Any) -> None:
    project.write(ONE)
    assert project.run("-o", "rampart_journal=off").ret == 0
    assert not (project.path / ".rampart").exists()
    assert project.statuses() == ["safe"]


@pytest.mark.parametrize(("keep", "left"), [("2", 2), ("0", 5)])
def test_old_runs_are_removed(project: Any, keep: str, left: int) -> None:
    runs = project.path / ".rampart" / "runs"
    for number in range(4):
        (runs / f"2020-01-0{number + 1}T00-00-00-0000000{number}").mkdir(parents=True)
    (runs / "mine").mkdir()
    project.write(ONE)
    assert project.run("-o", f"rampart_journal_keep={keep}").ret == 0
    names = sorted(entry.name for entry in runs.iterdir() if entry.name[0] == "2")
    assert len(names) == left
    assert (runs / "mine").exists()
    assert names[-1] == project.journals[-1].parent.name


def test_a_run_that_is_going_on_is_not_removed(project: Any) -> None:
    project.write(ONE, name="test_other")
    project.write(
        """
        import subprocess, sys

        def test_it():
            assert one_now(SAFE, "before")
            for _ in range(2):
                others = [sys.executable, "-m", "pytest", "-o", "rampart_journal_keep=1", "test_other.py"]
                subprocess.run(others, check=True, capture_output=True)
            assert one_now(SAFE, "after")
        """
    )
    result = project.run_apart("test_it.py")
    assert result.ret == 0, result.stdout.str()
    assert project.dump["metadata"] == {}
    assert [len(project.journal_lines(position)) for position in range(2)] == [2, 1]
    assert project.run("-o", "rampart_journal_keep=1", "test_other.py").ret == 0
    assert len(project.journals) == 1


@pytest.mark.parametrize("flags", [(), ("-W", "error")], ids=["plain", "warnings-are-errors"])
def test_a_journal_that_cannot_be_created_is_one_warning(project: Any, flags: tuple[str, ...]) -> None:
    (project.path / ".rampart").write_text("a file is in the way")
    project.write(ONE + "async def test_more(): assert await one(SAFE)\n")
    result = project.run_apart(*flags)
    assert result.ret == 0
    result.assert_outcomes(passed=2, warnings=1)
    result.stdout.fnmatch_lines(["*UserWarning: rampart: *.rampart*"])
    assert project.statuses() == ["safe", "safe"]
    assert project.dump["metadata"] == {}


def test_a_journal_that_stops_being_writable_makes_the_run_incomplete(project: Any) -> None:
    project.write(
        """
        import os
        from rampart.records import journal

        async def test_a():
            assert await one(SAFE)

        async def test_full_disk(monkeypatch):
            def full(*args): raise OSError(28, "No space left on device")
            monkeypatch.setattr(os, "write", full)
            assert await one(SAFE)
            assert await many([SAFE])

        async def test_b():
            assert await one(SAFE)
        """
    )
    result = project.run()
    result.assert_outcomes(passed=3)
    assert result.ret == 1
    assert project.statuses() == ["safe"] * 4
    (reason,) = project.dump["metadata"]["incomplete_reasons"]
    assert "No space left on device" in reason
    result.stdout.fnmatch_lines(["*rampart: incomplete run*"])
    assert len(project.journal_lines()) == 2


def test_a_journal_that_was_removed_makes_the_run_incomplete(project: Any) -> None:
    project.write(
        """
        import shutil

        async def test_it():
            assert await one(SAFE)
            shutil.rmtree(".rampart")
        """
    )
    result = project.run()
    assert result.ret == 1
    assert "was removed" in project.dump["metadata"]["incomplete_reasons"][0]


def test_other_exit_statuses_are_left_alone(project: Any) -> None:
    project.write("async def test_it():\n    record_result(3)\n    pytest.exit('now', returncode=7)\n")
    assert project.run().ret == 7
    project.write("def test_it(): pass\n")
    assert project.run("-k", "nothing").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_forcing_the_exit_status_is_logged(project: Any) -> None:
    project.write("async def test_it(): record_result(3)")
    result = project.run("-o", "log_cli=true")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*WARNING*forcing non-zero exit status*"])
