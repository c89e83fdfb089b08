"""The columns of a table and their types, as far as the types matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.exc import NoSuchTableError
from sqlalchemy.types import NullType, TypeEngine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

# Types of which the driver has to be told; it sends everything else as PostgreSQL expects it.
_POSTGRESQL_TYPES: Mapping[str, TypeEngine[Any]] = {
    "bytea": sa.LargeBinary(),
    "json": sa.JSON(),
    "jsonb": sa.JSON(),
}

# SQLAlchemy's own look warns of every type that it does not know, such as that of vectors.
_POSTGRESQL_COLUMNS = sa.text("""
    SELECT a.attname, format_type(coalesce(nullif(t.typbasetype, 0), t.oid), NULL)
    FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_type t ON t.oid = a.atttypid
    WHERE c.relname = :table AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND a.attnum > 0 AND NOT a.attisdropped
    AND CASE WHEN :anywhere THEN pg_table_is_visible(c.oid) ELSE n.nspname = :schema END
    ORDER BY a.attnum
""")


def column_types(connection: Connection, *, table: str, schema: str | None) -> dict[str, TypeEngine[Any]]:
    """The columns of a table or view, in their order, with their types.

    Raises:
        NoSuchTableError: If there is none.
    """
    if connection.dialect.name != "postgresql":
        columns = sa.inspect(connection).get_columns(table, schema=schema)
        return {column["name"]: column["type"] for column in columns}
    names = {"table": table, "schema": schema or "", "anywhere": schema is None}
    found = connection.execute(_POSTGRESQL_COLUMNS, names).all()
    if not found:
        raise NoSuchTableError(table)
    return {name: _POSTGRESQL_TYPES.get(base, NullType()) for name, base in found}
