"""The kinds that are made of other kinds: optional values, lists and whole records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.core.errors import SchemaError
from rampart.records._kinds import MISSING, Kind, Text, refuse
from rampart.records.json_values import check_text, clean_text, is_a, plain_items
from rampart.records.paths import Part, Path, render
from rampart.text.safe import safe_str
from rampart.text.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.records.losses import Losses


class OrNone(Kind):
    """A value that may be absent."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> Any:
        return None if value is None else self.kind.prepare(value, parent, part, losses)

    def check(self, value: Any, parent: Path | None, part: Part) -> Any:
        return None if value is None else self.kind.check(value, parent, part)

    def read(self, value: Any) -> Any:
        return None if value is None else self.kind.read(value)


class Items(Kind):
    """A list; items that nothing can stand for are left out."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> list[Any]:
        if type(value) is not list and not is_a(value, (list, tuple)):
            losses.note(parent, part, "wrong_type")
            if is_a(value, str) and is_a(self._kind, Text):
                # One text where a list of texts belongs is still the evidence.
                return [self._kind.prepare(value, parent, part, losses)]
            return []
        if type(value) is list and not value:
            return []
        here = (parent, part)
        prepared = [
            self._kind.prepare(item, here, index, losses) for index, item in enumerate(plain_items(value))
        ]
        return [item for item in prepared if item is not None]

    def check(self, value: Any, parent: Path | None, part: Part) -> list[Any]:
        if type(value) is not list:
            raise refuse(parent, part, "a list", value)
        here = (parent, part)
        return [self._kind.check(item, here, index) for index, item in enumerate(value)] if value else value

    def read(self, value: Any) -> list[Any]:
        return [self._kind.read(item) for item in value] if value else []


class Named(Kind):
    """Values by name; one that nothing can stand for is left out, and so is a name that is no string."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> dict[str, Any]:
        if not is_a(value, dict):
            losses.note(parent, part, "wrong_type")
            return {}
        here = (parent, part)
        prepared: dict[str, Any] = {}
        for key, one in dict.items(value):
            if not is_a(key, str):
                losses.note(parent, part, "non_string_key")
                continue
            name = clean_text(key)
            made = self._kind.prepare(one, here, name, losses)
            if made is not None:
                prepared[name] = made
        return prepared

    def check(self, value: Any, parent: Path | None, part: Part) -> dict[str, Any]:
        if type(value) is not dict:
            raise refuse(parent, part, "an object", value)
        here = (parent, part)
        return {check_text(key, parent, part): self._kind.check(one, here, key) for key, one in value.items()}

    def read(self, value: Any) -> dict[str, Any]:
        return {key: self._kind.read(one) for key, one in value.items()}


class Shape(Kind):
    """A record: its class and the kinds of its fields.

    Args:
        record: The class.
        fields: The kind of each field, in the order in which they are written.
        stand_in: Makes what stands for a value of another class; without it nothing does.
        mend: Repairs what the fields taken one by one do not show; may change the prepared fields.
        rule: Says what is wrong with a record whose fields are right one by one; None if nothing is.
    """

    def __init__(
        self,
        record: type,
        fields: dict[str, Kind],
        *,
        stand_in: Callable[[str], Any] | None = None,
        mend: Callable[[Any, dict[str, Any], Path, Losses], None] | None = None,
        rule: Callable[[Any], str | None] | None = None,
    ) -> None:
        self._record = record
        # Methods are looked up once, and the two commonest cases (an absent value, plain text) are
        # told apart in the loops below: a record has some fifty fields, and each test waits for them.
        self._preparing = tuple((name, *_common(kind), kind.prepare) for name, kind in fields.items())
        self._checking = tuple((name, *_common(kind), kind.check) for name, kind in fields.items())
        self._reading = tuple((name, kind.read if _reads(kind) else None) for name, kind in fields.items())
        self._stand_in = stand_in
        self._mend = mend
        self._rule = rule

    def prepare(self, value: Any, parent: Path | None, part: Part, losses: Losses) -> Any:
        if type(value) is not self._record and not is_a(value, self._record):
            losses.note(parent, part, "wrong_type")
            return None if self._stand_in is None else self._stand_in(_text_of(value))
        here = (parent, part)
        fields = self._fields(value)
        prepared: dict[str, Any] = {}
        for name, absent, is_text, prepare in self._preparing:
            field = fields.get(name, MISSING)
            if field is None and absent:
                prepared[name] = None
            elif is_text and type(field) is str and (text := redact(field)).isascii():
                prepared[name] = text
            else:
                prepared[name] = prepare(field, here, name, losses)
        if self._mend is not None:
            self._mend(value, prepared, here, losses)
        return self._made(prepared)

    def check(self, value: Any, parent: Path | None, part: Part) -> dict[str, Any]:
        if not is_a(value, self._record):
            raise refuse(parent, part, self._record.__name__, value)
        here = (parent, part)
        fields = self._fields(value)
        checked: dict[str, Any] = {}
        for name, absent, is_text, check in self._checking:
            field = fields.get(name, MISSING)
            if (field is None and absent) or (is_text and type(field) is str and field.isascii()):
                checked[name] = field
            else:
                checked[name] = check(field, here, name)
        wrong = None if self._rule is None else self._rule(value)
        if wrong is not None:
            raise SchemaError(f"{render(parent, part)}: {wrong}")
        return checked

    def read(self, value: Any) -> Any:
        fields = {}
        for name, read in self._reading:
            field = getattr(value, name)
            fields[name] = field if read is None else read(field)
        return self._made(fields)

    def _fields(self, value: Any) -> dict[str, Any]:
        """The values by name; of anything but a plain record what its attributes say, where they can."""
        if type(value) is self._record:
            return vars(value)
        return {name: _attribute(value, name) for name, *_ in self._preparing}

    def _made(self, fields: dict[str, Any]) -> Any:
        """A record of these values. What its constructor would check has been seen to."""
        record: Any = object.__new__(self._record)
        vars(record).update(fields)
        return record


def _common(kind: Kind) -> tuple[bool, bool]:
    """Whether the value may be absent, and whether it is text."""
    if isinstance(kind, OrNone):
        return True, _common(kind.kind)[1]
    return False, isinstance(kind, Text)


def _reads(kind: Kind) -> bool:
    """Whether reading changes the value."""
    return _reads(kind.kind) if isinstance(kind, OrNone) else type(kind).read is not Kind.read


def _attribute(value: Any, name: str) -> Any:
    try:
        return getattr(value, name)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a foreign property may do anything
        return MISSING


def _text_of(value: object) -> str:
    return "" if value is None else clean_text(safe_str(value))
