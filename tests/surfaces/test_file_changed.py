"""What somebody else did to a file meanwhile is left alone and reported."""

# ruff: noqa: ASYNC240 - the tests look at small files of their own, and nothing runs beside them
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.file_places import BEFORE, originals_fixture, path_fixture, payload
from tests.surfaces.folders import tree

from rampart import InfrastructureError
from rampart.surfaces import FileSurface

__all__ = ["originals_fixture", "path_fixture"]  # pytest takes them from here


def _make_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


class TestChangedMeanwhile:
    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda path: path.write_bytes(b"theirs"), id="other-content"),
            pytest.param(lambda path: path.write_bytes(path.read_bytes() + b"!"), id="one-byte-more"),
            pytest.param(lambda path: path.unlink(), id="removed"),
            pytest.param(lambda path: (path.unlink(), path.symlink_to("theirs.md")), id="a-link"),
            pytest.param(lambda path: (path.unlink(), path.mkdir()), id="a-folder"),
            pytest.param(_make_a_pipe, id="a-pipe"),
        ],
    )
    async def test_it_is_left_alone_and_the_original_is_kept(
        self, path: Path, originals: Path, change: Any
    ) -> None:
        handle = FileSurface(path=path).inject(payload=payload())
        await handle.__aenter__()
        change(path)
        changed = tree(path.parent)
        for _ in range(2):
            with pytest.raises(
                InfrastructureError, match=r"could not be removed .* what the file held before"
            ) as caught:
                await handle.__aexit__(None, None, None)
            assert tree(path.parent) == changed
        [kept] = originals.iterdir()
        assert str(kept) in str(caught.value)
        assert kept.read_bytes() == BEFORE
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600

    async def test_many_changes_of_one_file_keep_one_original(self, path: Path, originals: Path) -> None:
        for _ in range(3):
            path.write_bytes(BEFORE)
            handle = FileSurface(path=path).inject(payload=payload())
            await handle.__aenter__()
            path.write_bytes(b"theirs")
            with pytest.raises(InfrastructureError, match="changed meanwhile"):
                await handle.__aexit__(None, None, None)
        assert [kept.read_bytes() for kept in originals.iterdir()] == [BEFORE]

    @pytest.mark.parametrize("squatter", ["file", "link"])
    async def test_what_has_the_name_of_a_kept_original_is_not_touched(
        self, path: Path, originals: Path, squatter: str
    ) -> None:
        async def change_meanwhile() -> None:
            path.write_bytes(BEFORE)
            handle = FileSurface(path=path).inject(payload=payload())
            await handle.__aenter__()
            path.write_bytes(b"changed")
            with pytest.raises(InfrastructureError, match="changed meanwhile"):
                await handle.__aexit__(None, None, None)

        await change_meanwhile()
        [name] = originals.iterdir()
        name.unlink()
        theirs = path.parent / "theirs"
        theirs.write_bytes(b"theirs")
        if squatter == "file":
            name.write_bytes(b"theirs")
        else:
            name.symlink_to(theirs)
        await change_meanwhile()
        assert name.read_bytes() == theirs.read_bytes() == b"theirs"
        [kept] = set(originals.iterdir()) - {name}
        assert kept.read_bytes() == BEFORE

    async def test_a_created_file_has_no_original_to_keep(self, tmp_path: Path, originals: Path) -> None:
        handle = FileSurface(path=tmp_path / "notes.md").inject(payload=payload())
        await handle.__aenter__()
        (tmp_path / "notes.md").write_text("theirs")
        with pytest.raises(InfrastructureError, match="the file was changed meanwhile, so it is left alone"):
            await handle.__aexit__(None, None, None)
        assert (tmp_path / "notes.md").read_text() == "theirs"
        assert not list(originals.iterdir())

    async def test_who_puts_the_original_back_is_not_complained_of(self, path: Path, originals: Path) -> None:
        async with FileSurface(path=path).inject(payload=payload()):
            path.write_bytes(BEFORE)
        assert not list(originals.iterdir())

    async def test_it_can_be_put_right_by_hand(self, path: Path, originals: Path) -> None:
        handle = FileSurface(path=path).inject(payload=payload())
        await handle.__aenter__()
        path.write_bytes(b"theirs")
        with pytest.raises(InfrastructureError, match="changed meanwhile"):
            await handle.__aexit__(None, None, None)
        path.write_bytes(b"evil")
        await handle.__aexit__(None, None, None)
        assert path.read_bytes() == BEFORE
        assert not list(originals.iterdir())

    async def test_permissions_of_somebody_else_stay(self, path: Path) -> None:
        async with FileSurface(path=path).inject(payload=payload()):
            path.chmod(0o600)
        assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (BEFORE, 0o600)

    async def test_the_next_handle_finds_what_is_there(self, path: Path) -> None:
        handle = FileSurface(path=path).inject(payload=payload())
        await handle.__aenter__()
        path.write_bytes(b"theirs")
        with pytest.raises(InfrastructureError, match="changed meanwhile"):
            await handle.__aexit__(None, None, None)
        async with FileSurface(path=path, mode="append").inject(payload=payload()):
            assert path.read_bytes() == b"theirs\nevil"
        assert path.read_bytes() == b"theirs"
