"""The original of a file that holds a payload, kept where a later run finds it if this one is killed.

It lies in a folder of its own among the temporary files, where no agent that looks around beside the
file sees it, and is gone when the file is as it was. A lock on it says that its process still lives.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from rampart.core.errors import InfrastructureError
from rampart.surfaces.file_disk import FileOnDisk, write_all

if sys.platform != "win32":  # there, a record of another process counts as left behind
    import fcntl

_NEWS_S = 100
_EXCLUSIVE = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class FileInUseError(InfrastructureError):
    """Somebody who still lives has planted something in the file."""


@dataclass(frozen=True, kw_only=True)
class Planting:
    """What was done to a file.

    Attributes:
        path: The file.
        payload_id: The payload's id.
        planted: The SHA-256 of what the file holds since, in hex.
        found: What it was before; None if it did not exist.
        folders: The folders that were made for it, outermost first.
    """

    path: Path
    payload_id: str
    planted: str
    found: FileOnDisk | None
    folders: list[Path]


class OriginalRecord:
    """The claim of one planting on one file, and what a later run needs to take it back.

    Attributes:
        path: Where it is written down.
        left_behind: What a killed run had planted in the file; None if there was none.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor: int | None = descriptor
        self.left_behind = _read(path)

    @classmethod
    def claim(cls, path: Path) -> Self:
        """Claim a file, whether or not it exists.

        Raises:
            FileInUseError: If another handle holds it, of this process or another one.
            OSError: If there is nowhere to keep the original.
        """
        record = _folder_path() / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:32]}.json"
        return cls(record, _locked(record))

    @classmethod
    def abandoned(cls) -> list[Self]:
        """What killed runs have left, claimed."""
        found = []
        for path in sorted(_folder_path().glob("*.json")):
            with suppress(OSError, FileInUseError):
                record = cls(path, _locked(path))
                if record.left_behind is None:
                    record.release()
                else:
                    found.append(record)
        return found

    @property
    def original_path(self) -> Path:
        """Where the original content lies."""
        return self.path.with_suffix(".original")

    def save(self, planting: Planting) -> None:
        """Write down what is about to be done."""
        assert self._descriptor is not None  # nobody saves after the release
        if planting.found is not None:
            _write_private(self.original_path, planting.found.content)
        os.ftruncate(self._descriptor, 0)
        write_all(self._descriptor, _encoded(planting))

    def keep(self) -> Path | None:
        """Keep the original after the release too; None if there is none to keep.

        Returns:
            Where it lies then.
        """
        if not self.original_path.exists():
            return None
        number = 1
        while (kept := self.path.with_suffix(f".{number}.kept")).exists():
            number += 1
        return self.original_path.rename(kept)

    def release(self) -> None:
        """Forget the planting: the file is as it was, or cannot be helped."""
        if self._descriptor is None:
            return
        self.original_path.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)
        self.let_go()
        with suppress(OSError):  # others have something in it
            self.path.parent.rmdir()

    def let_go(self) -> None:
        """Give up the claim, and leave the record to whoever comes next."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def digest(content: bytes) -> str:
    """The SHA-256 of the content of a file, in hex."""
    return hashlib.sha256(content).hexdigest()


def _folder_path() -> Path:
    user = os.getuid() if sys.platform != "win32" else "user"
    return Path(tempfile.gettempdir()) / f"rampart-originals-{user}"


def _make_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    about = folder.lstat()
    if sys.platform != "win32" and (
        not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o077
    ):
        msg = f"originals are kept in {folder}, which is not a folder for you alone: remove it"
        raise PermissionError(msg)


def _locked(record: Path) -> int:
    """An open file that nobody else holds."""
    for _ in range(_NEWS_S):
        _make_folder(record.parent)
        try:
            descriptor = os.open(record, _EXCLUSIVE, 0o600)
        except FileNotFoundError:  # the folder was empty and is gone
            continue
        try:
            _lock(record, descriptor)
            if os.path.lexists(record) and os.path.samestat(os.fstat(descriptor), record.lstat()):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # its holder has just released it
    msg = f"the claim {record} changes hands all the time"
    raise FileInUseError(msg)


def _lock(record: Path, descriptor: int) -> None:
    try:
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        about = _json(record)
        who = f"payload {about.get('payload_id')!r}, planted by process {about.get('process')}"
        msg = f"the file holds {who if about else 'another payload'}: run them one after another"
        raise FileInUseError(msg) from None
    except OSError:  # not every file system can; then nobody can tell who lives
        return


def _json(record: Path) -> dict[str, Any]:
    try:
        about = json.loads(record.read_bytes())
    except (OSError, ValueError):  # it is still being written: nothing is planted before it is complete
        return {}
    return about if isinstance(about, dict) else {}


def _encoded(planting: Planting) -> bytes:
    found = planting.found
    about = {
        "path": os.fspath(planting.path),
        "payload_id": planting.payload_id,
        "planted": planting.planted,
        "found": None if found is None else {"mode": found.mode, "times_ns": found.times_ns},
        "folders": [os.fspath(folder) for folder in planting.folders],
        "process": os.getpid(),
    }
    return json.dumps(about).encode()


def _read(record: Path) -> Planting | None:
    about = _json(record)
    if not about:
        return None
    found = None
    if about["found"] is not None:
        content = record.with_suffix(".original").read_bytes()
        mode, times_ns = about["found"]["mode"], tuple(about["found"]["times_ns"])
        found = FileOnDisk(content=content, mode=mode, times_ns=times_ns)
    return Planting(
        path=Path(about["path"]),
        payload_id=about["payload_id"],
        planted=about["planted"],
        found=found,
        folders=[Path(folder) for folder in about["folders"]],
    )


def _write_private(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, _EXCLUSIVE | os.O_EXCL, 0o600)
    try:
        write_all(descriptor, content)
    finally:
        os.close(descriptor)
