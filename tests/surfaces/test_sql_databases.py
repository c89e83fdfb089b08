"""Addresses and engines, how they are named, and that nothing of them is left."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool, NullPool, StaticPool
from tests.surfaces.agents import ORDER, check_the_three_agents, order_payload
from tests.surfaces.sql_tables import dump, mail_surface, make_tables, read_bodies, rows

from rampart import ConfigurationError, InfrastructureError
from rampart.surfaces import SqlSurface
from rampart.text.secrets import redact

PLACES = [
    pytest.param({"row": {"owner": 1}}, id="row"),
    pytest.param({"where": {"id": 101}, "mode": "append"}, id="column"),
]


def _async_url(url: sa.URL) -> sa.URL:
    return url.set(drivername="sqlite+aiosqlite") if url.get_backend_name() == "sqlite" else url


@pytest.fixture
async def async_engine(database_url: sa.URL) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(_async_url(database_url), poolclass=AsyncAdaptedQueuePool)
    yield engine
    await engine.dispose()


@pytest.mark.parametrize("place", PLACES)
async def test_an_engine_of_the_user_s(database_url: sa.URL, place: dict[str, object]) -> None:
    make_tables(database_url)
    before = dump(database_url)
    engine = sa.create_engine(database_url, pool_size=1, max_overflow=0)
    async with mail_surface(engine, **place).inject(payload=order_payload()):
        with engine.connect() as connection:
            assert ORDER in "".join(map(str, connection.execute(sa.text("SELECT body FROM mails"))))
    assert engine.pool.checkedout() == 0  # type: ignore[attr-defined]  # a QueuePool
    assert dump(database_url) == before
    engine.dispose()


async def test_an_engine_that_commits_each_statement(database_url: sa.URL) -> None:
    """There is no roll-back, so what fails half-way is taken back by hand."""
    make_tables(database_url)
    before = dump(database_url)
    engine = sa.create_engine(database_url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    for place in ({"row": {"owner": 1}}, {"where": {"id": 101}}):
        async with mail_surface(engine, **place).inject(payload=order_payload()):
            assert ORDER in read_bodies(database_url)
        assert dump(database_url) == before
        # A number is not kept as the text that it was planted as.
        score = mail_surface(engine, column="score", **place).inject(payload=order_payload(content="5.0"))
        with pytest.raises(InfrastructureError, match="the database kept something else than the payload"):
            await score.__aenter__()
        assert dump(database_url) == before


@pytest.mark.parametrize("place", PLACES)
async def test_an_async_engine(
    database_url: sa.URL, async_engine: AsyncEngine, place: dict[str, object]
) -> None:
    make_tables(database_url)
    before = dump(database_url)
    surface = mail_surface(async_engine, **place)
    await check_the_three_agents(
        lambda: surface.inject(payload=order_payload()), lambda: read_bodies(database_url)
    )
    assert async_engine.pool.checkedout() == 0  # type: ignore[attr-defined]  # a queue of connections
    assert dump(database_url) == before


async def test_an_async_address(database_url: sa.URL) -> None:
    """On PostgreSQL the same driver serves both, so only an engine can say that it is async."""
    make_tables(database_url)
    before = dump(database_url)
    url = _async_url(database_url)
    threads = threading.active_count()
    for place in ({"row": {"owner": 1}}, {"where": {"id": 101}}):
        async with mail_surface(url, **place).inject(payload=order_payload()):
            assert ORDER in read_bodies(database_url)
    assert dump(database_url) == before
    if database_url.get_backend_name() == "sqlite":
        assert threading.active_count() == threads


async def test_refusals_of_an_async_engine(database_url: sa.URL, async_engine: AsyncEngine) -> None:
    make_tables(database_url)
    with pytest.raises(InfrastructureError, match=r"could not be planted.*(?i:not.null constraint)"):
        await mail_surface(async_engine, row={}).inject(payload=order_payload()).__aenter__()
    with pytest.raises(InfrastructureError, match="no row matches id=5"):
        await mail_surface(async_engine, where={"id": 5}).inject(payload=order_payload()).__aenter__()


async def test_the_agent_s_engine_of_a_database_in_memory() -> None:
    engine = sa.create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")
        connection.exec_driver_sql("INSERT INTO notes VALUES (1, 'a')")

    def bodies() -> list[str]:
        with engine.connect() as connection:
            return list(connection.scalars(sa.text("SELECT body FROM notes ORDER BY id")))

    async def one(number: int) -> None:
        # Every second one is refused, and its transaction rolled back; the others must not notice.
        payload = order_payload(content=f"note {number}")
        row: dict[str, object] = {"id": number if number % 2 else 1}
        handle = mail_surface(engine, table="notes", row=row).inject(payload=payload)
        if number % 2 == 0:
            with pytest.raises(InfrastructureError, match="UNIQUE constraint"):
                await handle.__aenter__()
            return
        async with handle:
            await asyncio.sleep(0.01)

    await asyncio.gather(*(one(number) for number in range(11, 51)))
    assert bodies() == ["a"]
    engine.dispose()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("sqlite:///{folder}/app.db", "sqlite+aiosqlite:///{folder}/app.db", id="driver"),
        pytest.param("sqlite:///{folder}/app.db", "sqlite:///{folder}/sub/../app.db", id="path"),
        pytest.param(
            "sqlite:///{folder}/app.db", "sqlite:///file:{folder}/app.db?mode=ro&uri=true", id="path-as-uri"
        ),
        pytest.param(
            "postgresql+psycopg://ann:password1@localhost/app",
            "postgresql+psycopg://bob@127.0.0.1:5432/app?connect_timeout=3",
            id="user-port-options",
        ),
        pytest.param(
            "postgresql+psycopg://ann@/app?host=DB.example&port=5433",
            "postgresql+psycopg://ann@db.example:5433/app",
            id="host-as-option",
        ),
    ],
)
def test_one_place_has_one_key(tmp_path: Path, one: str, other: str) -> None:
    surfaces = [mail_surface(url.format(folder=tmp_path), row={}) for url in (one, other)]
    keys = {surface.inject(payload=order_payload()).isolation_key for surface in surfaces}
    assert len(keys) == 1
    assert "password" not in keys.pop()


def test_keys_tell_rows_tables_schemas_and_databases_apart() -> None:
    url = "postgresql+psycopg://ann@db/app"
    surfaces = [
        mail_surface(url, row={}),
        mail_surface(url, row={}, table="notes"),
        mail_surface(url, row={}, schema="private"),
        mail_surface(url + "2", row={}),
        mail_surface(url, where={"id": 1}),
        mail_surface(url, where={"id": 2}),
        mail_surface(url, where={"id": 2, "owner": 1}),
        mail_surface(url, where={"id": 2}, isolation_key="mine"),
    ]
    keys = [surface.inject(payload=order_payload()).isolation_key for surface in surfaces]
    assert len(set(keys)) == len(keys)
    same = [
        mail_surface(url, row={"owner": 1}, schema="public"),
        mail_surface(url, where={"owner": 1, "id": 2}),
    ]
    assert {one.inject(payload=order_payload()).isolation_key for one in same} < set(keys)
    assert keys[-1] == "mine"


@pytest.mark.parametrize(
    ("url", "password"),
    [
        pytest.param("postgresql+psycopg://ann:sword%2Ffish@127.0.0.1:1/app", "sword/fish", id="in-front"),
        pytest.param("postgresql+psycopg://ann:sword%2Ffish@127.0.0.1:1/app", "sword%2Ffish", id="encoded"),
        pytest.param("postgresql+psycopg://ann@127.0.0.1:1/app?password=swordfish", "swordfish", id="option"),
        pytest.param("postgresql+psycopg://ann:qx7@127.0.0.1:1/app", "qx7", id="short"),
    ],
)
async def test_passwords_show_up_nowhere(url: str, password: str) -> None:
    handle = mail_surface(url, row={}).inject(payload=order_payload())
    with pytest.raises(InfrastructureError, match=r"ann@127\.0\.0\.1:1/app: OperationalError: ") as caught:
        await handle.__aenter__()
    shown = f"{caught.value} {handle.place} {handle.surface_name} {handle.isolation_key}"
    assert password not in shown
    if len(password) >= 8:
        assert redact(f"<{password}>") == "<***>"


@pytest.mark.postgres
async def test_a_wrong_password_is_not_shown(postgres_url: sa.URL) -> None:
    handle = mail_surface(postgres_url.set(password="not-the-one"), row={}).inject(payload=order_payload())
    with pytest.raises(InfrastructureError, match="password authentication failed for user") as caught:
        await handle.__aenter__()
    assert "not-the-one" not in str(caught.value)


def test_an_address_that_cannot_be_read_is_not_shown() -> None:
    with pytest.raises(ValueError, match="no address that SQLAlchemy understands") as caught:
        mail_surface("postgresql://ann:swordfish@host:port/app", row={})
    assert "swordfish" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_driver_that_is_missing() -> None:
    with pytest.raises(
        ConfigurationError, match=r"the driver of oracle\+cx_oracle is missing: no module 'cx_"
    ):
        mail_surface("oracle+cx_oracle://ann@db/app", row={})


def test_without_sqlalchemy(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "rampart.surfaces.sql_database")
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(ConfigurationError, match=r'not installed: pip install "rampart\[sql\]"'):
        mail_surface("sqlite:///app.db", row={})


async def test_names() -> None:
    url = "postgresql+psycopg://ann@db/app"
    surface = SqlSurface(database=url, table="mails", column="body", row={}, schema="private")
    assert surface.inject(payload=order_payload()).surface_name == "table private.mails.body"
    surface = SqlSurface(database=url, table="mails", column="body", row={}, name="the inbox")
    handle = surface.inject(payload=order_payload())
    assert handle.surface_name == "the inbox"
    assert handle.place == "a new row of table 'mails', column 'body', postgresql+psycopg://ann@db/app"


async def test_long_values_are_cut_in_messages(database_url: sa.URL) -> None:
    make_tables(database_url)
    handle = mail_surface(database_url, where={"body": "x" * 5000}).inject(payload=order_payload())
    with pytest.raises(InfrastructureError, match=r"no row matches body='x+\.\.\.") as caught:
        await handle.__aenter__()
    assert len(str(caught.value)) < 1000
    assert rows(database_url, "SELECT count(*) FROM mails") == [(3,)]
