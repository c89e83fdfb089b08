"""What is known of a table, and of one row in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.exc import NoSuchTableError

from rampart.core.errors import InfrastructureError
from rampart.surfaces.sql_columns import column_types
from rampart.surfaces.sql_value import all_equal, raw
from rampart.text.oneline import quote
from rampart.text.safe import safe_repr

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy.engine import Connection
    from sqlalchemy.sql.elements import ColumnElement
    from sqlalchemy.sql.selectable import TableClause
    from sqlalchemy.types import TypeEngine

_MOST_NAMES = 20


@dataclass(frozen=True, kw_only=True)
class SqlTable:
    """A table as the database describes it.

    Attributes:
        clause: The table in statements; its columns have no types, so that nothing is converted.
        types: The columns with their types.
        primary_key: The columns of the primary key; empty where there is none.
    """

    clause: TableClause
    types: Mapping[str, TypeEngine[Any]]
    primary_key: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SqlRow:
    """One row of a table, by the columns that tell it from the others."""

    table: SqlTable
    key: Mapping[str, object]

    @property
    def condition(self) -> ColumnElement[bool]:
        """What is true for this row alone."""
        return all_equal(self.key, self.table.types)

    def read(self, connection: Connection, column: str) -> tuple[object] | None:
        """What the row holds in `column`; None if the row is gone."""
        wanted = sa.select(self.table.clause.c[column]).where(self.condition)
        found = connection.execute(wanted).first()
        return None if found is None else (raw(found[0]),)

    def __str__(self) -> str:
        """The row for messages."""
        return "row " + shown_values(self.key)


def read_table(connection: Connection, *, table: str, schema: str | None, needed: Iterable[str]) -> SqlTable:
    """Ask the database what a table looks like.

    Raises:
        InfrastructureError: If the table, or one of the `needed` columns, does not exist.
    """
    inspector = sa.inspect(connection)
    where = "" if schema is None else f" in schema {schema!r}"
    try:
        types = column_types(connection, table=table, schema=schema)
    except NoSuchTableError:
        there = [*inspector.get_table_names(schema=schema), *inspector.get_view_names(schema=schema)]
        raise InfrastructureError(
            f"there is no table {table!r}{where}, only {_names(sorted(there))}"
        ) from None
    missing = [name for name in dict.fromkeys(needed) if name not in types]
    if missing:
        raise InfrastructureError(
            f"table {table!r}{where} has no column {_names(missing)}, only {_names(types)}"
        )
    clause = sa.table(table, *(sa.column(name) for name in types), schema=schema)
    primary_key = inspector.get_pk_constraint(table, schema=schema)["constrained_columns"]
    return SqlTable(clause=clause, types=types, primary_key=tuple(primary_key))


def shown_values(values: Mapping[str, object]) -> str:
    """Columns and what they equal, for messages."""
    return quote(", ".join(f"{name}={safe_repr(value)}" for name, value in values.items()), 200)


def _names(names: Iterable[str]) -> str:
    quoted = [repr(name) for name in names]
    more = f" and {len(quoted) - _MOST_NAMES} more" if len(quoted) > _MOST_NAMES else ""
    return (", ".join(quoted[:_MOST_NAMES]) or "none") + more
