"""Running the demo's suite with pytest in a process of its own, and following its journal meanwhile."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rampart.demo.claims import CLAIMS
from rampart.demo.workspace import Workspace
from rampart.records.reader import iter_records
from rampart.records.record import ResultRecord

_LOOK_EVERY_S = 0.2
_FAREWELL_S = 40.0
"""Time for an interrupted run to undo and write what it must: more than one cleanup limit."""

_KILLED_BY = 128
"""What shells add to the number of the signal that ended a command."""

_FOREIGN_SETTINGS = (
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "PYTEST_CURRENT_TEST",
)


@dataclass(frozen=True, kw_only=True)
class SuiteRun:
    """What came out of a run.

    Attributes:
        exit_status: pytest's; negative when a signal ended it.
        records: All trials, in order of completion.
        journal: The file they were read from; None when nothing was recorded.
        report: The JSON report; None when there is none.
    """

    exit_status: int
    records: list[ResultRecord] = field(default_factory=list)
    journal: Path | None = None
    report: Path | None = None


def run_suite(
    workspace: Workspace, *, settings: Mapping[str, str], follow: Callable[[list[ResultRecord]], None]
) -> SuiteRun:
    """Run the suite in `workspace`.

    Args:
        workspace: Prepared before.
        settings: Environment variables that choose the model.
        follow: Called every now and then with all trials recorded so far.
    """
    journals, reports = workspace.journals(), workspace.reports()
    with _stopped_by_sigterm(), workspace.pytest_output.open("wb") as output:
        # A list of our own words, no shell.
        process = subprocess.Popen(  # noqa: S603 - see above
            _command(workspace),
            cwd=workspace.root,
            env=_environment(settings),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            exit_status = None
            while exit_status is None:
                exit_status = _wait(process, _LOOK_EVERY_S)
                follow(_read(_newest(workspace.journals() - journals)))
        finally:
            _see_off(process)
    journal = _newest(workspace.journals() - journals)
    return SuiteRun(
        exit_status=process.returncode,
        records=_read(journal),
        journal=journal,
        report=_newest(workspace.reports() - reports),
    )


def _command(workspace: Workspace) -> list[str]:
    files = [str(workspace.suite / claim.file) for claim in CLAIMS]
    options = ["-c", str(workspace.pytest_ini), "--rootdir", str(workspace.root), "-p", "no:cacheprovider"]
    # -P: a folder that happens to hold a pytest.py or a rampart/ must not replace the real one.
    return [sys.executable, "-P", "-m", "pytest", *options, *files]


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _FOREIGN_SETTINGS}
    return {**kept, "PYTHONIOENCODING": "utf-8", **settings}


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None


def _see_off(process: subprocess.Popen[bytes]) -> None:
    """Leave no process behind: end one that still runs in the way it can finish its records."""
    if process.poll() is None:
        process.terminate()
        if _wait(process, _FAREWELL_S) is None:
            process.kill()
            process.wait()


@contextmanager
def _stopped_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end this process in order, so that it takes the other one with it.

    A handler that somebody else has set is left alone.
    """
    unset = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if not unset or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(_KILLED_BY + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _newest(paths: set[Path]) -> Path | None:
    return max(paths, default=None)


def _read(journal: Path | None) -> list[ResultRecord]:
    return [] if journal is None else list(iter_records(path=journal))
