"""What a run that was killed left in a table is taken back by the next run, or complained of."""

# ruff: noqa: ASYNC240 - the tests look at small files of their own, and nothing runs beside them
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.surfaces.agents import order_payload
from tests.surfaces.sql_tables import dump, mail_surface, make_tables, rows, run

from rampart.surfaces import sql_record

pytestmark = pytest.mark.slow  # processes that are started and waited for

CHILD = """
import ast, asyncio, sys
from rampart import Payload
from rampart.surfaces import SqlSurface

async def main():
    surface = SqlSurface(database=sys.argv[1], table="mails", column="body", **ast.literal_eval(sys.argv[2]))
    handle = surface.inject(payload=Payload(content="left behind", id="old"))
    await handle.__aenter__()
    print("planted", flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""
PLACES: dict[str, dict[str, object]] = {
    "row": {"row": {"owner": 1}},
    "row with a key": {"row": {"id": 7, "owner": 1}},
    "column": {"where": {"id": 101}},
    "append": {"where": {"id": 101}, "mode": "append"},
    "empty": {"where": {"id": 102}},
    "null": {"where": {"id": 103}},
}
every_place = pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)


@pytest.fixture(autouse=True)
def originals(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where originals are kept; this process has not looked there yet."""
    folder = tmp_path_factory.mktemp("originals")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(sql_record, "_looked_at", set())
    return folder


@pytest.fixture(autouse=True)
def _tables(database_url: sa.URL) -> None:
    make_tables(database_url)


@contextmanager
def planted_elsewhere(url: sa.URL, place: dict[str, object]) -> Iterator[None]:
    """Another process plants in the table, and is killed at the end."""
    address = url.render_as_string(hide_password=False)
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, address, repr(place)],
        env={**os.environ, "TMPDIR": tempfile.gettempdir()},
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "planted\n"
        try:
            yield
        finally:
            child.kill()


def kill_while_planted(url: sa.URL, place: dict[str, object]) -> None:
    with planted_elsewhere(url, place):
        pass
    assert "left behind" in str(dump(url))


async def plant_somewhere(url: sa.URL) -> None:
    async with mail_surface(url, row={"owner": 2}).inject(payload=order_payload()):
        pass


@every_place
async def test_the_next_run_takes_it_back(
    database_url: sa.URL, place: dict[str, object], originals: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = dump(database_url)
    kill_while_planted(database_url, place)
    with caplog.at_level(logging.WARNING):
        async with mail_surface(database_url, row={"owner": 2}).inject(payload=order_payload()):
            assert "left behind" not in str(dump(database_url))
    assert dump(database_url) == before
    assert [*originals.iterdir()] == []
    [said] = caplog.messages
    assert said.startswith("a run that was killed had left payload 'old' in column 'body' of the row id=")
    assert "of table 'mails'" in said


@pytest.mark.parametrize("place", ["row", "column"])
async def test_what_a_living_process_has_planted_stays(
    database_url: sa.URL, place: str, originals: Path
) -> None:
    with planted_elsewhere(database_url, PLACES[place]):
        planted = dump(database_url)
        await plant_somewhere(database_url)
        assert dump(database_url) == planted
        assert len([*originals.iterdir()]) == 1


async def test_what_was_changed_since_is_left_and_the_original_kept(
    database_url: sa.URL, originals: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kill_while_planted(database_url, PLACES["column"])
    run(database_url, "UPDATE mails SET body = 'mine' WHERE id = 101")
    changed = dump(database_url)
    await plant_somewhere(database_url)
    assert dump(database_url) == changed
    [kept] = originals.iterdir()
    assert kept.read_text() == "Dear Ann, see our offer."
    assert f"changed since and left as it is; what the column held before is in {kept}" in caplog.text


async def test_null_is_told(database_url: sa.URL, originals: Path, caplog: pytest.LogCaptureFixture) -> None:
    kill_while_planted(database_url, PLACES["null"])
    run(database_url, "UPDATE mails SET body = 'mine' WHERE id = 103")
    await plant_somewhere(database_url)
    assert "the column held NULL before" in caplog.text
    assert [*originals.iterdir()] == []


async def test_a_row_that_was_changed_since_is_left(
    database_url: sa.URL, originals: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kill_while_planted(database_url, PLACES["row with a key"])
    run(database_url, "UPDATE mails SET body = 'mine' WHERE id = 7")
    await plant_somewhere(database_url)
    assert rows(database_url, "SELECT body FROM mails WHERE id = 7") == [("mine",)]
    assert "changed since and left as it is" in caplog.text
    assert [*originals.iterdir()] == []


@pytest.mark.parametrize("place", ["row with a key", "column"])
async def test_what_was_put_right_meanwhile_is_not_complained_of(
    database_url: sa.URL, place: str, originals: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = dump(database_url)
    kill_while_planted(database_url, PLACES[place])
    run(
        database_url,
        "DELETE FROM mails WHERE id = 7; UPDATE mails SET body = 'Dear Ann, see our offer.' WHERE id = 101",
    )
    await plant_somewhere(database_url)
    assert dump(database_url) == before
    assert [*originals.iterdir()] == []
    assert caplog.messages == []


async def test_what_cannot_be_put_right_waits_for_the_next_run(
    database_url: sa.URL, originals: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = dump(database_url)
    kill_while_planted(database_url, PLACES["column"])
    run(database_url, "ALTER TABLE mails RENAME COLUMN body TO text")
    async with mail_surface(database_url, row={"owner": 2}, column="text").inject(payload=order_payload()):
        pass
    [record] = originals.iterdir()
    assert f"a killed run has left something, which stays ({record})" in caplog.text
    run(database_url, "ALTER TABLE mails RENAME COLUMN text TO body")
    sql_record._looked_at.clear()
    await plant_somewhere(database_url)
    assert dump(database_url) == before
    assert [*originals.iterdir()] == []


async def test_half_a_record_is_no_record(database_url: sa.URL, originals: Path) -> None:
    kill_while_planted(database_url, PLACES["column"])
    [record] = originals.iterdir()
    record.write_bytes(record.read_bytes()[:-1])
    planted = dump(database_url)
    await plant_somewhere(database_url)
    assert dump(database_url) == planted
