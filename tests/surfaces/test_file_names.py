"""One file under several names: no payload may be put over another one and stay."""

# ruff: noqa: ASYNC240 - the tests look at small files of their own, and nothing runs beside them
import os
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.file_places import BEFORE, originals_fixture, path_fixture, payload

from rampart import InfrastructureError, Payload
from rampart.surfaces import FileSurface

__all__ = ["originals_fixture", "path_fixture"]  # pytest takes them from here


def handle(path: Path, what: Payload | None = None) -> Any:
    return FileSurface(path=path).inject(payload=what or payload())


@pytest.fixture
def other(path: Path) -> Path:
    """A second name of the same file."""
    other = path.with_name("other.md")
    other.hardlink_to(path)
    return other


async def test_all_names_of_a_file_have_one_key(path: Path, other: Path) -> None:
    assert handle(path).isolation_key == handle(other).isolation_key
    assert handle(path).isolation_key != handle(path.with_name("new.md")).isolation_key


async def test_the_key_stays_when_a_name_goes(path: Path, other: Path) -> None:
    planted = handle(path)
    before = planted.isolation_key
    other.unlink()
    assert planted.isolation_key == before


async def test_a_second_payload_is_refused(path: Path, other: Path, originals: Path) -> None:
    async with handle(path):
        second = handle(other)
        with pytest.raises(InfrastructureError, match=f"it is the same file as {path}, which holds another"):
            await second.__aenter__()
        assert other.read_bytes() == b"evil"
    assert path.read_bytes() == other.read_bytes() == BEFORE
    assert not list(originals.iterdir())
    async with handle(other):  # one after another is fine
        assert path.read_bytes() == b"evil"
    assert path.read_bytes() == BEFORE


async def test_a_second_payload_in_a_new_file_is_refused(path: Path) -> None:
    new, second = path.with_name("new.md"), path.with_name("second.md")
    async with handle(new):
        second.hardlink_to(new)
        with pytest.raises(InfrastructureError, match=f"it is the same file as {new}"):
            await handle(second).__aenter__()
        second.unlink()
    assert not new.exists()


async def test_a_name_that_became_another_file_claims_nothing(path: Path, other: Path) -> None:
    planted = handle(path)
    await planted.__aenter__()
    path.unlink()
    async with handle(other, payload(text="good")):
        assert other.read_bytes() == b"good"
    with pytest.raises(InfrastructureError, match="changed meanwhile"):
        await planted.__aexit__(None, None, None)


async def test_a_name_in_the_folder_of_originals_that_leads_elsewhere_is_refused(
    path: Path, originals: Path
) -> None:
    """Whoever may write there could else have any file of this user emptied."""
    async with handle(path):
        [record] = originals.iterdir()
    precious = path.with_name("precious")
    precious.write_bytes(b"precious")
    os.link(precious, record)
    with pytest.raises(InfrastructureError, match=f"{record}, where .* is no file of its own: remove it"):
        await handle(path).__aenter__()
    assert precious.read_bytes() == b"precious"
    assert path.read_bytes() == BEFORE
    record.unlink()
    async with handle(path):
        assert path.read_bytes() == b"evil"
