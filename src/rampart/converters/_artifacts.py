"""The files that documents are written to."""

from __future__ import annotations

import os
import uuid
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from rampart.converters._process_folder import process_folder
from rampart.core.types import validate_payload_id

if TYPE_CHECKING:
    from collections.abc import Iterator

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class ArtifactFolder:
    """Where a converter puts its files; no file is ever replaced.

    Args:
        output_dir: The folder, made when the first file is written; None for a temporary one that lives as
            long as the process.
    """

    def __init__(self, output_dir: Path | None) -> None:
        self._output_dir = None if output_dir is None else Path(output_dir)

    def write(self, data: bytes, *, payload_id: str, extension: str) -> Path:
        """Write a file named after a payload, and return its path.

        It is `<id><extension>`; where that name is taken by a file with another content, `<id>-2<extension>`
        and so on. A file with the same content is used again. The file appears when it is complete.

        Raises:
            ValueError: If the id may not become part of a path.
            OSError: If the file cannot be written.
        """
        name = validate_payload_id(payload_id)
        folder = self._output_dir or process_folder()
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f".{uuid.uuid4().hex}.tmp"
        try:
            with os.fdopen(os.open(temporary, _NEW_FILE, 0o666), "wb") as file:
                file.write(data)
            for path in _candidates(folder, name, extension):
                if _published(temporary, path) or _holds(path, data):
                    return path
        finally:
            temporary.unlink(missing_ok=True)
        raise AssertionError  # the names never run out


def _candidates(folder: Path, name: str, extension: str) -> Iterator[Path]:
    yield folder / f"{name}{extension}"
    for number in count(2):
        yield folder / f"{name}-{number}{extension}"


def _published(temporary: Path, final: Path) -> bool:
    """Give the finished file its name; False if there is a file of this name."""
    try:
        final.hardlink_to(temporary)
    except FileExistsError:
        return False
    except OSError:
        return _published_without_links(temporary, final)
    return True


def _published_without_links(temporary: Path, final: Path) -> bool:
    # A file system without hard links: reserve the name, then replace what is our own.
    try:
        os.close(os.open(final, _NEW_FILE, 0o666))
    except FileExistsError:
        return False
    try:
        temporary.replace(final)
    except BaseException:
        final.unlink(missing_ok=True)
        raise
    return True


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data
    except FileNotFoundError:  # removed meanwhile; the next name will do
        return False
