"""pytest-xdist: until results of workers are gathered, the report says that they are missing."""

import os
import signal
import sys
import time
from typing import Any

import pytest

TWO = """
@pytest.mark.parametrize("number", range(4))
async def test_it(number):
    assert await one(SAFE, f"number {number}")
"""


def test_workers_write_journals_and_the_report_says_that_it_misses_them(project: Any) -> None:
    project.write(TWO)
    result = project.run_apart("-n", "2")
    result.assert_outcomes(passed=4)
    assert result.ret == 1
    reasons = project.dump["metadata"]["incomplete_reasons"]
    assert len(reasons) == 2
    assert project.dump["results"] == []
    for worker, reason in zip(("gw0", "gw1"), sorted(reasons), strict=True):
        assert reason == (
            f"results of worker {worker} are in the journal but not in this report; "
            "run without -n for a complete report"
        )
    result.stdout.fnmatch_lines(["*rampart: incomplete run*", "  - results of worker gw?*"])
    assert [path.name for path in project.journals] == ["results.gw0.jsonl", "results.gw1.jsonl"]
    assert len({path.parent for path in project.journals}) == 1
    assert sum(len(path.read_text().splitlines()) for path in project.journals) == 4


def test_without_results_a_parallel_run_is_complete(project: Any) -> None:
    project.write("@pytest.mark.parametrize('number', range(4))\ndef test_it(number): pass\n")
    result = project.run_apart("-n", "2")
    assert result.ret == 0
    assert project.dump["metadata"] == {}
    assert not project.journals


def test_the_journal_may_be_off(project: Any) -> None:
    project.write(TWO)
    result = project.run_apart("-n", "1", "-o", "rampart_journal=off")
    assert result.ret == 1
    (reason,) = project.dump["metadata"]["incomplete_reasons"]
    assert "no journal" in reason
    assert not project.journals


def test_one_process_without_distribution_is_an_ordinary_run(project: Any) -> None:
    project.write(TWO)
    assert project.run_apart("-n", "0").ret == 0
    assert len(project.statuses()) == 4


def test_a_worker_that_dies_makes_the_run_incomplete(project: Any) -> None:
    project.write(
        """
        import os

        async def test_a():
            assert await one(SAFE)
            os._exit(1)
        """
    )
    result = project.run_apart("-n", "1", "--max-worker-restart=0")
    assert result.ret == 1
    (reason,) = project.dump["metadata"]["incomplete_reasons"]
    assert reason.startswith("worker gw0 error: ")
    assert len(project.journals) == 1


def test_what_went_wrong_in_a_worker_is_told(project: Any) -> None:
    project.write("async def test_a(): record_result(3)\n")
    result = project.run_apart("-n", "1")
    assert result.ret == 1
    (reason,) = project.dump["metadata"]["incomplete_reasons"]
    assert reason.startswith("worker gw0: a result of test_it.py::test_a could not be collected: TypeError")


def test_first_failure_stops_a_parallel_run_as_xdist_does(project: Any) -> None:
    project.write("def test_a(): assert 0\ndef test_b(): assert 0\n")
    assert project.run_apart("-n", "2", "-x").ret == pytest.ExitCode.INTERRUPTED


def test_pytest_without_xdist(project: Any) -> None:
    project.write("async def test_it(): assert await one(SAFE)\n")
    assert project.run("-p", "no:xdist").ret == 0
    assert project.statuses() == ["safe"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX systems")
def test_a_stop_signal_to_all_processes_lets_workers_clean_up(project: Any) -> None:
    project.write(
        """
        import pathlib

        @pytest.fixture
        async def opened():
            yield
            pathlib.Path("closed").touch()

        class Slow(Fixed):
            async def _execute_async(self, *, adapter):
                pathlib.Path("ready").touch()
                await asyncio.sleep(60)

        async def test_it(opened):
            assert await one(SAFE)
            assert await Slow().execute_async(adapter=agent())
        """
    )
    process = project.start("-n", "1", start_new_session=True)
    deadline = time.monotonic() + 30
    while not (project.path / "ready").exists():
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGTERM)
    output = process.communicate(timeout=30)[0]
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert (project.path / "closed").exists()
    assert "  - the run was interrupted" in output
    assert [line["result"]["status"] for line in project.journal_lines()] == ["safe", "error"]
