"""The journal of a run: each record on disk as soon as there is one."""

from __future__ import annotations

import os
import re
import threading
from typing import TYPE_CHECKING

from rampart.core.errors import RampartError
from rampart.records.codec import encode_prepared, encode_record
from rampart.records.population import Population, encode_population
from rampart.records.prepare import prepare_record
from rampart.records.run_folders import (
    DEFAULT_KEPT_RUNS,
    RUNS,
    is_run_id,
    make_run_folder,
    new_run_id,
    prune_runs,
)
from rampart.records.run_lock import hold

if TYPE_CHECKING:
    from pathlib import Path

    from rampart.core.result import Result
    from rampart.records.record import ResultRecord

_WORKER_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OWNER_ONLY = 0o600
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)


class JournalUnavailableError(RampartError):
    """The journal cannot be created; the run can go on without one."""


class JournalWriteError(RampartError):
    """The journal cannot be written to any more; the run is incomplete."""


class Journal:
    """Appends records and populations to the file of one run, one line each.

    The run's folder appears with the first line, and old runs make way for it. A line is handed to the
    operating system whole and at once, so that a killed process loses only what was in flight. Lines may
    be written from several threads.

    Args:
        root: pytest's root directory; the file is
            `<root>/.rampart/runs/<run id>/results[.<worker id>].jsonl`.
        run_id: The run's id; a new one if None.
        worker_id: The id of the process that writes, where several write to one run. Such a process
            leaves old runs alone.
        keep: How many runs are kept, this one included; 0 keeps all.

    Raises:
        ValueError: If the run id or the worker id cannot be part of a file name.
    """

    def __init__(
        self,
        *,
        root: Path,
        run_id: str | None = None,
        worker_id: str | None = None,
        keep: int = DEFAULT_KEPT_RUNS,
    ) -> None:
        if run_id is not None and not is_run_id(run_id):
            raise ValueError(f"expected a run id like {new_run_id()!r}, got {run_id!r}")
        if worker_id is not None and _WORKER_ID.fullmatch(worker_id) is None:
            raise ValueError(f"expected a worker id of letters, digits, _ and -, got {worker_id!r}")
        self.run_id = new_run_id() if run_id is None else run_id
        self._root = root
        self._keep = 0 if worker_id is not None else keep
        self._name = "results.jsonl" if worker_id is None else f"results.{worker_id}.jsonl"
        self._descriptor: int | None = None
        self._closed = False
        self._torn = False
        self._lock = threading.Lock()

    @property
    def path(self) -> Path:
        """The file, whether it exists yet or not."""
        return self._root / RUNS / self.run_id / self._name

    @property
    def started(self) -> bool:
        """Whether anything was written, so that the file exists."""
        return self._descriptor is not None

    def prune(self) -> None:
        """Remove runs beyond the newest; failing to is logged and harms nothing."""
        prune_runs(self._root, keep=self._keep, current=self.run_id)

    def write_result(
        self, result: Result, *, pytest_nodeid: str | None = None, result_index: int | None = None
    ) -> None:
        """Prepare and append one result.

        Args:
            result: The result; it is left as it is.
            pytest_nodeid: The test that recorded it.
            result_index: Its place among the results of that test, from 0.

        Raises:
            JournalUnavailableError: If the file cannot be created.
            JournalWriteError: If it cannot be written to.
        """
        record = prepare_record(result=result, pytest_nodeid=pytest_nodeid, result_index=result_index)
        self._append(encode_prepared(record) + b"\n")

    def write_record(self, record: ResultRecord) -> None:
        """Append a record that exists already.

        Raises:
            JournalUnavailableError: If the file cannot be created.
            JournalWriteError: If it cannot be written to.
            SchemaError: If the record holds what the format cannot.
        """
        self._append(encode_record(record) + b"\n")

    def write_population(self, population: Population) -> None:
        """Append the figures of a population whose trials are over.

        Raises:
            JournalUnavailableError: If the file cannot be created.
            JournalWriteError: If it cannot be written to.
            SchemaError: If a figure is missing or impossible.
        """
        self._append(encode_population(population) + b"\n")

    def close(self) -> None:
        """Close the file; later lines are refused. Closing again does nothing.

        Raises:
            JournalWriteError: If the file was removed while the run was going on.
        """
        with self._lock:
            self._closed = True
            descriptor, self._descriptor = self._descriptor, None
            if descriptor is None:
                return
            removed = os.fstat(descriptor).st_nlink == 0
            os.close(descriptor)
        if removed:
            raise JournalWriteError(f"the journal {self.path} was removed while the run was going on")

    def _append(self, line: bytes) -> None:
        with self._lock:
            if self._closed:
                raise JournalWriteError(f"the journal {self.path} is closed")
            if self._descriptor is None:
                self._descriptor = self._created()
            try:
                self._write(self._descriptor, b"\n" + line if self._torn else line)
            except OSError as error:
                raise JournalWriteError(
                    f"the journal {self.path} cannot be written to: {error.strerror}"
                ) from error

    def _created(self) -> int:
        try:
            make_run_folder(self._root, self.run_id)
            descriptor = os.open(self.path, _FLAGS, _OWNER_ONLY)
        except OSError as error:
            raise JournalUnavailableError(
                f"the journal {self.path} cannot be created: {error.strerror}; make the folder writable, or "
                "set rampart_journal = off"
            ) from error
        hold(descriptor)
        self.prune()
        return descriptor

    def _write(self, descriptor: int, line: bytes) -> None:
        """Write the whole line or nothing of it; what can be done about neither is remembered."""
        written = 0
        torn_before = self._torn
        try:
            while written < len(line):
                written += os.write(descriptor, memoryview(line)[written:])
        except BaseException:
            self._torn = torn_before or not self._taken_back(descriptor, written)
            raise
        self._torn = False

    @staticmethod
    def _taken_back(descriptor: int, written: int) -> bool:
        """Cut off the beginning of a line whose rest could not be written."""
        if written == 0:
            return True
        try:
            end = os.lseek(descriptor, 0, os.SEEK_CUR)
            if os.fstat(descriptor).st_size != end:
                return False  # another process has written behind it
            os.ftruncate(descriptor, end - written)
        except OSError:
            return False
        return True
