"""Originals of files that somebody changed while a payload was in them."""

from __future__ import annotations

import os
import secrets
import stat
import sys
from typing import TYPE_CHECKING

from rampart.surfaces.file_disk import write_all
from rampart.surfaces.file_original import PRIVATE, digest, private_path

if TYPE_CHECKING:
    from pathlib import Path

    from rampart.surfaces.file_disk import FileOnDisk
    from rampart.surfaces.file_original import Planting


def keep(planting: Planting, found: FileOnDisk) -> Path:
    """Write what a file was, and cannot be made again, where its owner finds it.

    Many trials in which the agent changes the same file keep one copy.
    """
    name = digest(os.fsencode(planting.path) + b"\0" + found.content)[:32]
    kept = private_path("kept", name)
    try:
        descriptor = os.open(kept, PRIVATE | os.O_EXCL, 0o600)
    except FileExistsError:
        if _is_ours(kept) and kept.read_bytes() == found.content:
            return kept
        kept = private_path("kept", secrets.token_hex(16))
        descriptor = os.open(kept, PRIVATE | os.O_EXCL, 0o600)
    try:
        write_all(descriptor, found.content)
    finally:
        os.close(descriptor)
    return kept


def _is_ours(path: Path) -> bool:
    about = path.lstat()
    return stat.S_ISREG(about.st_mode) and (sys.platform == "win32" or about.st_uid == os.geteuid())
