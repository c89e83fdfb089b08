"""A file on disk as it was found, and changing it in place."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.core.errors import InfrastructureError

if TYPE_CHECKING:
    from pathlib import Path

_NO_RESERVATION = {errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS, errno.ENODEV}
# Links were followed before; a pipe that took the file's place must not block.
_CAREFULLY = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True, kw_only=True)
class FileOnDisk:
    """What a regular file is.

    Attributes:
        content: Its bytes.
        mode: Its permission bits.
        times_ns: When it was last read and changed, in nanoseconds.
    """

    content: bytes
    mode: int
    times_ns: tuple[int, int]


def look(path: Path) -> FileOnDisk | None:
    """The file at a path without links in it, None if there is nothing.

    Raises:
        InfrastructureError: If it is no regular file.
        OSError: If it cannot be both read and written.
    """
    try:
        about = path.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(about.st_mode):
        kind = "a folder" if stat.S_ISDIR(about.st_mode) else "no regular file"
        msg = f"it is {kind}; name a file"
        raise InfrastructureError(msg)
    with os.fdopen(os.open(path, os.O_RDWR | _CAREFULLY), "rb") as file:
        about = os.fstat(file.fileno())
        content = file.read()
    times_ns = about.st_atime_ns, about.st_mtime_ns
    return FileOnDisk(content=content, mode=stat.S_IMODE(about.st_mode), times_ns=times_ns)


def create(path: Path, content: bytes) -> None:
    """Make a file that does not exist.

    Raises:
        FileExistsError: If it does exist.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFULLY, 0o666)
    try:
        write_all(descriptor, content)
    except BaseException:
        path.unlink()
        raise
    finally:
        os.close(descriptor)


def overwrite(path: Path, content: bytes) -> None:
    """Give an existing file other content, in place: owner, links and attributes stay.

    The room is reserved first where the system can do that, so a full disk leaves the content as it was.
    """
    descriptor = os.open(path, os.O_WRONLY | _CAREFULLY)
    try:
        before = os.fstat(descriptor)
        if len(content) > before.st_size:
            try:
                _reserve(descriptor, len(content))
            except OSError:
                os.ftruncate(descriptor, before.st_size)
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
                raise
        write_all(descriptor, content)
        os.ftruncate(descriptor, len(content))
    finally:
        os.close(descriptor)


def restore(path: Path, found: FileOnDisk, *, mode_then: int | None) -> None:
    """Give a file the content and times it had, and its permissions where writing took some away.

    Args:
        path: The file.
        found: What it was before it was written to.
        mode_then: Its permissions after the first writing; other ones now are somebody else's. None: it was
            never finished.
    """
    ours = mode_then is None or permissions(path) == mode_then
    overwrite(path, found.content)
    if ours and permissions(path) != found.mode:
        path.chmod(found.mode)
    os.utime(path, ns=found.times_ns)


def permissions(path: Path) -> int:
    """The permission bits of a file."""
    return stat.S_IMODE(path.lstat().st_mode)


def remove_empty(folders: list[Path]) -> None:
    """Remove folders, innermost first, unless there is something in them."""
    for folder in reversed(folders):
        with suppress(OSError):
            folder.rmdir()


def write_all(descriptor: int, content: bytes) -> None:
    """Write at the current position of an open file, all of it."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _reserve(descriptor: int, size: int) -> None:
    if not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError as error:
        if error.errno not in _NO_RESERVATION:
            raise
