"""Writing results down as they come, so that a killed run loses only what was in flight."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

from rampart.core.log import log

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rampart.core.result import Result
    from rampart.records.journal import Journal


class RunJournal:
    """The journal of one run, as the plugin uses it: nothing that goes wrong with it fails a test.

    What writes records is imported with the first result, so that other runs need not pay for it.

    Args:
        root: pytest's root directory.
        enabled: Whether anything is written.
        keep: How many runs stay on disk; 0 keeps all.
        run_id: The id that the main process chose; None chooses one.
        worker_id: The name of this worker; None in the main process.

    Attributes:
        on_failure: Called with a reason when something could not be written.
    """

    def __init__(
        self, *, root: Path, enabled: bool, keep: int, run_id: str | None = None, worker_id: str | None = None
    ) -> None:
        self.on_failure: Callable[[str], None] = log.error
        self._root = root
        self._enabled = enabled
        self._keep = keep
        self._run_id = run_id
        self._worker_id = worker_id
        self._journal: Journal | None = None

    @property
    def run_id(self) -> str:
        """The id of the run."""
        if self._run_id is None:
            from rampart.records.run_folders import new_run_id  # noqa: PLC0415  # see the class

            self._run_id = new_run_id()
        return self._run_id

    @property
    def path(self) -> Path | None:
        """The file; None if there is none."""
        return self._journal.path if self._journal is not None and self._journal.started else None

    def write_result(self, recorded: Result) -> None:
        """Append a result."""
        if self._enabled:
            metadata = recorded.metadata
            self._write(
                lambda journal: journal.write_result(
                    recorded,
                    pytest_nodeid=metadata.get("_pytest_nodeid"),
                    result_index=metadata.get("_rampart_result_index"),
                )
            )

    def write_population(self, figures: dict[str, Any]) -> None:
        """Append the figures of a population."""
        if self._enabled:
            self._write(lambda journal: journal.write_population(figures))

    def continue_in_fork(self) -> None:
        """Write to a file of this process from now on: two that write to one cannot tell what is whose."""
        before = self._worker_id
        name = f"fork-{os.getpid()}"
        self._worker_id = name if before is None else f"{before}-{name}"
        self._journal = None

    def close(self) -> None:
        """Close the file; nothing more is written."""
        self._enabled = False
        if self._journal is not None:
            try:
                self._journal.close()
            except Exception as error:  # removed by somebody, for one
                self._fail(error)

    def _write(self, write: Callable[[Journal], None]) -> None:
        from rampart.records.journal import (  # noqa: PLC0415  # see the class
            Journal,
            JournalUnavailableError,
        )

        try:
            if self._journal is None:
                self._journal = Journal(
                    root=self._root, run_id=self.run_id, worker_id=self._worker_id, keep=self._keep
                )
            write(self._journal)
        except JournalUnavailableError as error:
            self._enabled = False
            _warn(str(error))
        except Exception as error:  # a full disk, for one
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        log.exception("a result could not be written to the journal")
        self.on_failure(f"a result could not be written to the journal: {error}")


def _warn(text: str) -> None:
    """Warn in a way that fails no test, even where warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(f"rampart: {text}", UserWarning, stacklevel=2)
