"""Tests that fork: what the other process records is not in this one's report."""

import os
from typing import Any

import pytest

from rampart.records import iter_records

FORKS = """
    import os

    def in_a_fork(work):
        pid = os.fork()
        if pid == 0:
            try:
                work()
            finally:
                os._exit(0)
        os.waitpid(pid, 0)

    async def test_before(): assert await one(SAFE, "of the parent")

    def test_it():
        in_a_fork(lambda: {})

    def test_after(): assert one_now(SAFE, "of the parent")
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@pytest.mark.parametrize("journal", ["on", "off"])
def test_what_a_fork_records_makes_the_run_incomplete(project: Any, journal: str) -> None:
    project.write(FORKS.format("one_now(UNSAFE, 'of the fork')"))
    result = project.run_apart("-o", f"rampart_journal={journal}")
    result.assert_outcomes(passed=3)
    assert result.ret == 1
    (reason,) = project.dump["metadata"]["incomplete_reasons"]
    known = (
        "a process that was forked in test_it.py::test_it has recorded results that are not in this report"
    )
    where = {
        "on": "the journal has them in results.fork-<pid>.jsonl",
        "off": "they are lost, for want of a journal",
    }
    assert reason == f"{known}; {where[journal]}"
    assert project.statuses() == ["safe", "safe"]


def test_a_fork_writes_to_a_journal_of_its_own(project: Any) -> None:
    project.write(FORKS.format("one_now(UNSAFE, 'of the fork')"))
    project.run_apart()
    own, forked = sorted(project.journals, key=lambda path: "fork" in path.name)
    assert own.name == "results.jsonl"
    assert forked.name.startswith("results.fork-")
    assert forked.parent == own.parent
    assert [record.result.summary for record in iter_records(path=own)] == ["of the parent"] * 2
    assert [(record.pytest_nodeid, record.result.summary) for record in iter_records(path=forked)] == [
        ("test_it.py::test_it", "of the fork")
    ]


def test_a_fork_that_records_nothing_changes_nothing(project: Any) -> None:
    project.write(FORKS.format("None"))
    assert project.run_apart().ret == 0
    assert project.dump["metadata"] == {}
