"""What a database cannot take is an error at entry that names surface, payload and place; nothing is left."""

import re
import socket
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.surfaces.agents import ORDER, attack, order_payload
from tests.surfaces.sql_tables import connected, dump, mail_surface, make_tables, read_bodies

from rampart import InfrastructureError, Payload, SafetyStatus
from rampart.surfaces import SqlSurface


@pytest.mark.parametrize(
    ("arguments", "payload", "text"),
    [
        pytest.param(
            {"table": "mial", "column": "body", "row": {}},
            ORDER,
            "there is no table 'mial', only 'mails', 'people'",
            id="no-table",
        ),
        pytest.param(
            {"table": "mails", "column": "bdy", "row": {}},
            ORDER,
            "table 'mails' has no column 'bdy', only 'id', 'owner', 'subject', 'body'",
            id="no-column",
        ),
        pytest.param(
            {"row": {"sender": 1, "date": 2}},
            ORDER,
            "table 'mails' has no column 'sender', 'date', only",
            id="no-column-of-row",
        ),
        pytest.param(
            {"where": {"sender": 1}},
            ORDER,
            "table 'mails' has no column 'sender', only",
            id="no-column-of-where",
        ),
        pytest.param({"where": {"id": 5}}, ORDER, "no row matches id=5; exactly one has to", id="no-row"),
        pytest.param(
            {"where": {"owner": 1}}, ORDER, "more than one row matches owner=1; exactly", id="two-rows"
        ),
        pytest.param(
            {"row": {}}, ORDER, "(?i:not.null constraint|constraint failed: mails.owner)", id="not-null"
        ),
        pytest.param({"row": {"owner": 1, "id": 101}}, ORDER, "(?i:unique constraint)", id="taken-key"),
        pytest.param(
            {"row": {"owner": 1}}, "x" * 2001, "(?i:check constraint)", id="too-large-for-the-check"
        ),
        pytest.param({"where": {"id": 101}}, "x" * 2001, "(?i:check constraint)", id="column-too-large"),
        pytest.param(
            {"table": "people", "column": "id", "where": {"name": "Ann"}},
            ORDER,
            "the row would be found again by column 'id', which is to be changed; .*key=",
            id="key-column",
        ),
        pytest.param({"row": {"owner": {"a": 1}}}, ORDER, r"(?i:\w*Error): ", id="value-of-a-wrong-kind"),
    ],
)
async def test_refused(database_url: sa.URL, arguments: dict[str, Any], payload: str, text: str) -> None:
    make_tables(database_url)
    before = dump(database_url)
    surface = mail_surface(database_url, **arguments)
    handle = surface.inject(payload=Payload(content=payload, id="order"))
    table = arguments.get("table", "mails")
    start = rf"^table {table}.\w+: payload 'order' could not be planted in .* of table '{table}'"
    with pytest.raises(InfrastructureError, match=f"{start}.*: .*{text}"):
        await handle.__aenter__()
    await handle.__aexit__(None, None, None)
    assert dump(database_url) == before


async def test_the_text_is_the_database_s_alone(database_url: sa.URL) -> None:
    make_tables(database_url)
    handle = mail_surface(database_url, row={}).inject(payload=order_payload())
    with pytest.raises(InfrastructureError) as caught:
        await handle.__aenter__()
    assert ORDER not in str(caught.value)
    assert "INSERT" not in str(caught.value)
    # What SQLAlchemy itself refuses comes with the statement, too.
    handle = mail_surface(database_url, row={"owner": 1, "raw": object()}).inject(payload=order_payload())
    with pytest.raises(InfrastructureError) as caught:
        await handle.__aenter__()
    assert ORDER not in str(caught.value)
    assert "INSERT" not in str(caught.value)


@pytest.mark.postgres
async def test_too_long_for_the_column(postgres_url: sa.URL) -> None:
    make_tables(postgres_url)
    handle = SqlSurface(database=postgres_url, table="mails", column="subject", row={"owner": 1}).inject(
        payload=order_payload()
    )
    with pytest.raises(InfrastructureError, match=r"value too long for type character varying\(40\)"):
        await handle.__aenter__()


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("column", "content", "text"),
    [
        pytest.param("score", "words", "invalid input syntax for type numeric", id="number"),
        pytest.param("seen", "words", "invalid input syntax for type boolean", id="boolean"),
        pytest.param("body", "a\x00b", "NUL", id="nul-character"),
    ],
)
async def test_what_a_column_does_not_take(
    postgres_url: sa.URL, column: str, content: str, text: str
) -> None:
    make_tables(postgres_url)
    before = dump(postgres_url)
    surface = SqlSurface(database=postgres_url, table="mails", column=column, where={"id": 101})
    with pytest.raises(InfrastructureError, match=text):
        await surface.inject(payload=Payload(content=content)).__aenter__()
    assert dump(postgres_url) == before


