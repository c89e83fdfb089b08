"""Files to plant in, and what a process may be short of while it does."""

import os
import resource
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from rampart import Payload

BEFORE = b"# Notes\r\n\r\nLunch is at noon.\r\n"


@pytest.fixture(autouse=True, name="originals")
def originals_fixture(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where originals are kept; empty again when nothing went wrong."""
    folder = tmp_path_factory.mktemp("originals")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture(name="path")
def path_fixture(tmp_path: Path) -> Path:
    path = tmp_path / "notes.md"
    path.write_bytes(BEFORE)
    os.utime(path, ns=(1_000_000_000, 2_000_000_000))
    return path


def payload(text: str = "evil", **changes: Any) -> Payload:
    return Payload(**{"content": text, "id": "p1", **changes})


@contextmanager
def as_nobody(*paths: Path) -> Iterator[None]:
    """Be somebody who owns these paths and has no rights but theirs; root could do everything."""
    if os.geteuid():
        yield
        return
    for path in paths:
        os.chown(path, 65534, 65534)
    opened = [one for one in paths[0].parents if not one.stat().st_mode & stat.S_IXOTH]
    for folder in [*opened, Path(tempfile.gettempdir())]:
        folder.chmod(folder.stat().st_mode | 0o777)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """Let no file grow beyond some bytes, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
