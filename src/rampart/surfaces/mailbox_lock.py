"""Holding an mbox file so that no other program changes it meanwhile."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO
    from pathlib import Path

PATIENCE_S = 10.0
_LOOK_EVERY_S = 0.01


@contextmanager
def locked(path: Path, *, patience_s: float | None = None) -> Iterator[FileIO]:
    """Open an mbox file for reading and writing, under both locks that readers of mbox heed.

    These are `<path>.lock` and a POSIX record lock, as in the standard library's `mailbox` and in mail
    servers.

    Args:
        path: The file; it has to exist.
        patience_s: How long to wait for somebody else's lock, in seconds; None for `PATIENCE_S`.

    Raises:
        FileNotFoundError: If there is no such file.
        TimeoutError: If somebody else does not let go.
    """
    deadline = time.monotonic() + (PATIENCE_S if patience_s is None else patience_s)
    with _dot_locked(path, deadline), _opened(path, deadline) as file:
        yield file


@contextmanager
def _dot_locked(path: Path, deadline: float) -> Iterator[None]:
    lock = path.with_name(path.name + ".lock")
    held = False
    while not held:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            held = True
        except FileExistsError:
            _wait(deadline, f"{lock} is there; if no program holds it any more, remove it")
        except PermissionError:
            break  # nobody can lock like this there, so nobody does
    try:
        yield
    finally:
        if held:
            with suppress(FileNotFoundError):
                lock.unlink()


@contextmanager
def _opened(path: Path, deadline: float) -> Iterator[FileIO]:
    while True:
        with path.open("r+b", buffering=0) as file:
            _record_lock(file, path, deadline)
            # Readers replace the file by renaming; the one that was waited for may be gone.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                    yield file
                    return
        _wait(deadline, f"{path} is replaced again and again")


def _record_lock(file: FileIO, path: Path, deadline: float) -> None:
    if sys.platform == "win32":
        return
    while True:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):  # how systems say that another process holds it
            _wait(deadline, f"another program holds a lock on {path}")
        else:
            return


def _wait(deadline: float, why: str) -> None:
    if time.monotonic() > deadline:
        msg = f"the mbox file stayed locked: {why}"
        raise TimeoutError(msg)
    time.sleep(_LOOK_EVERY_S)
