"""Saying to other processes that a run is going on, so that they leave its folder alone."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if sys.platform != "win32":  # where an open file cannot be removed anyway
    import fcntl

if TYPE_CHECKING:
    from pathlib import Path


def hold(descriptor: int) -> None:
    """Keep a file of the run locked, until it is closed or the process ends, however it does."""
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:  # not every file system can; the journal is no worse than without
            return


def is_held(folder: Path) -> bool:
    """Whether some process holds a file of the run."""
    return any(_is_locked(path) for path in folder.glob("*.jsonl"))


def _is_locked(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # as above
        return False
    finally:
        os.close(descriptor)
    return False
