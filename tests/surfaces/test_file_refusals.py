"""Files that cannot be planted in are left as they were, and named."""

# ruff: noqa: ASYNC240, ASYNC221 - the tests look at small files of their own, and nothing runs beside them
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.file_places import (
    BEFORE,
    as_nobody,
    no_file_beyond,
    originals_fixture,
    path_fixture,
    payload,
)
from tests.surfaces.folders import tree

from rampart import InfrastructureError
from rampart.surfaces import FileSurface
from rampart.surfaces.file_content import FileMode

MODES: tuple[FileMode, ...] = ("replace", "append")

__all__ = ["originals_fixture", "path_fixture"]  # pytest takes them from here


class TestRefused:
    """Everything is as it was, and the error names surface, payload and place."""

    async def refused(self, path: Path, message: str, **arguments: Any) -> None:
        handle = FileSurface(path=path, **arguments).inject(payload=payload())
        with pytest.raises(InfrastructureError, match=message) as caught:
            await handle.__aenter__()
        expected = f"{handle.surface_name}: payload 'p1' could not be planted in {path}: "
        assert str(caught.value).startswith(expected)
        await handle.__aexit__(None, None, None)

    @pytest.fixture(autouse=True)
    def _nothing_changes(self, tmp_path: Path, originals: Path) -> Iterator[None]:
        self.folder = tmp_path
        yield
        assert not list(originals.iterdir())

    async def test_a_folder(self, path: Path) -> None:
        await self.refused(path.parent, "it is a folder; name a file")

    async def test_a_pipe(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        await self.refused(tmp_path / "pipe", "it is no regular file")

    async def test_a_device(self) -> None:
        await self.refused(Path("/dev/full"), "it is no regular file")

    async def test_a_circle_of_links(self, tmp_path: Path) -> None:
        (tmp_path / "a").symlink_to("b")
        (tmp_path / "b").symlink_to("a")
        await self.refused(tmp_path / "a", "it is no regular file|symbolic links")

    async def test_a_file_where_a_folder_should_be(self, path: Path) -> None:
        before = tree(path.parent)
        await self.refused(path / "notes.md", "NotADirectoryError")
        assert tree(path.parent) == before

    async def test_a_name_that_is_too_long(self, tmp_path: Path) -> None:
        await self.refused(tmp_path / "new" / ("x" * 300), "File name too long")
        assert not tree(tmp_path)

    @pytest.mark.parametrize("mode", [0o000, 0o400, 0o200], ids=["nothing", "read-only", "write-only"])
    async def test_a_file_that_cannot_be_read_and_written(self, path: Path, mode: int) -> None:
        path.chmod(mode)
        with as_nobody(path):
            await self.refused(
                path, "PermissionError: .*; let the user who runs the tests read and write there$"
            )
        path.chmod(0o600)
        assert path.read_bytes() == BEFORE

    async def test_a_folder_that_cannot_be_written_to(self, tmp_path: Path) -> None:
        (tmp_path / "closed").mkdir(mode=0o500)
        with as_nobody(tmp_path / "closed"):
            await self.refused(tmp_path / "closed" / "a" / "notes.md", "PermissionError")
        assert [*tree(tmp_path)] == ["closed"]

    async def test_a_marker_that_is_not_there(self, path: Path) -> None:
        before = tree(path.parent)
        await self.refused(path, "does not hold the marker 'dinner'", mode="insert", marker="dinner")
        assert tree(path.parent) == before

    async def test_a_file_that_another_handle_holds(self, path: Path) -> None:
        async with FileSurface(path=path).inject(payload=payload(id="first")):
            await self.refused(
                path, rf"holds payload 'first', planted by process {os.getpid()}: run them one"
            )
            assert path.read_bytes() == b"evil"
        assert path.read_bytes() == BEFORE

    @pytest.mark.parametrize("new", [False, True], ids=["existing", "new"])
    async def test_a_full_disk(self, tmp_path: Path, new: bool) -> None:
        path = tmp_path / "folder" / "notes.md"
        if not new:
            path.parent.mkdir()
            path.write_bytes(BEFORE)
        before = tree(tmp_path)
        long = payload("x" * 50_000)
        with (
            no_file_beyond(20_000),
            pytest.raises(InfrastructureError, match=r"could not be planted .*File too large"),
        ):
            await FileSurface(path=path).inject(payload=long).__aenter__()
        assert tree(tmp_path) == before

    async def test_a_disk_that_is_really_full(self, tmp_path: Path) -> None:
        disk = tmp_path / "disk"
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
        if subprocess.run(mount, check=False, capture_output=True).returncode:
            pytest.skip("no disk of that size can be mounted here")
        try:
            (disk / "notes.md").write_bytes(BEFORE)
            (disk / "filler").write_bytes(b"x" * 40_000)
            before = tree(disk)
            for mode in MODES:
                surface = FileSurface(path=disk / "notes.md", mode=mode)
                with pytest.raises(InfrastructureError, match="No space left on device"):
                    await surface.inject(payload=payload("x" * 50_000)).__aenter__()
                assert tree(disk) == before
            with pytest.raises(InfrastructureError, match="No space left on device"):
                await FileSurface(path=disk / "a" / "b").inject(payload=payload("x" * 50_000)).__aenter__()
            assert tree(disk) == before
        finally:
            subprocess.run(["umount", str(disk)], check=True)

    async def test_nowhere_to_keep_the_original(self, path: Path, originals: Path) -> None:
        with no_file_beyond(len(BEFORE)):
            await self.refused(path, "File too large")
        assert path.read_bytes() == BEFORE