@pytest.mark.postgres
async def test_foreign_key(postgres_url: sa.URL) -> None:
    make_tables(postgres_url)
    handle = mail_surface(postgres_url, row={"owner": 9}).inject(payload=order_payload())
    with pytest.raises(InfrastructureError, match="violates foreign key constraint"):
        await handle.__aenter__()


@pytest.mark.postgres
@pytest.mark.parametrize("where", [None, {"id": 101}], ids=["row", "column"])
async def test_a_trigger_that_changes_the_payload(
    postgres_url: sa.URL, where: dict[str, object] | None
) -> None:
    make_tables(postgres_url)
    before = dump(postgres_url)
    with connected(postgres_url) as connection:
        connection.exec_driver_sql(
            "CREATE FUNCTION clean() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN NEW.body = left(NEW.body, 5); RETURN NEW; END $$"
        )
        connection.exec_driver_sql(
            "CREATE TRIGGER cleaning BEFORE INSERT OR UPDATE ON mails FOR EACH ROW EXECUTE FUNCTION clean()"
        )
    place: dict[str, Any] = {"row": {"owner": 1}} if where is None else {"where": where}
    handle = mail_surface(postgres_url, **place).inject(payload=order_payload())
    with pytest.raises(
        InfrastructureError, match="the database kept something else than the payload: 'Befor'"
    ):
        await handle.__aenter__()
    assert dump(postgres_url) == before


