"""Tables with odd names, other schemas, and keys that are no single number."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.surfaces.agents import ORDER, order_payload
from tests.surfaces.sql_tables import connected, dump, mail_surface, rows, run

from rampart import InfrastructureError


async def test_names_that_need_quotes(database_url: sa.URL) -> None:
    odd = {"table": 'Order "x" %s:y', "column": "the body?"}
    with connected(database_url) as connection:
        sa.Table(
            odd["table"],
            sa.MetaData(),
            sa.Column("Select", sa.Integer, primary_key=True),
            sa.Column("the body?", sa.Text),
            sa.Column("a:b %", sa.Text),
        ).create(connection)
    before = dump(database_url)
    async with mail_surface(database_url, row={"Select": 1, "a:b %": "v"}, **odd).inject(
        payload=order_payload()
    ):
        assert dump(database_url) == {odd["table"]: [repr((1, ORDER, "v"))]}
        where = {"a:b %": "v", "Select": 1}
        async with mail_surface(database_url, where=where, mode="append", separator="|", **odd).inject(
            payload=order_payload(content="more")
        ):
            assert dump(database_url) == {odd["table"]: [repr((1, ORDER + "|more", "v"))]}
    assert dump(database_url) == before


@pytest.mark.postgres
async def test_another_schema(postgres_url: sa.URL) -> None:
    run(
        postgres_url,
        'CREATE SCHEMA "Private"; CREATE TABLE "Private".mails (id SERIAL PRIMARY KEY, body TEXT);'
        "CREATE TABLE mails (id SERIAL PRIMARY KEY, body TEXT)",
    )
    async with mail_surface(postgres_url, row={}, schema="Private").inject(payload=order_payload()):
        assert rows(postgres_url, 'SELECT body FROM "Private".mails') == [(ORDER,)]
        assert rows(postgres_url) == []
    assert rows(postgres_url, 'SELECT body FROM "Private".mails') == []
    with pytest.raises(
        InfrastructureError, match="there is no table 'people' in schema 'Private', only 'mails'"
    ):
        await (
            mail_surface(postgres_url, row={}, table="people", schema="Private")
            .inject(payload=order_payload())
            .__aenter__()
        )


async def test_a_schema_that_is_not_there(database_url: sa.URL) -> None:
    run(database_url, "CREATE TABLE mails (id INTEGER PRIMARY KEY, body TEXT)")
    with pytest.raises(InfrastructureError, match=r"could not be planted.*nowhere"):
        await (
            mail_surface(database_url, row={}, schema="nowhere").inject(payload=order_payload()).__aenter__()
        )


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        pytest.param("a TEXT, b INTEGER, PRIMARY KEY (b, a)", {"a": "x", "b": 1}, id="composite"),
        pytest.param("a TEXT PRIMARY KEY", {"a": "x"}, id="text"),
    ],
)
async def test_other_primary_keys(database_url: sa.URL, columns: str, row: dict[str, object]) -> None:
    run(database_url, f"CREATE TABLE notes (body TEXT, {columns})")
    before = dump(database_url)
    surface = mail_surface(database_url, table="notes", row=row)
    async with surface.inject(payload=order_payload()) as handle:
        assert "a='x'" in handle.place
        async with mail_surface(database_url, table="notes", where={"a": "x"}, mode="append").inject(
            payload=order_payload(content="more")
        ):
            assert rows(database_url, "SELECT body FROM notes") == [(ORDER + "\n\nmore",)]
        assert rows(database_url, "SELECT body FROM notes") == [(ORDER,)]
    assert dump(database_url) == before


async def test_a_primary_key_that_the_database_makes(database_url: sa.URL) -> None:
    made = {
        "sqlite": "TEXT PRIMARY KEY DEFAULT (lower(hex(randomblob(16))))",
        "postgresql": "UUID PRIMARY KEY DEFAULT gen_random_uuid()",
    }
    run(database_url, f"CREATE TABLE notes (id {made[database_url.get_backend_name()]}, body TEXT)")
    async with mail_surface(database_url, table="notes", row={}).inject(payload=order_payload()):
        [(key, body)] = rows(database_url, "SELECT id, body FROM notes")
        assert (len(str(key)) >= 32, body) == (True, ORDER)
    assert rows(database_url, "SELECT * FROM notes") == []


async def test_a_primary_key_that_nobody_gave(database_url: sa.URL) -> None:
    """SQLite lets it be NULL, PostgreSQL does not."""
    run(database_url, "CREATE TABLE notes (id TEXT PRIMARY KEY, body TEXT)")
    with pytest.raises(
        InfrastructureError, match=r"did not say under which primary key \(id\)|(?i:not-null)"
    ):
        await mail_surface(database_url, table="notes", row={}).inject(payload=order_payload()).__aenter__()
    assert rows(database_url, "SELECT * FROM notes") == []


async def test_no_primary_key(database_url: sa.URL) -> None:
    run(
        database_url,
        "CREATE TABLE notes (ref TEXT, day DATE, body TEXT); INSERT INTO notes VALUES ('a', NULL, 'found')",
    )
    before = dump(database_url)
    refused = mail_surface(database_url, table="notes", row={"ref": "b"})
    with pytest.raises(InfrastructureError, match=r"table 'notes' has no primary key, .* key=\[\.\.\.\]"):
        await refused.inject(payload=order_payload()).__aenter__()
    surface = mail_surface(database_url, table="notes", row={"ref": "b"}, key=["ref"])
    async with surface.inject(payload=order_payload()):
        assert rows(database_url, "SELECT body FROM notes WHERE ref = 'b'") == [(ORDER,)]
        with pytest.raises(
            InfrastructureError, match="there is a row ref='b' already; choose values that none"
        ):
            await surface.inject(payload=order_payload()).__aenter__()
    assert dump(database_url) == before


async def test_an_old_row_without_primary_key(database_url: sa.URL) -> None:
    run(
        database_url,
        "CREATE TABLE notes (ref TEXT, body TEXT); INSERT INTO notes VALUES ('a', 'found'), ('b', 'other')",
    )
    before = dump(database_url)
    for arguments in ({"where": {"ref": "a"}}, {"where": {"body": "found"}, "key": ["ref"]}):
        async with mail_surface(database_url, table="notes", **arguments).inject(payload=order_payload()):
            assert rows(database_url, "SELECT body FROM notes WHERE ref = 'a'") == [(ORDER,)]
        assert dump(database_url) == before
    refused = mail_surface(database_url, table="notes", where={"body": "found"})
    with pytest.raises(InfrastructureError, match="found again by column 'body', which is to be changed"):
        await refused.inject(payload=order_payload()).__aenter__()


@pytest.mark.postgres
async def test_types_of_postgresql(postgres_url: sa.URL) -> None:
    run(
        postgres_url,
        "CREATE DOMAIN short AS TEXT CHECK (length(value) < 500);"
        "CREATE TABLE notes (id BIGINT PRIMARY KEY, a CHAR(200), b short, c VARCHAR, d TEXT[],"
        " e JSONB, f XML);"
        "INSERT INTO notes VALUES (1, 'padded', 'domain', 'open', ARRAY['x'], '{\"k\": 1}', '<x/>')",
    )
    before = dump(postgres_url)
    for column in "abc":
        for mode in ("replace", "append"):
            surface = mail_surface(postgres_url, table="notes", column=column, where={"id": 1}, mode=mode)
            if (column, mode) == ("a", "append"):  # the blanks are part of what a char(n) holds
                with pytest.raises(InfrastructureError, match="value too long"):
                    await surface.inject(payload=order_payload()).__aenter__()
                continue
            async with surface.inject(payload=order_payload()):
                assert ORDER in str(rows(postgres_url, f"SELECT {column} FROM notes"))
            assert dump(postgres_url) == before
    refused = mail_surface(postgres_url, table="notes", column="e", where={"id": 1})
    with pytest.raises(
        InfrastructureError, match="column 'e' is for JSON, which databases do not keep as it was"
    ):
        await refused.inject(payload=order_payload()).__aenter__()
    row = {"id": 2, "d": ["y"], "e": {"k": [1, None]}}
    async with mail_surface(postgres_url, table="notes", column="b", row=row).inject(payload=order_payload()):
        assert rows(postgres_url, "SELECT b, d, e FROM notes WHERE id = 2") == [
            (ORDER, ["y"], {"k": [1, None]})
        ]
    assert dump(postgres_url) == before


async def test_types_of_sqlite_are_the_values_own(tmp_path: Path) -> None:
    """A column without a type holds anything, and gets back just that."""
    path = tmp_path / "app.db"
    path.touch()
    url = sa.URL.create("sqlite", database=str(path))
    run(
        url,
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, body);"
        "INSERT INTO notes VALUES (1, 5), (2, 5.0), (3, '5'), (4, x'35'), (5, NULL), (6, x'ff00')",
    )
    types = "SELECT id, typeof(body), body FROM notes ORDER BY id"
    before = rows(url, types)
    for key in range(1, 7):
        async with mail_surface(url, table="notes", where={"id": key}).inject(payload=order_payload()):
            assert (key, "text", ORDER) in rows(url, types)
        assert rows(url, types) == before
    with pytest.raises(InfrastructureError, match="cannot be appended to int in column 'body'"):
        await (
            mail_surface(url, table="notes", where={"id": 1}, mode="append")
            .inject(payload=order_payload())
            .__aenter__()
        )


async def test_a_number_that_looks_the_same_is_a_change(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    path.touch()
    url = sa.URL.create("sqlite", database=str(path))
    run(url, "CREATE TABLE notes (id INTEGER PRIMARY KEY, body); INSERT INTO notes VALUES (1, 'x')")
    handle = mail_surface(url, table="notes", where={"id": 1}).inject(payload=order_payload(content="5"))
    await handle.__aenter__()
    run(url, "UPDATE notes SET body = 5")
    with pytest.raises(InfrastructureError, match="somebody changed column 'body'"):
        await handle.__aexit__(None, None, None)
    assert rows(url, "SELECT typeof(body) FROM notes") == [("integer",)]


@pytest.mark.postgres
async def test_a_trigger_that_forbids_to_delete(postgres_url: sa.URL) -> None:
    run(postgres_url, "CREATE TABLE notes (id SERIAL PRIMARY KEY, body TEXT)")
    run(postgres_url, "CREATE RULE keep AS ON DELETE TO notes DO INSTEAD NOTHING")
    handle = mail_surface(postgres_url, table="notes", row={}).inject(payload=order_payload())
    await handle.__aenter__()
    with pytest.raises(
        InfrastructureError, match="the database keeps the row id=1; a trigger may forbid to delete"
    ):
        await handle.__aexit__(None, None, None)
    run(postgres_url, "DROP RULE keep ON notes")
    await handle.__aexit__(None, None, None)
    assert rows(postgres_url, "SELECT * FROM notes") == []
