"""Knowing whether a test has read a verdict.

A verdict counts as read when code outside of rampart asks for it; rampart itself, copying, printing
and pytest's own introspection do not count. The mark is made lazily: an object that nobody has read
or copied has none, so results cost nothing extra.
"""

from __future__ import annotations

import sys
from typing import Any, Generic, Self, TypeVar, overload

_KEY = "_rampart_mark"
_NOT_READERS = frozenset({"rampart", "dataclasses", "copy", "pprint", "inspect", "typing", "rich", "_pytest"})

V = TypeVar("V")


class Mark:
    """Whether a verdict was read; shared by an object and its copies."""

    __slots__ = ("read",)

    def __init__(self) -> None:
        self.read = False

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A deep copy of a result shares the mark as well."""
        return self


def mark_of(obj: object) -> Mark:
    """The mark of `obj`, made now if it has none."""
    mark: Mark | None = obj.__dict__.get(_KEY)
    if mark is None:
        mark = obj.__dict__[_KEY] = Mark()
    return mark


def share_mark(obj: object, mark: Mark | None) -> None:
    """Make `obj` a copy, as far as reading is concerned, of the object that `mark` belongs to."""
    if mark is not None:
        obj.__dict__[_KEY] = mark


def was_read(obj: object) -> bool:
    """Whether code outside of rampart has read the verdict of `obj` or of a copy of it."""
    mark: Mark | None = obj.__dict__.get(_KEY)
    return mark is not None and mark.read


def forget_reads(obj: object) -> None:
    """Count reads from now on only."""
    mark: Mark | None = obj.__dict__.get(_KEY)
    if mark is not None:
        mark.read = False


def note_read(obj: object, depth: int = 1) -> None:
    """Mark `obj` as read if the code `depth` frames above the caller is a reader of verdicts."""
    mark: Mark | None = obj.__dict__.get(_KEY)
    if mark is not None and mark.read:
        return
    module: str = sys._getframe(depth + 1).f_globals.get("__name__") or ""  # no public way
    if module.partition(".")[0] not in _NOT_READERS:
        mark_of(obj).read = True


class TrackedField(Generic[V]):
    """A dataclass field whose reads are noted; put on the class after `@dataclass` has run."""

    def __init__(self, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, obj: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, obj: object, owner: type | None = None) -> V: ...
    def __get__(self, obj: object | None, owner: type | None = None) -> Self | V:
        """Note the read and give the value."""
        if obj is None:
            return self
        note_read(obj)
        try:
            value: V = obj.__dict__[self._name]
        except KeyError:
            raise AttributeError(self._name) from None
        return value

    def __set__(self, obj: object, value: V) -> None:
        """Store the value where `vars()` and copying find it."""
        obj.__dict__[self._name] = value


class MarkOfCopy:
    """Read by `dataclasses.replace`, so that the copy gets the mark of its original."""

    def __get__(self, obj: object | None, owner: type | None = None) -> Mark | None:
        """The mark of the object; None on the class, which is the constructor's default."""
        return None if obj is None else mark_of(obj)
