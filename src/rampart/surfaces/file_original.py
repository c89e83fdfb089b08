"""The original of a file that holds a payload, kept where a later run finds it if this one is killed.

It lies among the temporary files, where no agent that looks around beside the file sees it, and is gone
when the file is as it was. A lock on it says that its process still lives.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from rampart.core.errors import InfrastructureError
from rampart.surfaces.file_disk import FileOnDisk, write_all
from rampart.surfaces.private_file import PRIVATE, digest, lock, private_path

_ATTEMPTS = 100
_PAUSE_S = 0.001
_HEADER_BYTES = 1 << 16


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
        path: Where it is written down: a line of JSON, and then the original content.
        left_behind: What a killed run had planted in the file; None if there was none.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        descriptor = _locked(path)
        self._descriptor: int | None = descriptor
        self._has_content = os.fstat(descriptor).st_size > 0
        try:
            self.left_behind = _decoded(path.read_bytes()) if self._has_content else None
        except (KeyError, TypeError, AttributeError) as error:
            self.let_go()
            msg = f"{path} is no record of a planted file that can be read: see what it holds, and remove it"
            raise InfrastructureError(msg) from error
        except BaseException:
            self.let_go()
            raise

    @classmethod
    def claim(cls, path: Path) -> Self:
        """Claim a file, whether or not it exists.

        Raises:
            FileInUseError: If another handle holds it, of this process or another one.
            InfrastructureError: If what is written down of it cannot be read.
            OSError: If there is nowhere to keep the original.
        """
        return cls(private_path("original", digest(os.fsencode(path))[:32]))

    @classmethod
    def abandoned(cls) -> list[Self]:
        """What killed runs have left, claimed."""
        found = []
        pattern = private_path("original", "*")
        for path in sorted(pattern.parent.glob(pattern.name)):
            with suppress(OSError, InfrastructureError):
                record = cls(path)
                if record.left_behind is None:
                    record.release()
                else:
                    found.append(record)
        return found

    def save(self, planting: Planting) -> None:
        """Write down what is about to be done."""
        assert self._descriptor is not None  # nobody saves after the release
        if self._has_content:
            os.ftruncate(self._descriptor, 0)
        write_all(self._descriptor, _encoded(planting))

    def release(self) -> None:
        """Forget the planting: the file is as it was, or cannot be helped."""
        if self._descriptor is not None:
            self.path.unlink(missing_ok=True)
            self.let_go()

    def let_go(self) -> None:
        """Give up the claim, and leave the record to whoever comes next."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _locked(record: Path) -> int:
    """An open file that nobody else holds."""
    about: dict[str, Any] = {}
    for _ in range(_ATTEMPTS):
        descriptor = os.open(record, PRIVATE, 0o600)
        try:
            _require_ours(record, descriptor)
            if lock(descriptor):
                if _is_there(record, descriptor):
                    return descriptor
            else:
                about = _header(os.read(descriptor, _HEADER_BYTES))
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if about:
            break
        time.sleep(_PAUSE_S)  # its holder is about to write it, or has just released it
    who = f"payload {about.get('payload_id')!r}, planted by process {about.get('process')}"
    msg = f"the file holds {who if about else 'another payload'}: run them one after another"
    raise FileInUseError(msg)


def _is_there(record: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), record.lstat())
    except FileNotFoundError:
        return False


def _require_ours(record: Path, descriptor: int) -> None:
    """Refuse what somebody else put there, who could say what to write where."""
    about = os.fstat(descriptor)
    if sys.platform != "win32" and about.st_uid != os.geteuid():
        msg = f"{record}, where the original would be kept, belongs to another user: remove it"
        raise PermissionError(msg)
    if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:  # to write there would destroy another file
        msg = f"{record}, where the original would be kept, is no file of its own: remove it"
        raise PermissionError(msg)


def _encoded(planting: Planting) -> bytes:
    found = planting.found
    about = {
        "path": os.fspath(planting.path),
        "payload_id": planting.payload_id,
        "process": os.getpid(),
        "planted": planting.planted,
        "folders": [os.fspath(folder) for folder in planting.folders],
        "found": None
        if found is None
        else {"bytes": len(found.content), "mode": found.mode, "times_ns": found.times_ns},
    }
    return json.dumps(about).encode() + b"\n" + (found.content if found else b"")


def _header(data: bytes) -> dict[str, Any]:
    try:
        about = json.loads(data.partition(b"\n")[0])
    except ValueError:
        return {}
    return about if isinstance(about, dict) else {}


def _decoded(data: bytes) -> Planting | None:
    """What a record says; None if it was never completed, so that nothing was planted."""
    about = _header(data)
    if not about:
        return None
    content, was = data.partition(b"\n")[2], about["found"]
    if was is not None and was["bytes"] != len(content):
        return None
    return Planting(
        path=Path(about["path"]),
        payload_id=about["payload_id"],
        planted=about["planted"],
        found=None
        if was is None
        else FileOnDisk(content=content, mode=was["mode"], times_ns=tuple(was["times_ns"])),
        folders=[Path(folder) for folder in about["folders"]],
    )
