"""A database, and work in it that is one transaction each."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, SQLAlchemyError, StatementError
from sqlalchemy.pool import NullPool, SingletonThreadPool, StaticPool

from rampart.core.errors import ConfigurationError, InfrastructureError
from rampart.core.to_its_end import to_its_end_async
from rampart.surfaces.blocking import run_blocking_async
from rampart.surfaces.sql_address import Passwords, is_in_memory, shown_address, sqlite_path
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import URL, Connection, Engine
    from sqlalchemy.ext.asyncio import AsyncEngine

T = TypeVar("T")

# What drivers call the wait for a connection; that of SQLite is also the wait for a lock.
_CONNECT_LIMITS = {
    "psycopg": "connect_timeout",
    "psycopg2": "connect_timeout",
    "asyncpg": "timeout",
    "pysqlite": "timeout",
    "aiosqlite": "timeout",
}

_one_at_a_time: WeakKeyDictionary[Engine, threading.Lock] = WeakKeyDictionary()
_making_locks = threading.Lock()


class Database:
    """Opens a connection for each piece of work, commits it, and gives the connection back.

    Engines that are made here keep no connection between pieces of work, so there is nothing to close.

    Args:
        given: The address of a database, or an engine; async addresses and engines too.
        lock_timeout_s: Seconds to wait for a connection, and for what another transaction has locked, where
            the driver can be told.
    """

    def __init__(self, given: object, *, lock_timeout_s: float) -> None:
        engine = given
        if isinstance(given, str | sa.URL):
            engine = _made_engine(_url(given), lock_timeout_s)
        sync_engine = getattr(engine, "sync_engine", engine)
        if not isinstance(sync_engine, sa.Engine):
            msg = f"database must be an address or an engine of SQLAlchemy, got {type(given).__name__}"
            raise TypeError(msg)
        self._async_engine: AsyncEngine | None = None if engine is sync_engine else engine  # type: ignore[assignment]  # what has a `sync_engine` is one
        self._engine: Engine = sync_engine
        self._lock_timeout_s = lock_timeout_s
        self._passwords = Passwords(self.url)

    @property
    def url(self) -> URL:
        """The address, with its password."""
        return self._engine.url

    @property
    def shown(self) -> str:
        """The address for messages."""
        return self._passwords.mask(shown_address(self.url))

    async def run_async(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a transaction of its own, to its end even when cancelled meanwhile.

        Raises:
            InfrastructureError: If the database refuses; the text is that of the database alone, without
                statement and parameters.
        """
        try:
            if self._async_engine is None:
                return await run_blocking_async(partial(self._run, work))
            return await to_its_end_async(self._run_in_loop_async(self._async_engine, work))
        except SQLAlchemyError as error:
            cause = error.orig if isinstance(error, StatementError) and error.orig is not None else error
            text = self._passwords.mask(safe_str(cause))
            raise InfrastructureError(f"{type(cause).__name__}: {text}") from error

    def _run(self, work: Callable[[Connection], T]) -> T:
        self._check_file()
        with _alone(self._engine), self._engine.begin() as connection:
            self._limit_waiting(connection)
            return work(connection)

    async def _run_in_loop_async(self, engine: AsyncEngine, work: Callable[[Connection], T]) -> T:
        self._check_file()
        async with engine.begin() as connection:
            await connection.run_sync(self._limit_waiting)
            return await connection.run_sync(work)

    def _check_file(self) -> None:
        """SQLite would make an empty database where there is none."""
        path = sqlite_path(self.url)
        if path is not None and not path.exists():
            raise InfrastructureError(f"there is no database file {path}")

    def _limit_waiting(self, connection: Connection) -> None:
        """Work cannot be interrupted, so it must not wait for a lock for ever."""
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {round(self._lock_timeout_s * 1000)}")


def _url(given: str | URL) -> URL:
    try:
        url = sa.make_url(given)
    except (ArgumentError, ValueError):
        # The text may hold a password, so neither it nor the error that quotes it is shown.
        msg = (
            "database is no address that SQLAlchemy understands; expected dialect[+driver]://..., such as "
            f"{_example(given)!r}"
        )
        raise ValueError(msg) from None
    if is_in_memory(url):
        msg = (
            f"{shown_address(url)} is a database in memory, which nobody else would see; "
            "pass the engine that the agent uses"
        )
        raise ValueError(msg)
    return url


def _example(given: str | URL) -> str:
    """An address as it should be, with the path that was given, if it is one and can hold no password."""
    path = str(given)
    is_file = (
        path.endswith((".db", ".sqlite", ".sqlite3")) and path.isprintable() and not set(":@=?") & set(path)
    )
    return f"sqlite:///{path if is_file else 'shop.db'}"


def _made_engine(url: URL, lock_timeout_s: float) -> Engine | AsyncEngine:
    options: dict[str, Any] = {"poolclass": NullPool}
    try:
        dialect = url.get_dialect()
        limit = _CONNECT_LIMITS.get(dialect.driver)
        if limit is not None and limit not in url.query:
            options["connect_args"] = {limit: max(1, round(lock_timeout_s))}
        if not dialect.is_async:
            return sa.create_engine(url, **options)
        from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415  # needs greenlet, others do not

        return create_async_engine(url, **options)
    except ModuleNotFoundError as error:
        msg = f"the driver of {url.drivername} is missing: no module {error.name!r}; install it"
        raise ConfigurationError(msg) from error
    except ArgumentError as error:
        msg = f"SQLAlchemy knows no database {url.drivername!r}: {error}"
        raise ValueError(msg) from error


def _alone(engine: Engine) -> AbstractContextManager[object]:
    """Transactions on one and the same connection, as of databases in memory, must not mix."""
    if not isinstance(engine.pool, StaticPool | SingletonThreadPool):
        return nullcontext()
    with _making_locks:
        return _one_at_a_time.setdefault(engine, threading.Lock())
