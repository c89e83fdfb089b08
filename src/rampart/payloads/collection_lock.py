"""One writer of a collection at a time, over all threads and processes of a machine."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
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
    descriptor = _locked(folder)
    try:
        yield
    finally:
        os.close(descriptor)


if sys.platform != "win32":
    import fcntl

    def _locked(folder: Path) -> int:
        while True:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                _wait_for(descriptor)
                # Whoever was waited for may have deleted the folder, and another may be there by now.
                if os.path.samestat(os.fstat(descriptor), folder.stat()):
                    return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)

    def _wait_for(descriptor: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except InterruptedError:
            raise
        except OSError:
            return  # no locks here, as on some network file systems
