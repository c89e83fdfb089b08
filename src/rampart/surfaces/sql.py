"""Tables of a database from which an agent reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from rampart.core.errors import ConfigurationError
from rampart.surfaces.handle import repeatable
from rampart.surfaces.sql_address import table_key
from rampart.text.safe import safe_float

if TYPE_CHECKING:
    from sqlalchemy.engine import URL, Engine
    from sqlalchemy.ext.asyncio import AsyncEngine

    from rampart.core.types import Payload
    from rampart.surfaces.handle import PlantedHandle
    from rampart.surfaces.sql_database import Database


class SqlSurface:
    """Plants payloads in a table: in a row of its own, or in one column of a row that is there.

    What is planted is committed, so that every connection sees it, and the place is put back as it was: the
    row is deleted, the column gets its old value. Neither happens to what somebody else wrote meanwhile; then
    leaving the handle raises. Numbers that the database draws for new rows are not given back.

    Needs the extra `sql` and the driver of your database. Tested with SQLite and PostgreSQL.

    Args:
        database: The address of the database as SQLAlchemy writes it, or an engine of yours, sync or async.
            A sync one is used in threads. Passwords are in no message and no name.
        table: The name of the table, as it is in the database.
        column: The column that gets the payload; a column for bytes gets text as UTF-8.
        row: Insert a row with these values in its other columns. Columns not named get what the database
            gives them.
        where: Change the row in which these columns have these values; exactly one has to match.
        key: Columns that tell the row from all others, where the table has no primary key; together with
            `row`, columns of it.
        mode: With `where`, `"replace"` what the column holds, or `"append"` to it.
        separator: What stands between the two when appending; a blank line by default.
        schema: The schema of the table; by default the one in which the database looks by itself.
        name: What reports call the place; `table <table>.<column>` by default.
        isolation_key: Handles with the same key never overlap. By default that is the table for `row`, as
            an agent that lists it sees all, and the row for `where`.
        lock_timeout_s: Seconds to wait for a connection, and for what another transaction has locked. An
            engine of yours for SQLite waits as it is set up to.

    Raises:
        ConfigurationError: If SQLAlchemy or the driver of an address is not installed.
        TypeError: If an argument is of another kind.
        ValueError: If arguments are empty or contradict each other, or the address is of no use.
    """

    def __init__(
        self,
        *,
        database: str | URL | Engine | AsyncEngine,
        table: str,
        column: str,
        row: Mapping[str, object] | None = None,
        where: Mapping[str, object] | None = None,
        key: Sequence[str] | None = None,
        mode: Literal["replace", "append"] = "replace",
        separator: str = "\n\n",
        schema: str | None = None,
        name: str | None = None,
        isolation_key: str | None = None,
        lock_timeout_s: float = 10.0,
    ) -> None:
        _check_names(table=table, column=column, schema=schema, name=name, isolation_key=isolation_key)
        _check_values(row=row, where=where, column=column)
        if mode not in ("replace", "append"):
            msg = f"mode must be 'replace' or 'append', got {mode!r}"
            raise ValueError(msg)
        if row is not None and mode == "append":
            msg = "mode='append' is for a row that is there: give where=... instead of row=..."
            raise ValueError(msg)
        seconds = safe_float(lock_timeout_s)
        if seconds is None or seconds <= 0:
            msg = f"lock_timeout_s must be a positive number of seconds, got {lock_timeout_s!r}"
            raise ValueError(msg)
        self._key = _checked_key(key, row=row)
        self._table, self._column, self._schema = table, column, schema
        self._row = None if row is None else dict(row)
        self._where = {} if where is None else dict(where)
        self._mode, self._separator = mode, separator
        self._database = _database(database, lock_timeout_s=seconds)
        dotted = table if schema is None else f"{schema}.{table}"
        self._name = name or f"table {dotted}.{column}"
        self._isolation_key = isolation_key or self._default_isolation_key()

    def inject(self, *, payload: Payload) -> PlantedHandle:
        """Prepare to plant `payload`; the database is touched when the handle is entered."""
        return repeatable(self._handle, payload)

    def _handle(self, payload: Payload) -> PlantedHandle:
        from rampart.surfaces.sql_changed_column import ChangedColumn, ColumnToChange  # noqa: PLC0415  # extra
        from rampart.surfaces.sql_inserted_row import InsertedRow, RowToInsert  # noqa: PLC0415  # extra

        if self._row is None:
            return ChangedColumn(
                payload=payload,
                database=self._database,
                target=ColumnToChange(
                    table=self._table,
                    schema=self._schema,
                    column=self._column,
                    where=self._where,
                    key=self._key,
                    mode=self._mode,
                    separator=self._separator,
                ),
                surface_name=self._name,
                isolation_key=self._isolation_key,
            )
        return InsertedRow(
            payload=payload,
            database=self._database,
            target=RowToInsert(
                table=self._table, schema=self._schema, column=self._column, values=self._row, key=self._key
            ),
            surface_name=self._name,
            isolation_key=self._isolation_key,
        )

    def _default_isolation_key(self) -> str:
        table = table_key(self._database.url, schema=self._schema, table=self._table)
        if self._row is not None:
            return table
        return table + "?" + "&".join(f"{name}={self._where[name]!s}" for name in sorted(self._where))


def _database(given: object, *, lock_timeout_s: float) -> Database:
    try:
        from rampart.surfaces.sql_database import Database  # noqa: PLC0415  # needs the extra
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "sqlalchemy":
            raise
        msg = 'SqlSurface needs SQLAlchemy, which is not installed: pip install "rampart[sql]"'
        raise ConfigurationError(msg) from error
    return Database(given, lock_timeout_s=lock_timeout_s)


def _check_names(**names: object) -> None:
    for argument, value in names.items():
        if value is None and argument not in ("table", "column"):
            continue
        if not isinstance(value, str):
            msg = f"{argument} must be a str, got {type(value).__name__}"
            raise TypeError(msg)
        if not value.strip():
            msg = f"{argument} must not be empty"
            raise ValueError(msg)


def _check_values(*, row: object, where: object, column: str) -> None:
    if (row is None) == (where is None):
        msg = "give either row=... (a new row) or where=... (a row that is there)"
        raise ValueError(msg)
    argument, values = ("where", where) if row is None else ("row", row)
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        msg = f"{argument} must map names of columns to values, got {type(values).__name__}"
        raise TypeError(msg)
    if row is None and not values:
        msg = "where must not be empty: it has to match exactly one row"
        raise ValueError(msg)
    if row is not None and column in values:
        msg = f"row gives column {column!r} a value, but that is where the payload goes"
        raise ValueError(msg)


def _checked_key(key: object, *, row: Mapping[str, object] | None) -> tuple[str, ...] | None:
    if key is None:
        return None
    if isinstance(key, str) or not isinstance(key, Sequence) or not all(isinstance(one, str) for one in key):
        msg = f"key must be a list of columns, got {key!r}"
        raise TypeError(msg)
    if not key:
        msg = "key must not be empty; leave it out to use the primary key"
        raise ValueError(msg)
    missing = [] if row is None else [name for name in key if name not in row]
    if missing:
        msg = f"key names {', '.join(map(repr, missing))}, for which row has no value"
        raise ValueError(msg)
    return tuple(key)
