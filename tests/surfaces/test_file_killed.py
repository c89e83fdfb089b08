"""What a run that was killed left in a file is put back by the next run, or complained of."""

# ruff: noqa: ASYNC240 - the tests look at small files of their own, and nothing runs beside them
import json
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.surfaces.folders import open_descriptors, tree

from rampart import InfrastructureError, Payload
from rampart.surfaces import FileSurface
from rampart.surfaces.file_recovery import _ThisProcess

BEFORE = b"# Notes\n\nLunch is at noon.\n"
CHILD = """
import asyncio, sys
from rampart import Payload
from rampart.surfaces import FileSurface

async def main():
    handle = FileSurface(path=sys.argv[1]).inject(payload=Payload(content="evil", id="old"))
    await handle.__aenter__()
    print("planted", flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def originals(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where originals are kept; this process has not looked there yet."""
    folder = tmp_path_factory.mktemp("originals")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(_ThisProcess, "looked", False)
    return folder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "notes.md"
    path.write_bytes(BEFORE)
    os.utime(path, ns=(1_000_000_000, 2_000_000_000))
    return path


@contextmanager
def planted_elsewhere(path: Path) -> Iterator[None]:
    """Another process plants in the file, and is killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "planted\n"
        try:
            yield
        finally:
            child.kill()


def kill_while_planted(path: Path) -> None:
    with planted_elsewhere(path):
        pass


async def use(path: Path) -> None:
    """Plant in a file and leave it again."""
    async with FileSurface(path=path).inject(payload=Payload(content="new evil", id="new")):
        assert path.read_bytes() == b"new evil"


async def test_the_next_handle_of_the_file_puts_it_back(
    path: Path, originals: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = tree(path.parent)
    kill_while_planted(path)
    assert path.read_bytes() == b"evil"
    _ThisProcess.looked = True
    with caplog.at_level(logging.WARNING, "rampart"):
        await use(path)
    assert tree(path.parent) == before
    assert f"{path} is as it was again: a run that was killed had left payload 'old' in it" in caplog.text
    assert not list(originals.iterdir())


async def test_the_first_handle_of_a_run_puts_every_file_back(path: Path, originals: Path) -> None:
    created = path.parent / "a" / "b" / "new.md"
    before = tree(path.parent)
    for left in (path, created):
        kill_while_planted(left)
    assert created.read_bytes() == b"evil"
    await use(path.parent / "other.md")
    assert tree(path.parent) == before
    assert not list(originals.iterdir())


async def test_a_file_that_was_changed_since_is_refused_until_it_is_put_right(
    path: Path, originals: Path
) -> None:
    kill_while_planted(path)
    path.write_bytes(b"theirs")
    [record] = originals.iterdir()
    for _ in range(2):
        with pytest.raises(InfrastructureError) as caught:
            await use(path)
        assert (
            f"a run that was killed left payload 'old' in it, and it was changed since; what it was before "
            f"stands below the first line of {record}: put it right, and then remove {record}"
        ) in str(caught.value)
        assert path.read_bytes() == b"theirs"
    assert record.read_bytes().partition(b"\n")[2] == BEFORE
    record.unlink()
    await use(path)
    assert path.read_bytes() == b"theirs"


async def test_others_go_on_beside_a_file_that_was_changed_since(
    path: Path, originals: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kill_while_planted(path)
    path.write_bytes(b"theirs")
    with caplog.at_level(logging.WARNING, "rampart"):
        await use(path.parent / "other.md")
    assert "and it was changed since" in caplog.text
    assert path.read_bytes() == b"theirs"
    assert len(list(originals.iterdir())) == 1


@pytest.mark.parametrize("new", [False, True], ids=["existing", "new"])
async def test_a_file_that_somebody_put_right_is_no_matter(path: Path, originals: Path, new: bool) -> None:
    target = path.parent / "a" / "new.md" if new else path
    kill_while_planted(target)
    if new:
        target.unlink()
    else:
        target.write_bytes(BEFORE)
    await use(path.parent / "other.md")
    assert [*tree(path.parent)] == ["notes.md"]
    assert not list(originals.iterdir())


async def test_a_process_that_lives_keeps_its_file(path: Path, originals: Path) -> None:
    with planted_elsewhere(path):
        for looked in (False, True):
            _ThisProcess.looked = looked
            with pytest.raises(
                InfrastructureError, match=r"holds payload 'old', planted by process \d+: run them"
            ):
                await use(path)
            await use(path.parent / "other.md")
            assert path.read_bytes() == b"evil"
            assert len(list(originals.iterdir())) == 1


@pytest.mark.parametrize(
    "written", [b"", b"{", b"[1]\n", b"\xff\xfe"], ids=["empty", "cut", "list", "binary"]
)
async def test_a_record_that_was_never_completed_planted_nothing(
    path: Path, originals: Path, written: bytes
) -> None:
    kill_while_planted(path)
    [record] = originals.iterdir()
    path.write_bytes(BEFORE)
    record.write_bytes(written)
    await use(path)
    assert path.read_bytes() == BEFORE
    assert not list(originals.iterdir())


async def test_an_original_that_was_cut_is_not_put_back(path: Path, originals: Path) -> None:
    """The record is written before anything is planted, so the file was not touched."""
    kill_while_planted(path)
    [record] = originals.iterdir()
    record.write_bytes(record.read_bytes()[:-5])
    path.write_bytes(BEFORE)
    await use(path)
    assert path.read_bytes() == BEFORE


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
async def test_a_record_of_somebody_else_is_not_followed(path: Path, originals: Path) -> None:
    kill_while_planted(path)
    [record] = originals.iterdir()
    os.chown(record, 65534, 65534)
    with pytest.raises(InfrastructureError, match="belongs to another user: remove it"):
        await use(path)
    await use(path.parent / "other.md")
    assert path.read_bytes() == b"evil"


async def test_a_link_in_the_place_of_a_record_is_not_followed(path: Path, originals: Path) -> None:
    kill_while_planted(path)
    [record] = originals.iterdir()
    about = json.loads(record.read_bytes().partition(b"\n")[0])
    assert (about["path"], about["payload_id"]) == (str(path), "old")
    record.rename(originals / "elsewhere")
    record.symlink_to(originals / "elsewhere")
    with pytest.raises(InfrastructureError, match="symbolic links"):
        await use(path)
    assert (originals / "elsewhere").exists()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b'{"a": 1}\n', id="other-fields"),
        pytest.param(
            b'{"path": "x", "payload_id": "p", "planted": "x", "folders": [], "found": 7}\n', id="no-found"
        ),
        pytest.param(
            b'{"path": 5, "payload_id": "p", "planted": "x", "folders": [], "found": null}\n', id="no-path"
        ),
    ],
)
async def test_a_record_that_cannot_be_read_is_left_and_reported(
    path: Path, originals: Path, content: bytes
) -> None:
    kill_while_planted(path)
    [record] = originals.iterdir()
    record.write_bytes(content)
    before = open_descriptors()
    for _ in range(2):
        with pytest.raises(InfrastructureError, match=f"{record} is no record .* and remove it"):
            await use(path)
    assert open_descriptors() == before
    assert record.read_bytes() == content
    await use(path.parent / "other.md")
