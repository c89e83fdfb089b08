"""The report of a run as a JSON file."""

from __future__ import annotations

import datetime as dt
import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from rampart.reporting.report_json import write_report

if TYPE_CHECKING:
    from rampart.core.report import TestRunReport

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class JsonFileReportSink:
    """Writes each report to a file of its own: `run_report_<UTC YYYY-MM-DDTHH-MM-SS-mmm>.json`.

    The file appears under its name when it is complete, and no existing file is ever replaced; where the
    name is taken, a random UUID is appended. A failure leaves nothing behind.

    Args:
        output_dir: The folder; it is made when the first report is written.
    """

    def __init__(self, *, output_dir: Path) -> None:
        self._folder = Path(output_dir)

    async def emit_async(self, *, report: TestRunReport) -> None:
        """Write `report`.

        Raises:
            OSError: If the file cannot be written.
        """
        self._emit(report)

    def _emit(self, report: TestRunReport) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        name = f"run_report_{_timestamp()}"
        temporary = self._folder / f".{name}.{uuid.uuid4().hex}.tmp"
        try:
            with os.fdopen(os.open(temporary, _NEW_FILE, 0o666), "wb") as file:
                write_report(file, report)
                file.flush()
                os.fsync(file.fileno())
            try:
                _publish(temporary, self._folder / f"{name}.json")
            except FileExistsError:
                _publish(temporary, self._folder / f"{name}-{uuid.uuid4()}.json")
        finally:
            temporary.unlink(missing_ok=True)


def _timestamp() -> str:
    now = _now()
    return f"{now:%Y-%m-%dT%H-%M-%S}-{now.microsecond // 1000:03d}"


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _publish(temporary: Path, final: Path) -> None:
    """Give the finished file its name.

    Raises:
        FileExistsError: If there is a file of this name.
    """
    try:
        final.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links: reserve the name, then replace what is our own.
        os.close(os.open(final, _NEW_FILE, 0o666))
        try:
            temporary.replace(final)
        except BaseException:
            final.unlink(missing_ok=True)
            raise
