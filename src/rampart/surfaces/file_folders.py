"""Folders that were made for planted files, and go when the last of these has gone."""

from __future__ import annotations

import os
import threading
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_uses: Counter[Path] = Counter()
_lock = threading.Lock()


def claim_folders(path: Path) -> list[Path]:
    """The folders above a file that must go with it, outermost first, made or to be made.

    A folder that another planting made counts too: whoever leaves last removes it.
    """
    with _lock:
        folders: list[Path] = []
        for parent in path.parents:
            if parent not in _uses and os.path.lexists(parent):
                break
            folders.insert(0, parent)
        _uses.update(folders)
        return folders


def leave_folders(folders: list[Path]) -> None:
    """Remove folders, innermost first, unless somebody put something in them or still plants there."""
    with _lock:
        _uses.subtract(folders)
        for folder in reversed(folders):
            if _uses[folder] <= 0:
                del _uses[folder]
                with suppress(OSError):
                    folder.rmdir()
