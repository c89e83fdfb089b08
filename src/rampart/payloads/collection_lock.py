"""One writer of a collection at a time, over all threads and processes of a machine."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def writing_alone(folder: Path) -> Iterator[None]:
    """Hold the folder of a collection for writing, waiting for whoever holds it.

    The lock is on the folder itself, leaves no file behind, and ends with its process. On Windows, and on
    file systems without such locks, nothing is held: there writers have to take turns by themselves.

    Raises:
        OSError: If the folder cannot be opened, because it was removed for example.
    """
    if sys.platform == "win32":
        yield
        return
    held = _Folder()
    try:
        while not held.is_locked(folder):
            held.close()
        yield
    finally:
        held.close()


if sys.platform != "win32":
    import fcntl

    class _Folder:
        """An open folder that is closed at the latest when nobody refers to it any more.

        Ctrl-C may come at any line, that of closing included, and nobody could write again if it stayed open.
        """

        def __init__(self) -> None:
            self._descriptors: list[int] = []

        def is_locked(self, folder: Path) -> bool:
            """Open and lock it; False if it was replaced by another one during the wait."""
            self._descriptors.append(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
            with suppress(OSError):  # no locks here, as on some network file systems
                fcntl.flock(self._descriptors[-1], fcntl.LOCK_EX)
            return os.path.samestat(os.fstat(self._descriptors[-1]), folder.stat())

        def close(self) -> None:
            """Give the lock back."""
            while self._descriptors:
                os.close(self._descriptors.pop())

        def __del__(self) -> None:
            self.close()
