"""What a planting did, written down where a later run finds it if this one is killed.

It lies among the temporary files, readable by this user alone, and is gone when the place is as it was. A
lock on it says that its process still lives.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from rampart.surfaces.file_disk import write_all
from rampart.surfaces.private_file import PRIVATE, digest, is_ours, lock, private_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PATTERN_LENGTH = 20


class PlantingRecord:
    """A line of JSON that says what was done, and below it what the place held before.

    Attributes:
        path: Where it is written down.
        about: What was done.
        original: What the place held before.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.about: dict[str, Any] = {}
        self.original = b""
        self._descriptor: int | None = descriptor

    @classmethod
    def write(cls, *, kind: str, place: str, about: Mapping[str, object], original: bytes = b"") -> Self:
        """Write down what is about to be done.

        Args:
            kind: The kind of place, in one word.
            place: Which one; later runs look for what was left there.
            about: What is done, as JSON.
            original: What the place holds.

        Raises:
            OSError: If there is nowhere to write.
        """
        path = private_path(kind, f"{_name(place)}-{secrets.token_hex(8)}")
        record = cls(path, os.open(path, PRIVATE | os.O_EXCL, 0o600))
        try:
            lock(record._open_descriptor)
            head = json.dumps({**about, "process": os.getpid(), "bytes": len(original)})
            write_all(record._open_descriptor, head.encode() + b"\n" + original)
        except BaseException:
            record.release()
            raise
        return record

    @classmethod
    def abandoned(cls, *, kind: str, place: str) -> list[Self]:
        """What killed runs have left at a place, locked; nothing where nobody can tell who lives."""
        found: list[Self] = []
        if sys.platform == "win32":
            return found
        pattern = private_path(kind, f"{_name(place)}-*")
        for path in sorted(pattern.parent.glob(pattern.name)):
            with suppress(OSError):
                record = cls(path, os.open(path, PRIVATE & ~os.O_CREAT))
                if record._is_left_behind():
                    found.append(record)
        return found

    def release(self) -> None:
        """Forget it: the place is as it was, or cannot be helped."""
        self.path.unlink(missing_ok=True)
        self.let_go()

    def let_go(self) -> None:
        """Leave it to whoever comes next."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    @property
    def _open_descriptor(self) -> int:
        assert self._descriptor is not None  # nobody writes after the release
        return self._descriptor

    def _is_left_behind(self) -> bool:
        """Whether its writer has ended; if so it is read, else it is closed."""
        if is_ours(os.fstat(self._open_descriptor)) and lock(self._open_descriptor):
            head, _, self.original = self.path.read_bytes().partition(b"\n")
            with suppress(ValueError):
                self.about = json.loads(head)
            if self.about.get("bytes") == len(self.original):
                return True
        self.let_go()  # its writer lives, or was killed before it did anything
        return False


def _name(place: str) -> str:
    return digest(os.fsencode(place))[:_PATTERN_LENGTH]
