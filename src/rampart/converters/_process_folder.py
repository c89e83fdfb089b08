"""A temporary folder that lives as long as the process."""

from __future__ import annotations

import atexit
import multiprocessing.util
import os
import shutil
import tempfile
from pathlib import Path

from rampart.converters._fork_safe_lock import ForkSafeLock


class _ProcessFolder:
    """Made at its first use, removed when the process that made it ends.

    A process that was forked goes on in its parent's folder while that exists, and does not remove it.
    """

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._path: Path | None = None

    def path(self) -> Path:
        with self._lock:
            if self._path is None or not self._path.is_dir():
                self._path = self._made()
            return self._path

    @staticmethod
    def _made() -> Path:
        path = Path(tempfile.mkdtemp(prefix="rampart-payloads-"))
        owner = os.getpid()

        def remove() -> None:
            if os.getpid() == owner:
                shutil.rmtree(path, ignore_errors=True)

        atexit.register(remove)
        # The children of multiprocessing leave without the functions of atexit, but run these.
        multiprocessing.util.Finalize(None, remove, exitpriority=0)
        return path


_FOLDER = _ProcessFolder()


def process_folder() -> Path:
    """The folder; it exists."""
    return _FOLDER.path()
