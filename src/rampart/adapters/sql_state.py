"""What a query finds in a database, as a state."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from rampart.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import URL, Connection, Engine
    from sqlalchemy.ext.asyncio import AsyncEngine

INSTALL = 'SqlState needs SQLAlchemy, which is not installed: pip install "rampart[sql]"'


class SqlState:
    """What a query finds, for `with_state`; the transaction is rolled back.

    The state is a list of rows, each an object of its columns, in the order of the query: give it an
    `ORDER BY`, or a key. With a key it is an object of the rows by that column, so that a row which is gone
    shows as such, and not as a change of all that come after it.

    Args:
        database: The address of a database, or an engine of SQLAlchemy, sync or async. A sync one is asked in
            a thread.
        query: The SQL text.
        key: A column without equal values.
        parameters: Values for `:names` in the query.
        most_rows: With more rows than this no snapshot is taken.

    Raises:
        ConfigurationError: If SQLAlchemy is not installed.
        TypeError: If the database is neither an address nor an engine.
        ValueError: If the query is blank, the address malformed, or `most_rows` below 1.
    """

    shared = True

    def __init__(
        self,
        database: str | URL | Engine | AsyncEngine,
        query: str,
        /,
        *,
        key: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        most_rows: int = 5000,
    ) -> None:
        if not query.strip():
            msg = "the query is blank; expected SQL such as SELECT id, status FROM orders ORDER BY id"
            raise ValueError(msg)
        if most_rows < 1:
            msg = f"most_rows must be 1 or more, got {most_rows}"
            raise ValueError(msg)
        self._engine = _engine(database)
        self._query = query
        self._key = key
        self._parameters = dict(parameters or {})
        self._most = most_rows

    async def __call__(self, session: object, /) -> list[dict[str, Any]] | dict[str, dict[str, Any]]:
        """Take a snapshot.

        Raises:
            ValueError: If there are too many rows, or the key does not tell them apart.
            sqlalchemy.exc.SQLAlchemyError: If the query fails.
        """
        del session
        if hasattr(self._engine, "sync_engine"):
            async with self._engine.connect() as connection:
                rows = await connection.run_sync(self._rows)
                await connection.rollback()
        else:
            rows = await asyncio.to_thread(self._ask)
        if len(rows) > self._most:
            msg = f"the query finds more than {self._most} rows; narrow it"
            raise ValueError(msg)
        return rows if self._key is None else _by_key(rows, self._key)

    def _ask(self) -> list[dict[str, Any]]:
        with self._engine.connect() as connection:
            rows = self._rows(connection)
            connection.rollback()
        return rows

    def _rows(self, connection: Connection) -> list[dict[str, Any]]:
        import sqlalchemy as sa  # noqa: PLC0415 - an optional library

        found = connection.execute(sa.text(self._query), self._parameters)
        return [dict(row) for row in found.mappings().fetchmany(self._most + 1)]


def _engine(given: object) -> Any:
    try:
        import sqlalchemy as sa  # noqa: PLC0415 - an optional library is imported where it is used
        from sqlalchemy.pool import NullPool  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise ConfigurationError(INSTALL) from error
    if isinstance(given, str | sa.URL):
        try:
            address = sa.make_url(given)
        except sa.exc.ArgumentError as error:
            msg = "the database is no address that SQLAlchemy understands, such as sqlite:///orders.db"
            raise ValueError(msg) from error
        if address.get_backend_name() == "sqlite" and address.database in {None, "", ":memory:"}:
            msg = "each connection to this address has an empty database of its own; pass the engine instead"
            raise ValueError(msg)
        return sa.create_engine(address, poolclass=NullPool)
    if not isinstance(getattr(given, "sync_engine", given), sa.Engine):
        msg = f"database must be an address or an engine of SQLAlchemy, got {type(given).__name__}"
        raise TypeError(msg)
    return given


def _by_key(rows: Sequence[dict[str, Any]], key: str) -> dict[str, dict[str, Any]]:
    keyed: dict[str, dict[str, Any]] = {}
    for row in rows:
        if key not in row:
            msg = f"the query gives no column {key!r}, only {', '.join(map(repr, row))}"
            raise ValueError(msg)
        name = str(row[key])
        if name in keyed:
            msg = f"two rows have the {key} {name!r}; take a column without equal values"
            raise ValueError(msg)
        keyed[name] = row
    return keyed
