"""Files that are on the disk, whole, before anything refers to them."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_durably(path: Path, text: str) -> None:
    """Write a new file and wait until it is on the disk.

    Raises:
        FileExistsError: If there is one already.
    """
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def copy_durably(source: Path, target: Path) -> None:
    """Copy the bytes of a file into a new one and wait until they are on the disk.

    Raises:
        FileExistsError: If `target` exists already.
    """
    with source.open("rb") as original, target.open("xb") as copy:
        shutil.copyfileobj(original, copy)
        copy.flush()
        os.fsync(copy.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk; Windows has no such thing, and needs none."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def missing_folders(folder: Path) -> list[Path]:
    """The folder and those around it that do not exist, innermost first."""
    missing: list[Path] = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    return missing


def make_folders(folder: Path) -> None:
    """Make a folder with its parents, and wait until they are on the disk."""
    for missing in reversed(missing_folders(folder)):
        missing.mkdir(exist_ok=True)
        sync_folder(missing.parent)


def remove_tree(path: Path) -> None:
    """Remove a file, a link (never what it points at) or a folder with all in it; absent is fine."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
    else:
        shutil.rmtree(path)


def remove_empty(folders: list[Path]) -> None:
    """Remove the folders that are empty, in this order."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()
