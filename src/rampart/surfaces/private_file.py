"""Files among the temporary files of which only their owner knows."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

if sys.platform != "win32":
    import fcntl

PRIVATE = (  # nobody else reads it, and no link of somebody else is followed
    os.O_RDWR
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def digest(content: bytes) -> str:
    """The SHA-256 of some content, in hex."""
    return hashlib.sha256(content).hexdigest()


def private_path(what: str, name: str) -> Path:
    """A place among the temporary files, for this user alone; `*` as a name gives a pattern."""
    user = os.geteuid() if sys.platform != "win32" else "user"
    return Path(tempfile.gettempdir()) / f"rampart-{what}-{user}-{name}"


def is_ours(about: os.stat_result) -> bool:
    """Whether it is a file of this user."""
    return stat.S_ISREG(about.st_mode) and (sys.platform == "win32" or about.st_uid == os.geteuid())


def lock(descriptor: int) -> bool:
    """Whether an exclusive lock could be had; it ends with the process, or when the file is closed."""
    try:
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # not every file system can; then nobody can tell who lives
        return True
    return True
