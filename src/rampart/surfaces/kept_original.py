"""Originals of what somebody changed while a payload was in it."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from rampart.surfaces.file_disk import write_all
from rampart.surfaces.private_file import PRIVATE, digest, is_ours, private_path

if TYPE_CHECKING:
    from pathlib import Path


def keep(place: str, original: bytes) -> Path:
    """Write what a place held, and cannot be made to hold again, where its owner finds it.

    Many trials in which the agent changes the same place keep one copy.
    """
    name = digest(os.fsencode(place) + b"\0" + original)[:32]
    kept = private_path("kept", name)
    try:
        descriptor = os.open(kept, PRIVATE | os.O_EXCL, 0o600)
    except FileExistsError:
        if is_ours(kept.lstat()) and kept.read_bytes() == original:
            return kept
        kept = private_path("kept", secrets.token_hex(16))
        descriptor = os.open(kept, PRIVATE | os.O_EXCL, 0o600)
    try:
        write_all(descriptor, original)
    finally:
        os.close(descriptor)
    return kept
