"""The kinds of fields that records have: how each is prepared, checked and read back.

Preparing never fails: it repairs and notes what it changed. Checking never repairs: it gives the JSON
value or refuses.
"""

from __future__ import annotations

import datetime as dt
import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from rampart.core.errors import SchemaError
from rampart.core.types import HarmCategory, new_payload_id, validate_payload_id
from rampart.records.json_values import (
    check_text,
    check_value,
    clean_text,
    is_a,
    plain_number,
    prepare_text,
    prepare_value,
)
from rampart.records.paths import Part, Path, render
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from enum import Enum

    from rampart.records.losses import Losses


class _Missing:
    """Stands for an attribute that could not be read."""

    def __str__(self) -> str:
        return ""


MISSING = _Missing()


class Kind(ABC):
    """How the value of one field crosses the border between records and JSON."""

    @abstractmethod
    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> Any:
        """The value, or what stands for it; never fails."""

    @abstractmethod
    def check(self, value: Any, parent: Path | None, part: Part) -> Any:
        """The value as JSON.

        Raises:
            SchemaError: If it is not what the format asks for.
        """

    def read(self, value: Any) -> Any:
        """The value of a record from what the decoder gave."""
        return value


def refuse(parent: Path | None, part: Part, expected: str, value: object) -> SchemaError:
    """The error for a value of the wrong type; it names the type, never the value."""
    return SchemaError(f"{render(parent, part)}: expected {expected}, got {type(value).__name__}")


class Text(Kind):
    """A string; anything else is rendered."""

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> str:
        if not is_a(value, str):
            losses.note(parent, part, "wrong_type")
            value = safe_str(value)
        return prepare_text(value, parent, part, losses)

    def check(self, value: Any, parent: Path | None, part: Part) -> str:
        return check_text(value, parent, part)


class Category(Kind):
    """A harm category, or any string that the user made one."""

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> str | None:
        if not is_a(value, str):
            losses.note(parent, part, "wrong_type")
            return None
        return self.read(prepare_text(value, parent, part, losses))

    def check(self, value: Any, parent: Path | None, part: Part) -> str:
        return value.value if type(value) is HarmCategory else check_text(value, parent, part)

    def read(self, value: str) -> str:
        return _CATEGORIES.get(value, value)


_CATEGORIES: dict[str, HarmCategory] = {category.value: category for category in HarmCategory}


class Number(Kind):
    """A finite float, or a stand-in for what is none."""

    def __init__(self, *, default: float | None, non_finite: float | None) -> None:
        self._default = default
        self._non_finite = non_finite

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> float | None:
        if type(value) is not float and (is_a(value, bool) or not is_a(value, (int, float))):
            losses.note(parent, part, "wrong_type")
            return self._default
        number = plain_number(value)
        if number is None:
            losses.note(parent, part, "non_finite")
            return self._non_finite
        return self._plain(number)

    def check(self, value: Any, parent: Path | None, part: Part) -> float:
        if type(value) is not float and type(value) is not int:
            raise refuse(parent, part, "a number", value)
        number = plain_number(value)
        if number is None:
            raise SchemaError(f"{render(parent, part)}: expected a finite number")
        return self._plain(number)

    @staticmethod
    def _plain(number: float) -> float:
        return float(number)


class Amount(Number):
    """A finite number that stays an int where it is one."""

    @staticmethod
    def _plain(number: float) -> float:
        return number


class Confidence(Number):
    """A float; what is no finite number is written as null and read as NaN."""

    def __init__(self) -> None:
        super().__init__(default=1.0, non_finite=math.nan)

    def check(self, value: Any, parent: Path | None, part: Part) -> Any:
        if type(value) is float and math.isnan(value):
            return None
        return super().check(value, parent, part)

    def read(self, value: Any) -> float:
        return math.nan if value is None else float(value)


class Whole(Kind):
    """An int that is no bool."""

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> int:
        if is_a(value, bool) or not is_a(value, int):
            losses.note(parent, part, "wrong_type")
            return 0
        return int.__int__(value)

    def check(self, value: Any, parent: Path | None, part: Part) -> int:
        if type(value) is not int:
            raise refuse(parent, part, "an integer", value)
        return value


