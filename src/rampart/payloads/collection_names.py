"""Names that become folders, and references to files that come from a file."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Final

ARTIFACTS: Final = "artifacts"

_NAME = re.compile(r"[A-Za-z0-9._-]+")
# What Windows would read as a way out of the folder: another separator, a drive, a stream.
_FOREIGN = re.compile(r"[\\:\x00]")


def validate_collection_name(name: object) -> str:
    """Return `name` if it may become the name of a folder.

    Raises:
        ValueError: If it is not made of letters, digits, dots, underscores and hyphens, or is `.` or `..`.
    """
    if not isinstance(name, str) or _NAME.fullmatch(name) is None or name in {".", ".."}:
        msg = f"Invalid collection name: {name!r}"
        raise ValueError(msg)
    return name


def artifact_path(folder: Path, reference: object) -> Path:
    """The file that a collection means by `artifacts/...`.

    Args:
        folder: The collection's folder.
        reference: What `payloads.jsonl` says.

    Returns:
        The resolved path of the file.

    Raises:
        ValueError: If the reference is no relative path below `artifacts/`, or leads out of it by a link.
        FileNotFoundError: If there is no such file.
    """
    if not isinstance(reference, str) or not _lies_below_artifacts(reference):
        msg = f"Invalid artifact path: {reference!r}; expected a relative path below '{ARTIFACTS}/'"
        raise ValueError(msg)
    path = folder / reference
    try:
        resolved = path.resolve()
        homes = folder.resolve(), (folder / ARTIFACTS).resolve()
    except (OSError, RuntimeError):  # a circle of links
        msg = f"artifact path {reference!r} escapes the collection {folder}: its links lead nowhere"
        raise ValueError(msg) from None
    if not all(resolved.is_relative_to(home) for home in homes):
        msg = f"artifact path {reference!r} escapes the collection {folder}: a link leads to {resolved}"
        raise ValueError(msg)
    if not resolved.is_file():
        msg = f"Missing artifact: {path}"
        raise FileNotFoundError(msg)
    return resolved


def _lies_below_artifacts(reference: str) -> bool:
    parts = PurePosixPath(reference).parts
    return (
        _FOREIGN.search(reference) is None and len(parts) > 1 and parts[0] == ARTIFACTS and ".." not in parts
    )
