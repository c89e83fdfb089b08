"""A payload in a row of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from rampart.core.errors import InfrastructureError
from rampart.surfaces.handle import PlantedHandle
from rampart.surfaces.sql_record import RowRecords
from rampart.surfaces.sql_table import SqlRow, SqlTable, read_table
from rampart.surfaces.sql_value import bound, check_stored, holds, payload_value, raw

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

    from rampart.core.types import Payload
    from rampart.surfaces.planting_record import PlantingRecord
    from rampart.surfaces.sql_database import Database
    from rampart.surfaces.undo import Undo


@dataclass(frozen=True, kw_only=True)
class RowToInsert:
    """Which row is inserted.

    Attributes:
        table: The name of the table.
        schema: Its schema; None for the one in which the database looks by itself.
        column: The column that gets the payload.
        values: The values of other columns; those not named get what the database gives them.
        key: Columns of `values` that tell the row from all others; None for the primary key.
    """

    table: str
    schema: str | None
    column: str
    values: Mapping[str, object]
    key: tuple[str, ...] | None


class InsertedRow(PlantedHandle):
    """Inserts a row with the payload, and deletes it again.

    A row whose payload somebody changed meanwhile is not deleted: under the same key there may be another.
    """

    def __init__(
        self,
        *,
        payload: Payload,
        database: Database,
        target: RowToInsert,
        surface_name: str,
        isolation_key: str,
    ) -> None:
        place = f"a new row of table {target.table!r}, column {target.column!r}, {database.shown}"
        super().__init__(payload=payload, surface_name=surface_name, place=place, isolation_key=isolation_key)
        self._database = database
        self._target = target
        self._inserted: tuple[SqlRow, object] | None = None
        self._records = RowRecords(database, table=target.table, schema=target.schema)
        self._record: PlantingRecord | None = None

    async def _plant_async(self, undo: Undo) -> None:
        await self._records.recover_async()
        undo.add(self._delete_async)
        await self._database.run_async(self._insert)

    def _insert(self, connection: Connection) -> None:
        target = self._target
        needed = (target.column, *target.values, *(target.key or ()))
        table = read_table(connection, table=target.table, schema=target.schema, needed=needed)
        content = payload_value(
            self.payload,
            column=target.column,
            column_type=table.types[target.column],
            dialect=connection.dialect.name,
        )
        values = {name: bound(value, table.types[name]) for name, value in target.values.items()}
        row = self._insert_row(connection, table, {**values, target.column: bound(content)})
        # Noted before anything else may fail: where each statement is committed by itself, it is there now.
        self._inserted = (row, content)
        self._record = self._records.write(
            row=row, column=target.column, payload_id=self.payload.id, planted=content
        )
        stored = row.read(connection, target.column)
        if stored is None:
            raise InfrastructureError(f"the database did not keep the row ({row}); a trigger may forbid it")
        self._inserted = (row, stored[0])
        self.place = f"{row} of table {target.table!r}, column {target.column!r}, {self._database.shown}"
        check_stored(content, stored[0])

    def _insert_row(self, connection: Connection, table: SqlTable, values: Mapping[str, object]) -> SqlRow:
        statement = sa.insert(table.clause).values(values)
        if self._target.key is not None:
            row = SqlRow(table=table, key={name: self._target.values[name] for name in self._target.key})
            if row.read(connection, self._target.column) is not None:
                raise InfrastructureError(f"there is a {row} already; choose values that none has")
            connection.execute(statement)
            return row
        names = table.primary_key
        if not names:
            raise InfrastructureError(
                f"table {self._target.table!r} has no primary key, so the row could not be found again; "
                "name columns of `row` that tell it from the others: key=[...]"
            )
        given = {name: self._target.values[name] for name in names if name in self._target.values}
        if len(given) == len(names):
            connection.execute(statement)
            return SqlRow(table=table, key=given)
        if connection.dialect.insert_returning:
            made = connection.execute(statement.returning(*(table.clause.c[name] for name in names))).one()
            key = dict(zip(names, map(raw, made), strict=True))
        else:
            missing = [name for name in names if name not in given]
            key = {**given, missing[0]: connection.execute(statement).lastrowid} if len(missing) == 1 else {}
        if not key or None in key.values():
            raise InfrastructureError(
                f"the database did not say under which primary key ({', '.join(names)}) it keeps the row; "
                "give its values in `row`"
            )
        return SqlRow(table=table, key=key)

    async def _delete_async(self) -> None:
        if self._inserted is not None:
            try:
                await self._database.run_async(self._delete)
            except InfrastructureError:
                if self._record is not None:
                    self._record.let_go()  # another attempt, or the next run, may succeed
                raise
        if self._record is not None:
            self._record.release()

    def _delete(self, connection: Connection) -> None:
        if self._inserted is None:
            return
        row, content = self._inserted
        column = self._target.column
        ours = holds(column, content, dialect=connection.dialect.name)
        deleted = connection.execute(sa.delete(row.table.clause).where(row.condition, ours)).rowcount
        if deleted:
            return
        found = row.read(connection, column)
        if found is None:  # somebody else deleted it, or it never came to be
            return
        if found[0] == content:
            raise InfrastructureError(f"the database keeps the {row}; a trigger may forbid to delete it")
        raise InfrastructureError(
            f"somebody changed column {column!r} of the {row} meanwhile, so the row was left; "
            "delete it yourself if nobody needs it"
        )