class Flag(Kind):
    """A bool where one is known."""

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> bool | None:
        if value is True or value is False:
            return bool(value)
        losses.note(parent, part, "wrong_type")
        return None

    def check(self, value: Any, parent: Path | None, part: Part) -> bool:
        if type(value) is not bool:
            raise refuse(parent, part, "a boolean", value)
        return value


class Instant(Kind):
    """A datetime, written in ISO 8601 with its offset where it has one."""

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> dt.datetime | None:
        if type(value) is dt.datetime and value.tzinfo is dt.UTC:
            return value
        try:
            return _plain_instant(value)
        except KeyboardInterrupt:
            raise
        except BaseException:  # no datetime, or one whose time zone fails
            losses.note(parent, part, "wrong_type")
            return None

    def check(self, value: Any, parent: Path | None, part: Part) -> dt.datetime:
        if type(value) is dt.datetime and value.tzinfo is dt.UTC:
            return value
        if not is_a(value, dt.datetime):
            raise refuse(parent, part, "a datetime", value)
        try:
            return _plain_instant(value)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a time zone may do anything
            raise SchemaError(
                f"{render(parent, part)}: its time zone failed with {type(error).__name__}"
            ) from None


def _plain_instant(value: dt.datetime) -> dt.datetime:
    """`value` as an exact datetime whose offset, if it has one, is fixed and in whole minutes."""
    offset = dt.datetime.utcoffset(value)
    zone = None
    if offset is not None:
        zone = dt.timezone(dt.timedelta(minutes=round(offset / dt.timedelta(minutes=1))))
        value = value.astimezone(zone)
    return dt.datetime(*value.timetuple()[:6], value.microsecond, tzinfo=zone)


class Member(Kind):
    """A member of a closed enum."""

    def __init__(self, enum: type[Enum], *, default: Enum | None = None) -> None:
        self._enum = enum
        self._default = default

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> Any:
        if type(value) is self._enum:
            return value
        losses.note(parent, part, "wrong_type")
        return self._default

    def check(self, value: Any, parent: Path | None, part: Part) -> str:
        if not is_a(value, self._enum):
            raise refuse(parent, part, self._enum.__name__, value)
        return str(value.value)

    def read(self, value: Any) -> Any:
        return self._enum(value)


class PayloadId(Kind):
    """The id of a payload, fit to become part of a path."""

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> str:
        try:
            # Once more after redaction: an id that holds a secret cannot stay.
            return validate_payload_id(clean_text(validate_payload_id(value)))
        except KeyboardInterrupt:
            raise
        except BaseException:  # refused, or failed to be looked at
            losses.note(parent, part, "wrong_type")
            return new_payload_id()

    def check(self, value: Any, parent: Path | None, part: Part) -> str:
        text = check_text(value, parent, part)
        try:
            return validate_payload_id(text)
        except ValueError:
            raise SchemaError(
                f"{render(parent, part)}: expected 1 to 128 characters of A-Z a-z 0-9 . _ -"
            ) from None


class Json(Kind):
    """Any JSON value."""

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> Any:
        return None if value is MISSING else prepare_value(value, parent, part, losses)

    def check(self, value: Any, parent: Path | None, part: Part) -> Any:
        return check_value(value, parent, part)


class Mapping(Kind):
    """JSON values by name."""

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> dict[str, Any]:
        if not is_a(value, dict):
            losses.note(parent, part, "wrong_type")
            return {}
        prepared: dict[str, Any] = prepare_value(value, parent, part, losses)
        return prepared

    def check(self, value: Any, parent: Path | None, part: Part) -> Any:
        if type(value) is not dict:
            raise refuse(parent, part, "an object", value)
        return check_value(value, parent, part)


class Nothing(Kind):
    """A field that the format keeps empty."""

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> None:
        if value is not None:
            losses.note(parent, part, "wrong_type")

    def check(self, value: Any, parent: Path | None, part: Part) -> None:
        if value is not None:
            raise refuse(parent, part, "null", value)
