"""What a scripted fake answers, item by item."""

from __future__ import annotations

import asyncio
import inspect
from bisect import insort
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from rampart.core.errors import RampartError

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")


class Hang:
    """The type of `HANG`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "HANG"


HANG: Final = Hang()
"""A scripted item that never answers; it can be cancelled."""


class ScriptExhaustedError(RampartError):
    """A scripted fake was asked more often than its script answers.

    Args:
        fake: What ran out, such as `ScriptedAgent`.
        asked: What it was asked.
        length: How many items the script has.
        remedy: What to do about it.
    """

    def __init__(self, fake: str, *, asked: str, length: int, remedy: str) -> None:
        items = "item" if length == 1 else "items"
        super().__init__(
            f"the script of {fake} has only {length} {items}, nothing is left for {asked}; {remedy}"
        )


class Script(Generic[T]):
    """Items in order, shared by all who read it.

    A reader gets its first item assigned when it begins to read. So the k-th of several readers that
    take one item each gets the k-th item, whatever the order in which they take it.

    Args:
        items: What is handed out.
        repeat_last: Whether the last item is handed out again and again.
    """

    def __init__(self, items: Sequence[T], *, repeat_last: bool) -> None:
        self.items = items
        self._repeat_last = repeat_last
        self._next = 0
        self._given_back: list[int] = []

    def take(self) -> int:
        """The lowest place that nobody has; it may lie behind the end."""
        if self._given_back:
            return self._given_back.pop(0)
        self._next += 1
        return self._next - 1

    def give_back(self, place: int) -> None:
        """Let somebody else have a place that was taken but not used."""
        insort(self._given_back, place)

    def at(self, place: int) -> T | None:
        """The item at a place, None behind the end; no item is None."""
        if place < len(self.items):
            return self.items[place]
        return self.items[-1] if self._repeat_last and self.items else None


class ScriptReader(Generic[T]):
    """One reader of a script, which may have other readers too."""

    def __init__(self, script: Script[T]) -> None:
        self._script = script
        self._reserved: int | None = script.take()

    def read(self) -> T | None:
        """The next item, None when there is none left."""
        place = self._script.take() if self._reserved is None else self._reserved
        self._reserved = None
        return self._script.at(place)

    def close(self) -> None:
        """Give back what was assigned and not read."""
        if self._reserved is not None:
            self._script.give_back(self._reserved)
            self._reserved = None


def is_error(item: object) -> bool:
    """Whether a scripted item is there to be raised."""
    return isinstance(item, BaseException) or (isinstance(item, type) and issubclass(item, BaseException))


async def perform_async(item: Any, *arguments: object) -> Any:
    """Do what an item says: hang, raise, or call it with `arguments`; any other item is the answer."""
    if item is HANG:
        await asyncio.get_running_loop().create_future()
    if is_error(item):
        raise item
    if not callable(item):
        return item
    answer = item(*arguments)
    return await answer if inspect.isawaitable(answer) else answer
