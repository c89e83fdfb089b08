"""Values as a database holds them: read, compared and written back without being converted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.types import NullType

from rampart.core.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.sql.elements import BindParameter, ColumnElement
    from sqlalchemy.types import TypeEngine

    from rampart.core.types import Payload

# Sent as they are, so that the database converts them as it does for the application: a date may be text.
_PLAIN = (str, bytes, int, float, bool, type(None))


def bound(value: object, column_type: TypeEngine[Any] | None = None) -> BindParameter[Any]:
    """`value` as a parameter; what drivers may not know is sent as the type of its column says."""
    plain = column_type is None or isinstance(value, _PLAIN)
    return sa.bindparam(None, value, type_=NullType() if plain else column_type, unique=True)


def equals(name: str, value: object, column_type: TypeEngine[Any] | None = None) -> ColumnElement[bool]:
    """Whether the column `name` equals `value`, by the rules of the database."""
    column: ColumnElement[Any] = sa.column(name)
    return column.is_(None) if value is None else column == bound(value, column_type)


def all_equal(values: Mapping[str, object], types: Mapping[str, TypeEngine[Any]]) -> ColumnElement[bool]:
    """Whether all columns named in `values` equal what stands there."""
    return sa.and_(sa.true(), *(equals(name, value, types.get(name)) for name, value in values.items()))


def holds(name: str, value: object, *, dialect: str) -> ColumnElement[bool]:
    """Whether the column `name` holds exactly `value`, whatever collation it has.

    On databases other than SQLite and PostgreSQL the rules of the column decide.
    """
    column: ColumnElement[Any] = sa.column(name)
    if value is None:
        return column.is_(None)
    if dialect == "sqlite":
        as_bytes = sa.cast(column, sa.LargeBinary) == sa.cast(bound(value), sa.LargeBinary)
        return sa.and_(as_bytes, sa.func.typeof(column) == sa.func.typeof(bound(value)))
    if dialect == "postgresql" and isinstance(value, str):
        # Not a cast: that would drop the blanks at the end of a `char(n)`.
        return sa.func.concat(column, type_=sa.Text).collate("C") == bound(value)
    return column == bound(value)


def raw(value: object) -> object:
    """A value as it came from a driver, fit to be compared and sent back."""
    return bytes(value) if isinstance(value, memoryview | bytearray) else value


def payload_value(
    payload: Payload, *, column: str, column_type: TypeEngine[Any], dialect: str
) -> str | bytes:
    """What of a payload goes into a column: its text, or the bytes of its text or file.

    Raises:
        InfrastructureError: If the column is for JSON, or the payload is a file and the column not for bytes.
    """
    if isinstance(column_type, sa.JSON) and dialect != "sqlite":
        raise InfrastructureError(
            f"column {column!r} is for JSON, which databases do not keep as it was written; "
            "plant in a column for text, or with CallbackSurface"
        )
    takes_bytes = isinstance(column_type, sa.LargeBinary)
    if payload.artifact is not None:
        if not takes_bytes:
            raise InfrastructureError(
                f"a payload of format {payload.format.value!r} is bytes, for which column {column!r} is not"
            )
        return Path(payload.artifact).read_bytes()
    return payload.content.encode() if takes_bytes else payload.content


def check_stored(value: str | bytes, stored: object) -> None:
    """Refuse what a database made of a payload, other than blanks that a `char(n)` is filled with.

    Raises:
        InfrastructureError: If the payload was cut, or a trigger changed it.
    """
    if stored == value:
        return
    filled = isinstance(stored, str) and isinstance(value, str) and stored.startswith(value)
    if filled and not str(stored)[len(value) :].strip(" "):
        return
    shown = repr(stored) if len(repr(stored)) <= 80 else repr(stored)[:80] + "..."
    raise InfrastructureError(f"the database kept something else than the payload: {shown}")
