"""Rows in which a run that was killed has left its payload, and how they are put right."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from rampart.core.errors import InfrastructureError
from rampart.core.log import log
from rampart.surfaces.kept_original import keep
from rampart.surfaces.planting_record import PlantingRecord
from rampart.surfaces.private_file import digest
from rampart.surfaces.sql_address import is_in_memory, table_key
from rampart.surfaces.sql_table import SqlRow, read_table
from rampart.surfaces.sql_value import bound, holds

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from rampart.surfaces.sql_database import Database

_KIND = "row"
_NULL, _TEXT, _BYTES, _INTEGER, _REAL, _OTHER = "null", "text", "bytes", "integer", "real", "other"
_looked_at: set[str] = set()
_ABSENT = object()


class RowRecords:
    """The records of plantings in one table.

    Args:
        database: The database.
        table: The name of the table.
        schema: Its schema; None for the one in which the database looks by itself.
    """

    def __init__(self, database: Database, *, table: str, schema: str | None) -> None:
        self._database = database
        self._table, self._schema = table, schema
        self.place = table_key(database.url, schema=schema, table=table)
        # What is in memory ends with the process.
        self._ends_with_the_process = is_in_memory(database.url)

    def write(
        self, *, row: SqlRow, column: str, payload_id: str, planted: object, before: object = _ABSENT
    ) -> PlantingRecord | None:
        """Write down what is done to a row.

        Args:
            row: The row.
            column: The column that gets the payload.
            payload_id: The payload's id.
            planted: What the column will hold.
            before: What it holds now; left out for a row that is inserted.

        Raises:
            OSError: If there is nowhere to write.
        """
        if self._ends_with_the_process:
            return None
        is_inserted = before is _ABSENT
        kind, original = (_NULL, b"") if is_inserted else encoded(before)
        about = {
            "table": self._table,
            "key": {name: value for name, value in row.key.items() if _is_plain(value)},
            "whole_key": all(map(_is_plain, row.key.values())),
            "row": str(row),
            "column": column,
            "payload_id": payload_id,
            "planted": _digest(planted),
            "inserted": is_inserted,
            "type": kind,
        }
        return PlantingRecord.write(kind=_KIND, place=self.place, about=about, original=original)

    def keep(self, *, row: SqlRow, column: str, original: bytes) -> Path:
        """Keep what a column held where its owner finds it."""
        return keep(f"{self.place}\0{row}\0{column}", original)

    async def recover_async(self) -> None:
        """Put right what killed runs have left in the table; only the first call of a process looks.

        What was changed since is left alone, with a warning that names where the original is.
        """
        if self.place in _looked_at or self._ends_with_the_process:
            return
        _looked_at.add(self.place)
        for record in PlantingRecord.abandoned(kind=_KIND, place=self.place):
            try:
                said = await self._database.run_async(partial(self._settle, left=record))
            except (InfrastructureError, OSError) as error:
                log.warning("a killed run has left something, which stays (%s): %s", record.path, error)
                record.let_go()
                continue
            if said is not None:
                log.warning("%s", said)
            record.release()

    def _settle(self, connection: Connection, *, left: PlantingRecord) -> str | None:
        """Put back what a killed run left, and say what was done."""
        about = left.about
        what = (
            f"a run that was killed had left payload {about['payload_id']!r} in column {about['column']!r} "
            f"of the {about['row']} of table {about['table']!r}"
        )
        column = about["column"]
        table = read_table(connection, table=self._table, schema=self._schema, needed=(column, *about["key"]))
        row = SqlRow(table=table, key=about["key"])
        found = row.read(connection, column) if about["whole_key"] else None
        before = (None,) if about["inserted"] else _decoded(about["type"], left.original)
        if found is not None and _digest(found[0]) == about["planted"] and before is not None:
            here = sa.and_(row.condition, holds(column, found[0], dialect=connection.dialect.name))
            if about["inserted"]:
                connection.execute(sa.delete(table.clause).where(here))
                return f"{what}; the row was deleted"
            connection.execute(sa.update(table.clause).where(here).values({column: bound(before[0])}))
            return f"{what}; what it held before is there again"
        if about["inserted"]:
            return f"{what}; it was changed since and left as it is" if found is not None else None
        if found == before:
            return None
        what = f"{what}; it was changed since and left as it is"
        if before == (None,):
            return f"{what}; the column held NULL before"
        where = self.keep(row=row, column=column, original=left.original)
        return f"{what}; what the column held before is in {where}"


def encoded(value: object) -> tuple[str, bytes]:
    """A value's type, and what it is as bytes: text as UTF-8, bytes as they are, numbers as written."""
    if value is None:
        return _NULL, b""
    if isinstance(value, str):
        return _TEXT, value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return _BYTES, value
    kind = _INTEGER if type(value) is int else _REAL if type(value) is float else _OTHER
    return kind, repr(value).encode("utf-8", "surrogatepass")


def _decoded(kind: str, original: bytes) -> tuple[Any] | None:
    """The value, None if only its text is known."""
    if kind == _NULL:
        return (None,)
    if kind == _TEXT:
        return (original.decode("utf-8", "surrogatepass"),)
    if kind == _BYTES:
        return (original,)
    with suppress(ValueError):
        if kind == _INTEGER:
            return (int(original),)
        if kind == _REAL:
            return (float(original),)
    return None


def _digest(value: object) -> str:
    """What tells a planted value from others; a `char(n)` is filled with blanks."""
    kind, content = encoded(value.rstrip(" ") if isinstance(value, str) else value)
    return digest(kind.encode() + b"\0" + content)


def _is_plain(value: object) -> bool:
    return value is None or type(value) in (str, int, float, bool)
