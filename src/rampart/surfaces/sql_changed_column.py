"""A payload in a row that was there before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import sqlalchemy as sa

from rampart.core.errors import InfrastructureError
from rampart.surfaces.handle import PlantedHandle
from rampart.surfaces.sql_record import RowRecords, encoded
from rampart.surfaces.sql_table import SqlRow, SqlTable, read_table, shown_values
from rampart.surfaces.sql_value import all_equal, bound, check_stored, holds, payload_value, raw

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from rampart.core.types import Payload
    from rampart.surfaces.planting_record import PlantingRecord
    from rampart.surfaces.sql_database import Database
    from rampart.surfaces.undo import Undo

Mode = Literal["replace", "append"]


@dataclass(frozen=True, kw_only=True)
class ColumnToChange:
    """Which column of which row is changed, and how.

    Attributes:
        table: The name of the table.
        schema: Its schema; None for the one in which the database looks by itself.
        column: The column that gets the payload.
        where: Columns and the values by which the row is found.
        key: Columns that tell the row from all others; None for the primary key.
        mode: Whether the payload takes the place of what is there, or follows it.
        separator: What stands between the two.
    """

    table: str
    schema: str | None
    column: str
    where: Mapping[str, object]
    key: tuple[str, ...] | None
    mode: Mode
    separator: str


@dataclass(frozen=True, kw_only=True)
class _Change:
    """What was found, and what was put there."""

    row: SqlRow
    before: object
    after: object


class ChangedColumn(PlantedHandle):
    """Writes the payload into one column of one row, and puts back what was there.

    Both happen only if the column still holds what was seen last, which the database itself checks.
    """

    def __init__(
        self,
        *,
        payload: Payload,
        database: Database,
        target: ColumnToChange,
        surface_name: str,
        isolation_key: str,
    ) -> None:
        row = f"the row where {shown_values(target.where)}"
        super().__init__(
            payload=payload,
            surface_name=surface_name,
            place=f"{row} of table {target.table!r}, column {target.column!r}, {database.shown}",
            isolation_key=isolation_key,
        )
        self._database = database
        self._target = target
        self._records = RowRecords(database, table=target.table, schema=target.schema)
        self._change: _Change | None = None
        self._record: PlantingRecord | None = None
        self._kept: Path | None = None

    async def _plant_async(self, undo: Undo) -> None:
        await self._records.recover_async()
        undo.add(self._put_back_async)
        await self._database.run_async(self._plant)

    def _plant(self, connection: Connection) -> None:
        target = self._target
        needed = (target.column, *target.where, *(target.key or ()))
        table = read_table(connection, table=target.table, schema=target.schema, needed=needed)
        row, before = self._find(connection, table)
        content = payload_value(
            self.payload,
            column=target.column,
            column_type=table.types[target.column],
            dialect=connection.dialect.name,
        )
        content = content if target.mode == "replace" else self._appended(before, content)
        self._record = self._records.write(
            row=row, column=target.column, payload_id=self.payload.id, planted=content, before=before
        )
        if not self._exchange(connection, row, before, content):
            raise InfrastructureError(f"somebody changed the {row} at the same time; try again")
        stored = row.read(connection, target.column)
        # Kept before the check: where each statement is committed by itself, it has to be put back.
        self._change = _Change(row=row, before=before, after=content if stored is None else stored[0])
        check_stored(content, self._change.after)

    def _find(self, connection: Connection, table: SqlTable) -> tuple[SqlRow, object]:
        target = self._target
        names = target.key or table.primary_key or tuple(target.where)
        if target.column in names:
            raise InfrastructureError(
                f"the row would be found again by column {target.column!r}, which is to be changed; "
                "name columns that tell it from the others: key=[...]"
            )
        found = connection.execute(
            sa.select(table.clause.c[target.column], *(table.clause.c[name] for name in names))
            .where(all_equal(target.where, table.types))
            .limit(2)
        ).all()
        if len(found) != 1:
            how_many = "more than one row matches" if found else "no row matches"
            raise InfrastructureError(f"{how_many} {shown_values(target.where)}; exactly one has to")
        before, *key = map(raw, found[0])
        return SqlRow(table=table, key=dict(zip(names, key, strict=True))), before

    def _appended(self, before: object, content: str | bytes) -> str | bytes:
        if before is None:
            return content
        if isinstance(before, str) and isinstance(content, str):
            return before + self._target.separator + content
        if isinstance(before, bytes) and isinstance(content, bytes) and self.payload.artifact is None:
            return before + self._target.separator.encode() + content
        raise InfrastructureError(
            f"a payload of format {self.payload.format.value!r} cannot be appended to "
            f"{type(before).__name__} in column {self._target.column!r}; use mode='replace'"
        )

    def _exchange(self, connection: Connection, row: SqlRow, expected: object, new: object) -> bool:
        """Write `new` if the column holds `expected`; say whether it did."""
        column = self._target.column
        still = holds(column, expected, dialect=connection.dialect.name)
        statement = sa.update(row.table.clause).where(row.condition, still).values({column: bound(new)})
        return connection.execute(statement).rowcount > 0

    async def _put_back_async(self) -> None:
        change = self._change
        if change is not None:
            try:
                fault = await self._database.run_async(partial(self._put_back, change=change))
            except InfrastructureError as error:
                raise InfrastructureError(f"{error}{self._left_to_others()}") from error
            if fault is not None:
                raise InfrastructureError(f"{fault}; {self._where_it_is(change)}")
        self._forget()
        if self._kept is not None:
            self._kept.unlink(missing_ok=True)

    def _where_it_is(self, change: _Change) -> str:
        """Keep what cannot be put back where somebody finds it, and say where."""
        column = self._target.column
        if change.before is None:
            self._forget()
            return f"column {column!r} held NULL before"
        if self._kept is None:
            self._kept = self._records.keep(row=change.row, column=column, original=encoded(change.before)[1])
        self._forget()
        return f"what column {column!r} held before is in {self._kept}"

    def _left_to_others(self) -> str:
        """Leave it to another attempt, or to the next run, to put the original back, and say where it is."""
        if self._record is None:
            return ""
        self._record.let_go()
        column = self._target.column
        return f"; what column {column!r} held before is in {self._record.path}, below the first line"

    def _forget(self) -> None:
        if self._record is not None:
            self._record.release()
            self._record = None

    def _put_back(self, connection: Connection, *, change: _Change) -> str | None:
        """Take the payload out, and say what is not as it was; an error would undo the rest of it."""
        exchanged = self._exchange(connection, change.row, change.after, change.before)
        found = change.row.read(connection, self._target.column)
        if found == (change.before,):
            return None
        if exchanged:
            return (
                f"the payload is out of the {change.row}, but the database, as by a trigger, "
                "changed what was put back"
            )
        if found is None:
            return f"the {change.row} is gone, so what was in it could not be put back"
        return (
            f"somebody changed column {self._target.column!r} of the {change.row} meanwhile, "
            "so it was left as it is"
        )
