"""Why one call or side effect is not the one that was looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Judgement:
    """A reason that is put into words only when somebody asks: most are never shown."""

    __slots__ = ("_describe",)
    final = False
    """Whether it is sure to stay: what was asked for is done, what becomes of it may not be."""

    def __init__(self, describe: Callable[[], str]) -> None:
        self._describe = describe

    def __str__(self) -> str:
        """The reason in words."""
        return self._describe()


class Mismatch(Judgement):
    """It is another one."""

    __slots__ = ()
    final = True


class NotYet(Judgement):
    """It is another one as things stand."""

    __slots__ = ()


class Undecided(Judgement):
    """Nobody can tell whether it is the one."""

    __slots__ = ()
