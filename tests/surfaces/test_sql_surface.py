"""Payloads in tables: planted where everybody sees them, and taken out without a trace."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.surfaces.agents import ORDER, check_the_three_agents, order_payload
from tests.surfaces.sql_tables import connected, dump, mail_surface, make_tables, read_bodies, rows, run

from rampart import InfrastructureError, Payload, PayloadFormat, Surface
from rampart.surfaces import SqlSurface


@pytest.fixture(autouse=True)
def _tables(database_url: sa.URL) -> None:
    make_tables(database_url)


def _column(url: sa.URL, column: str, key: int) -> object:
    [(value,)] = rows(url, f"SELECT {column} FROM mails WHERE id = {key}")
    return value


async def test_a_row_comes_and_goes(database_url: sa.URL) -> None:
    before = dump(database_url)
    surface = mail_surface(database_url, row={"owner": 2, "subject": "Hello"})
    assert isinstance(surface, Surface)
    handle = surface.inject(payload=order_payload())
    assert dump(database_url) == before
    async with handle:
        assert rows(
            database_url, "SELECT owner, subject, body FROM mails WHERE id NOT IN (101, 102, 103)"
        ) == [(2, "Hello", ORDER)]
    assert dump(database_url) == before
    await handle.__aexit__(None, None, None)
    assert (handle.surface_name, handle.payload_id) == ("table mails.body", "order")


async def test_the_key_may_be_given(database_url: sa.URL) -> None:
    before = dump(database_url)
    handle = mail_surface(database_url, row={"id": 7, "owner": 2}).inject(payload=order_payload())
    async with handle:
        assert _column(database_url, "body", 7) == ORDER
        assert "row id=7 of table 'mails'" in handle.place
    assert dump(database_url) == before


@pytest.mark.parametrize(
    ("mode", "key", "expected"),
    [
        pytest.param("replace", 101, ORDER, id="replace"),
        pytest.param("append", 101, "Dear Ann, see our offer.\n\n" + ORDER, id="append"),
        pytest.param("replace", 102, ORDER, id="replace-empty-text"),
        pytest.param("append", 102, "\n\n" + ORDER, id="append-to-empty-text"),
        pytest.param("replace", 103, ORDER, id="replace-null"),
        pytest.param("append", 103, ORDER, id="append-to-null"),
    ],
)
async def test_a_column_is_changed_and_put_back(
    database_url: sa.URL, mode: str, key: int, expected: str
) -> None:
    before = dump(database_url)
    surface = mail_surface(database_url, where={"id": key}, mode=mode)
    async with surface.inject(payload=order_payload()):
        assert _column(database_url, "body", key) == expected
        changed = dump(database_url)
        assert sum(changed["mails"][n] != before["mails"][n] for n in range(3)) == 1
    assert dump(database_url) == before


async def test_the_separator_may_be_chosen(database_url: sa.URL) -> None:
    surface = mail_surface(database_url, where={"id": 101}, mode="append", separator=" -- ")
    async with surface.inject(payload=order_payload()):
        assert _column(database_url, "body", 101) == "Dear Ann, see our offer. -- " + ORDER


async def test_a_row_may_be_found_by_null_and_by_the_column_itself(database_url: sa.URL) -> None:
    before = dump(database_url)
    for where in ({"body": None}, {"body": "", "subject": None}):
        async with mail_surface(database_url, where=where).inject(payload=order_payload()):
            assert ORDER in read_bodies(database_url)
        assert dump(database_url) == before


async def test_text_in_a_column_for_bytes_is_utf_8(database_url: sa.URL) -> None:
    before = dump(database_url)
    payload = Payload(content="Grüße, 世界 \\x41 \\")
    surface = SqlSurface(database=database_url, table="mails", column="raw", where={"id": 103})
    async with surface.inject(payload=payload):
        assert _column(database_url, "raw", 103) == payload.content.encode()
    assert dump(database_url) == before


async def test_bytes_are_appended_to_bytes(database_url: sa.URL) -> None:
    with connected(database_url) as connection:
        connection.execute(sa.text("UPDATE mails SET raw = :raw WHERE id = 103"), {"raw": b"\x00\xff"})
    before = dump(database_url)
    surface = SqlSurface(
        database=database_url, table="mails", column="raw", where={"id": 103}, mode="append", separator="|"
    )
    async with surface.inject(payload=order_payload()):
        assert _column(database_url, "raw", 103) == b"\x00\xff|" + ORDER.encode()
    assert dump(database_url) == before


async def test_a_file_goes_into_a_column_for_bytes_only(database_url: sa.URL, tmp_path: Path) -> None:
    artifact = tmp_path / "offer.pdf"
    artifact.write_bytes(b"%PDF \x00\xff")
    payload = Payload(content="an offer", id="offer", format=PayloadFormat.PDF, artifact=artifact)
    before = dump(database_url)
    surface = SqlSurface(database=database_url, table="mails", column="raw", row={"owner": 1})
    async with surface.inject(payload=payload):
        assert (b"%PDF \x00\xff",) in rows(database_url, "SELECT raw FROM mails")
    assert dump(database_url) == before
    refused = mail_surface(database_url, row={"owner": 1}).inject(payload=payload)
    with pytest.raises(InfrastructureError, match="format 'pdf' is bytes, for which column 'body' is not"):
        await refused.__aenter__()
    assert dump(database_url) == before


async def test_a_file_is_not_appended(database_url: sa.URL, tmp_path: Path) -> None:
    with connected(database_url) as connection:
        connection.execute(sa.text("UPDATE mails SET raw = :raw WHERE id = 103"), {"raw": b"found"})
    artifact = tmp_path / "offer.pdf"
    artifact.write_bytes(b"%PDF")
    payload = Payload(content="an offer", id="offer", format=PayloadFormat.PDF, artifact=artifact)
    surface = SqlSurface(database=database_url, table="mails", column="raw", where={"id": 103}, mode="append")
    with pytest.raises(
        InfrastructureError, match="cannot be appended to bytes in column 'raw'; use mode='repl"
    ):
        await surface.inject(payload=payload).__aenter__()
    assert _column(database_url, "raw", 103) == b"found"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("'; DROP TABLE mails; --", id="quotes"),
        pytest.param("100% :name %(name)s ? $1 {x}", id="placeholders"),
        pytest.param("line\r\nline\ttab \u202e \U0001f4e7 e\u0301", id="unicode"),
        pytest.param("  blanks  ", id="blanks"),
        pytest.param("", id="empty"),
        pytest.param("x" * 2000, id="as-much-as-fits"),
    ],
)
async def test_text_is_kept_as_it_is(database_url: sa.URL, text: str) -> None:
    before = dump(database_url)
    for place in ({"row": {"owner": 1, "id": 9}}, {"where": {"id": 101}}):
        surface = mail_surface(database_url, **place)
        async with surface.inject(payload=Payload(content=text)):
            assert _column(database_url, "body", 9 if "row" in place else 101) == text
        assert dump(database_url) == before


async def test_values_of_many_kinds(database_url: sa.URL) -> None:
    """Text is converted by the database as ever; what it may not know, by the type of its column."""
    import datetime as dt
    import decimal
    import uuid

    kinds = "TIMESTAMP" if database_url.get_backend_name() == "postgresql" else "DATETIME"
    run(
        database_url,
        f"CREATE TABLE notes (id INTEGER PRIMARY KEY, at {kinds}, day DATE, ref CHAR(32),"
        " price NUMERIC(8, 2), done BOOLEAN, body TEXT)",
    )
    values = {
        "id": 1,
        "at": dt.datetime(2026, 1, 2, 3, 4, 5),  # noqa: DTZ001  # the column has no zone
        "day": "2026-01-02",
        "ref": uuid.UUID(int=7).hex,
        "price": decimal.Decimal("1.25"),
        "done": True,
    }
    surface = SqlSurface(database=database_url, table="notes", column="body", row=values)
    async with surface.inject(payload=order_payload()):
        [(at, day, ref, price, done, body)] = rows(
            database_url, "SELECT at, day, ref, price, done, body FROM notes"
        )
        assert str(at).startswith("2026-01-02 03:04:05")
        assert (str(day), ref, float(str(price)), bool(done), body) == (
            "2026-01-02", uuid.UUID(int=7).hex, 1.25, True, ORDER
        )  # fmt: skip
    assert rows(database_url, "SELECT * FROM notes") == []


async def test_an_error_in_the_body_leaves_nothing(database_url: sa.URL) -> None:
    before = dump(database_url)
    for place in ({"row": {"owner": 1}}, {"where": {"id": 101}}):
        with pytest.raises(LookupError, match="agent"):
            async with mail_surface(database_url, **place).inject(payload=order_payload()):
                raise LookupError("agent")
        assert dump(database_url) == before


@pytest.mark.parametrize(
    "place",
    [
        pytest.param({"row": {"owner": 1, "subject": "News"}}, id="row"),
        pytest.param({"where": {"id": 101}}, id="replaced"),
        pytest.param({"where": {"id": 101}, "mode": "append"}, id="appended"),
    ],
)
async def test_agents_that_select(database_url: sa.URL, place: dict[str, object]) -> None:
    before = dump(database_url)
    surface = mail_surface(database_url, **place)
    await check_the_three_agents(
        lambda: surface.inject(payload=order_payload()), lambda: read_bodies(database_url)
    )
    assert dump(database_url) == before