async def test_no_file(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    handle = mail_surface(f"sqlite:///{path}", row={}).inject(payload=order_payload())
    with pytest.raises(InfrastructureError, match=f"there is no database file {re.escape(str(path))}"):
        await handle.__aenter__()
    assert not path.exists()


async def test_no_database_at_all(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("this is no database, whatever it is called; it is text of some length")
    handle = mail_surface(f"sqlite:///{path}", row={}).inject(payload=order_payload())
    with pytest.raises(InfrastructureError, match="file is not a database"):
        await handle.__aenter__()


async def test_read_only(database_url: sa.URL) -> None:
    make_tables(database_url)
    before = dump(database_url)
    if database_url.get_backend_name() == "sqlite":
        url = database_url.set(database=f"file:{database_url.database}", query={"mode": "ro", "uri": "true"})
    else:
        url = database_url.set(query={"options": "-c default_transaction_read_only=on"})
    for place in ({"row": {"owner": 1}}, {"where": {"id": 101}}):
        handle = mail_surface(url, **place).inject(payload=order_payload())
        with pytest.raises(InfrastructureError, match=r"(?i:read-?only)"):
            await handle.__aenter__()
    assert dump(database_url) == before


async def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        url = f"postgresql+psycopg://ann:swordfish1@127.0.0.1:{port}/app"
        handle = mail_surface(url, row={}).inject(payload=order_payload())
        with pytest.raises(InfrastructureError, match=f"ann@127.0.0.1:{port}/app: .*refused") as caught:
            await handle.__aenter__()
    assert "swordfish1" not in str(caught.value)


@pytest.mark.postgres
async def test_what_another_transaction_holds_is_not_waited_for_without_end(postgres_url: sa.URL) -> None:
    make_tables(postgres_url)
    engine = sa.create_engine(postgres_url)
    surface = mail_surface(postgres_url, where={"id": 101}, lock_timeout_s=0.2)
    with engine.connect() as other:
        other.execute(sa.text("UPDATE mails SET subject = 'x' WHERE id = 101"))
        with pytest.raises(InfrastructureError, match="canceling statement due to lock timeout"):
            await surface.inject(payload=order_payload()).__aenter__()
        other.rollback()
    engine.dispose()
    async with surface.inject(payload=order_payload()):
        pass


async def test_a_locked_file_is_not_waited_for_without_end(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    path.touch()
    url = sa.URL.create("sqlite", database=str(path))
    make_tables(url)
    surface = mail_surface(url.set(query={"timeout": "0.1"}), where={"id": 101})
    engine = sa.create_engine(url)
    with engine.connect() as other:
        other.execute(sa.text("UPDATE mails SET subject = 'x' WHERE id = 101"))
        with pytest.raises(InfrastructureError, match="database is locked"):
            await surface.inject(payload=order_payload()).__aenter__()
        other.rollback()
    engine.dispose()


async def test_an_attack_on_it_is_an_error(database_url: sa.URL) -> None:
    make_tables(database_url)
    handle = mail_surface(database_url, where={"id": 5}).inject(payload=order_payload())
    result = await attack(handle, lambda: read_bodies(database_url), "obedient")
    assert result.status is SafetyStatus.ERROR
    assert "table mails.body: payload 'order' could not be planted in the row where id=5" in result.summary


_GOOD: dict[str, Any] = {"database": "sqlite:///app.db", "table": "mails", "column": "body", "row": {}}


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        pytest.param({"table": ""}, ValueError, "table must not be empty", id="empty-table"),
        pytest.param({"column": 3}, TypeError, "column must be a str, got int", id="column-3"),
        pytest.param({"table": None}, TypeError, "table must be a str, got NoneType", id="no-table"),
        pytest.param({"name": " "}, ValueError, "name must not be empty", id="blank-name"),
        pytest.param({"row": None}, ValueError, r"give either row=.* or where=", id="neither"),
        pytest.param({"where": {"id": 1}}, ValueError, r"give either row=.* or where=", id="both"),
        pytest.param(
            {"row": ["id"]}, TypeError, "row must map names of columns to values, got list", id="list"
        ),
        pytest.param({"row": {1: 2}}, TypeError, "row must map names of columns", id="no-names"),
        pytest.param({"row": None, "where": {}}, ValueError, "where must not be empty", id="empty-where"),
        pytest.param(
            {"row": {"body": "x"}}, ValueError, "row gives column 'body' a value", id="row-has-column"
        ),
        pytest.param(
            {"mode": "prepend"}, ValueError, "mode must be 'replace' or 'append', got 'prepend'", id="mode"
        ),
        pytest.param(
            {"mode": "append"}, ValueError, "mode='append' is for a row that is there", id="append-row"
        ),
        pytest.param({"key": "id"}, TypeError, "key must be a list of columns, got 'id'", id="key-text"),
        pytest.param({"key": []}, ValueError, "key must not be empty", id="empty-key"),
        pytest.param(
            {"key": ["id"]}, ValueError, "key names 'id', for which row has no value", id="key-not-in-row"
        ),
        pytest.param(
            {"lock_timeout_s": 0}, ValueError, "lock_timeout_s must be a positive number", id="no-time"
        ),
        pytest.param(
            {"database": 5}, TypeError, "must be an address or an engine of SQLAlchemy, got int", id="int"
        ),
        pytest.param(
            {"database": "app.db"},
            ValueError,
            "that SQLAlchemy understands.* such as 'sqlite:///app.db'$",
            id="file",
        ),
        pytest.param(
            {"database": "/data/app.sqlite"}, ValueError, "such as 'sqlite:////data/app.sqlite'$", id="path"
        ),
        pytest.param(
            {"database": "hunter2"}, ValueError, "such as 'sqlite:///shop.db'$", id="maybe-a-password"
        ),
        pytest.param(
            {"database": "u:hunter2@x.db"},
            ValueError,
            "such as 'sqlite:///shop.db'$",
            id="password-in-a-path",
        ),
        pytest.param(
            {"database": "nosuch://x"}, ValueError, "SQLAlchemy knows no database 'nosuch'", id="unknown"
        ),
        pytest.param(
            {"database": "sqlite://"}, ValueError, "in memory, which nobody else would see", id="memory"
        ),
        pytest.param({"database": "sqlite:///:memory:"}, ValueError, "in memory", id="named-memory"),
        pytest.param(
            {"database": "sqlite:///file:x?mode=memory&uri=true"},
            ValueError,
            "in memory",
            id="memory-by-option",
        ),
    ],
)
def test_refused_at_once(change: dict[str, Any], error: type[Exception], text: str) -> None:
    SqlSurface(**_GOOD)
    with pytest.raises(error, match=text):
        SqlSurface(**{**_GOOD, **change})
