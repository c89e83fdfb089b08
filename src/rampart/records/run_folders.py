"""The folders of recorded runs: their names, how they are made, and which of them go."""

from __future__ import annotations

import datetime as dt
import logging
import re
import secrets
import shutil
from pathlib import Path

from rampart.records.run_lock import is_held

RUNS = Path(".rampart", "runs")
"""Where runs are kept, below pytest's root directory."""

DEFAULT_KEPT_RUNS = 50

_RUN_ID = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9a-f]{8}")
_OWNER_ONLY = 0o700

_log = logging.getLogger("rampart")


def new_run_id() -> str:
    """A run id that sorts by time: `<UTC YYYY-MM-DDTHH-MM-SS>-<8 hexadecimal digits>`."""
    return f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H-%M-%S}-{secrets.token_hex(4)}"


def is_run_id(name: str) -> bool:
    """Whether `name` is the name of a run's folder."""
    return _RUN_ID.fullmatch(name) is not None


def make_run_folder(root: Path, run_id: str) -> Path:
    """Make the folder of a run, for the owner only; one that is there already is kept.

    A new folder of runs is hidden from git, as pytest hides its cache; what else is kept in `.rampart`
    stays visible.

    Raises:
        OSError: If it cannot be made.
    """
    runs = root / RUNS
    runs.parent.mkdir(exist_ok=True)
    if _made(runs):
        (runs / ".gitignore").write_text("*\n", encoding="utf-8")
    folder = runs / run_id
    _made(folder)
    return folder


def _made(folder: Path) -> bool:
    try:
        folder.mkdir(mode=_OWNER_ONLY)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return False
    return True


def prune_runs(root: Path, *, keep: int, current: str) -> None:
    """Remove all but the newest runs; a folder that cannot be removed is left, with a log entry.

    Only folders named by a run id are touched, and no link is followed. A run that another process has
    not ended stays, whatever its age.

    Args:
        root: pytest's root directory.
        keep: How many runs stay, the current one included once it has a folder; 0 keeps all.
        current: The id of the run that is going on; it always stays.
    """
    runs = root / RUNS
    if keep <= 0 or runs.is_symlink() or not runs.is_dir():
        return
    try:
        found = sorted(
            (entry for entry in runs.iterdir() if is_run_id(entry.name) and not entry.is_symlink()),
            key=lambda entry: (entry.name == current, entry.name),
        )
        for folder in found[: max(len(found) - keep, 0)]:
            if folder.name != current and folder.is_dir() and not is_held(folder):
                shutil.rmtree(folder)
    except OSError:
        _log.warning("old runs in %s could not be removed", runs, exc_info=True)
