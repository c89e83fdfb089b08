"""What agents and others do to the place while a payload is in it is theirs, and is never written over."""

# ruff: noqa: ASYNC240 - the tests look at small files of their own, and nothing runs beside them
import stat
import tempfile
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.surfaces.agents import ORDER, order_payload
from tests.surfaces.sql_tables import connected, dump, mail_surface, make_tables, rows, run

from rampart import InfrastructureError
from rampart.surfaces import PlantedHandle, SqlSurface

FOUND = "Dear Ann, see our offer."


@pytest.fixture(autouse=True)
def originals(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where originals are kept."""
    folder = tmp_path_factory.mktemp("originals")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _tables(database_url: sa.URL) -> None:
    make_tables(database_url)


@pytest.fixture
def new_row(database_url: sa.URL) -> PlantedHandle:
    return mail_surface(database_url, row={"id": 7, "owner": 1}).inject(payload=order_payload())


@pytest.fixture
def old_row(database_url: sa.URL) -> PlantedHandle:
    return mail_surface(database_url, where={"id": 101}).inject(payload=order_payload())


async def _leave(handle: PlantedHandle) -> None:
    await handle.__aexit__(None, None, None)


async def test_a_new_row_that_was_deleted(database_url: sa.URL, new_row: PlantedHandle) -> None:
    before = dump(database_url)
    async with new_row:
        run(database_url, "DELETE FROM mails WHERE id = 7")
    assert dump(database_url) == before


async def test_a_new_row_of_which_other_columns_changed(database_url: sa.URL, new_row: PlantedHandle) -> None:
    before = dump(database_url)
    async with new_row:
        run(database_url, "UPDATE mails SET subject = 'read', owner = 2 WHERE id = 7")
    assert dump(database_url) == before


@pytest.mark.parametrize(
    "change",
    [
        pytest.param("UPDATE mails SET body = 'mine' WHERE id = 7", id="overwritten"),
        pytest.param("UPDATE mails SET body = upper(body) WHERE id = 7", id="other-case"),
        pytest.param("UPDATE mails SET body = body || ' ' WHERE id = 7", id="blank-added"),
        pytest.param("UPDATE mails SET body = NULL WHERE id = 7", id="null"),
        pytest.param(
            "DELETE FROM mails WHERE id = 7; INSERT INTO mails (id, owner, body) VALUES (7, 2, 'mine')",
            id="another-row-under-the-key",
        ),
    ],
)
async def test_a_new_row_with_another_body_is_left(
    database_url: sa.URL, new_row: PlantedHandle, change: str
) -> None:
    await new_row.__aenter__()
    run(database_url, change)
    changed = dump(database_url)
    for _ in range(2):
        with pytest.raises(
            InfrastructureError,
            match=r"table mails.body: payload 'order' could not be removed in row id=7 of table 'mails', .*"
            "somebody changed column 'body' of the row id=7 meanwhile, so the row was left",
        ):
            await _leave(new_row)
        assert dump(database_url) == changed
    run(database_url, "DELETE FROM mails WHERE id = 7")
    await _leave(new_row)


async def test_a_new_row_that_others_refer_to(database_url: sa.URL) -> None:
    with connected(database_url) as connection:
        on = sa.create_engine(database_url)
        if database_url.get_backend_name() == "sqlite":
            sa.event.listen(on, "connect", lambda raw, _record: raw.execute("PRAGMA foreign_keys = ON"))
        assert connection.scalar(sa.text("SELECT count(*) FROM people")) == 2
    handle = SqlSurface(database=on, table="people", column="name", row={"id": 3}).inject(
        payload=order_payload()
    )
    await handle.__aenter__()
    run(database_url, "INSERT INTO mails (id, owner) VALUES (8, 3)")
    with pytest.raises(InfrastructureError, match=r"could not be removed in row id=3.*(?i:foreign key)"):
        await _leave(handle)
    run(database_url, "DELETE FROM mails WHERE id = 8")
    await _leave(handle)
    assert rows(database_url, "SELECT id FROM people ORDER BY id") == [(1,), (2,)]
    on.dispose()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param("UPDATE mails SET body = 'mine' WHERE id = 101", id="overwritten"),
        pytest.param("UPDATE mails SET body = upper(body) WHERE id = 101", id="other-case"),
        pytest.param("UPDATE mails SET body = body || ' ' WHERE id = 101", id="blank-added"),
        pytest.param("UPDATE mails SET body = NULL WHERE id = 101", id="null"),
        pytest.param("UPDATE mails SET body = '' WHERE id = 101", id="empty"),
    ],
)
async def test_a_column_that_was_changed_is_left_and_the_original_is_kept(
    database_url: sa.URL, old_row: PlantedHandle, change: str, originals: Path
) -> None:
    await old_row.__aenter__()
    run(database_url, change)
    changed = dump(database_url)
    for _ in range(2):
        with pytest.raises(
            InfrastructureError,
            match="somebody changed column 'body' of the row id=101 meanwhile, so it was left",
        ) as caught:
            await _leave(old_row)
        assert dump(database_url) == changed
        [kept] = originals.iterdir()
        assert str(caught.value).endswith(f"; what column 'body' held before is in {kept}")
        assert kept.read_text() == FOUND
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    run(database_url, f"UPDATE mails SET body = '{ORDER}' WHERE id = 101")
    await _leave(old_row)
    assert rows(database_url, "SELECT body FROM mails WHERE id = 101") == [(FOUND,)]
    assert [*originals.iterdir()] == []


@pytest.mark.parametrize(
    ("column", "found", "original"),
    [
        pytest.param("body", "''", b"", id="empty"),
        pytest.param("body", "'Gr\u00fc\u00dfe\n\n'", "Gr\u00fc\u00dfe\n\n".encode(), id="text"),
        pytest.param("raw", "X'00ff0a'", b"\x00\xff\n", id="bytes"),
        pytest.param("body", "NULL", None, id="null"),
    ],
)
@pytest.mark.parametrize("change", ["changed", "deleted"])
async def test_whatever_the_column_held_is_kept(
    database_url: sa.URL, originals: Path, *, column: str, found: str, original: bytes | None, change: str
) -> None:
    if database_url.get_backend_name() == "postgresql":
        found = found.replace("X'", "'\\x")
    run(database_url, f"UPDATE mails SET {column} = {found} WHERE id = 101")
    handle = mail_surface(database_url, where={"id": 101}, column=column).inject(payload=order_payload())
    await handle.__aenter__()
    done = "DELETE FROM mails" if change == "deleted" else f"UPDATE mails SET {column} = NULL"
    run(database_url, f"{done} WHERE id = 101")
    if original is None and change == "changed":
        await _leave(handle)  # it holds what it held before
        assert [*originals.iterdir()] == []
        return
    with pytest.raises(InfrastructureError, match=r"is gone, so|meanwhile, so it was left") as caught:
        await _leave(handle)
    if original is None:
        assert str(caught.value).endswith("; column 'body' held NULL before")
        assert [*originals.iterdir()] == []
    else:
        [kept] = originals.iterdir()
        assert str(kept) in str(caught.value)
        assert kept.read_bytes() == original


async def test_many_changes_of_one_column_keep_one_original(database_url: sa.URL, originals: Path) -> None:
    for number in range(3):
        run(database_url, f"UPDATE mails SET body = '{FOUND}' WHERE id = 101")
        handle = mail_surface(database_url, where={"id": 101}).inject(payload=order_payload())
        await handle.__aenter__()
        run(database_url, f"UPDATE mails SET body = 'mine {number}' WHERE id = 101")
        with pytest.raises(InfrastructureError, match="meanwhile"):
            await _leave(handle)
    assert [kept.read_text() for kept in originals.iterdir()] == [FOUND]


async def test_no_password_is_kept(database_url: sa.URL, old_row: PlantedHandle, originals: Path) -> None:
    async with old_row:
        [record] = originals.iterdir()
        assert stat.S_IMODE(record.stat().st_mode) == 0o600
        assert record.read_text().partition("\n")[2] == FOUND
        if database_url.password is not None:
            assert str(database_url.password) not in record.read_text()
    assert [*originals.iterdir()] == []


async def test_a_column_that_got_its_old_value_back(database_url: sa.URL, old_row: PlantedHandle) -> None:
    before = dump(database_url)
    async with old_row:
        run(database_url, "UPDATE mails SET body = 'Dear Ann, see our offer.' WHERE id = 101")
    assert dump(database_url) == before


async def test_other_columns_of_the_row_are_no_concern(database_url: sa.URL, old_row: PlantedHandle) -> None:
    async with old_row:
        run(database_url, "UPDATE mails SET subject = 'read', owner = 2 WHERE id = 101")
    assert rows(database_url, "SELECT owner, subject, body FROM mails WHERE id = 101") == [
        (2, "read", "Dear Ann, see our offer.")
    ]


async def test_a_row_that_is_gone_cannot_be_put_back(database_url: sa.URL, old_row: PlantedHandle) -> None:
    await old_row.__aenter__()
    run(database_url, "DELETE FROM mails WHERE id = 101")
    with pytest.raises(
        InfrastructureError, match="row id=101 is gone, so what was in it could not be put back"
    ):
        await _leave(old_row)


async def test_a_column_whose_comparison_ignores_case(database_url: sa.URL) -> None:
    """A change that the column's own comparison does not see is one all the same."""
    if database_url.get_backend_name() == "postgresql":
        run(
            database_url,
            "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        )
    run(
        database_url,
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT COLLATE nocase);"
        "INSERT INTO notes VALUES (1, 'found')",
    )
    handle = SqlSurface(database=database_url, table="notes", column="body", where={"id": 1}).inject(
        payload=order_payload()
    )
    await handle.__aenter__()
    run(database_url, "UPDATE notes SET body = upper(body)")
    assert rows(database_url, f"SELECT count(*) FROM notes WHERE body = '{ORDER}'") == [(1,)]
    with pytest.raises(InfrastructureError, match="somebody changed column 'body'"):
        await _leave(handle)
    assert rows(database_url, "SELECT body FROM notes") == [(ORDER.upper(),)]


async def test_removal_is_tried_again(database_url: sa.URL, old_row: PlantedHandle, originals: Path) -> None:
    before = dump(database_url)
    await old_row.__aenter__()
    run(database_url, "ALTER TABLE mails RENAME TO elsewhere")
    with pytest.raises(
        InfrastructureError, match=r"could not be removed.*(no such table|does not exist)"
    ) as caught:
        await _leave(old_row)
    [record] = originals.iterdir()
    assert str(caught.value).endswith(
        f"; what column 'body' held before is in {record}, below the first line"
    )
    assert record.read_text().partition("\n")[2] == FOUND
    run(database_url, "ALTER TABLE elsewhere RENAME TO mails")
    await _leave(old_row)
    assert dump(database_url) == before
    assert [*originals.iterdir()] == []
