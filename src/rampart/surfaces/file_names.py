"""Files that are known by several names, of which two must not be planted in at once.

Hard links, bind mounts and file systems that ignore case give a file names that look like those of two files.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from rampart.core.errors import InfrastructureError

if TYPE_CHECKING:
    from pathlib import Path

_planted: dict[tuple[int, int], Path] = {}
_lock = threading.Lock()


def isolation_key(path: Path) -> str:
    """The file itself: its path, or what all of its names have in common if it is known to have several."""
    with suppress(OSError):
        about = os.stat(path, follow_symlinks=False)  # noqa: PTH116 - reads like the others here
        if about.st_nlink > 1:
            return f"file:{about.st_dev}:{about.st_ino}"
    return f"file:{os.path.normcase(path)}"


def claim_file(path: Path) -> tuple[int, int] | None:
    """Claim an existing file for this process, whatever its name; None if it does not exist.

    Raises:
        InfrastructureError: If something is planted in it under another name.
    """
    with _lock:
        file = _identity(path)
        if file is None:
            return None
        other = _planted.get(file)
        # The number of a file that was removed meanwhile may be that of another one by now.
        if other is not None and other != path and _identity(other) == file:
            msg = f"it is the same file as {other}, which holds another payload: run them one after another"
            raise InfrastructureError(msg)
        _planted[file] = path
        return file


def leave_file(path: Path, file: tuple[int, int] | None) -> None:
    """Give the claim up; one that is somebody else's by now stays."""
    with _lock:
        if file is not None and _planted.get(file) == path:
            del _planted[file]


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        about = path.lstat()
    except OSError:
        return None
    return about.st_dev, about.st_ino
