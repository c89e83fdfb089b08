"""The names of tools and side effects, given exactly or as a pattern."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from rampart.evaluators._pattern_match import match_whole_async
from rampart.evaluators._pattern_process import PatternGaveUpError
from rampart.evaluators._shown import shown_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")


class Name:
    """A name that is looked for.

    Args:
        given: The exact name, or a pattern that has to match a whole name.
        what: What the name is called in error texts.

    Raises:
        TypeError: If it is neither a str nor a compiled pattern for str.
        ValueError: If it is empty or blank.
    """

    __slots__ = ("_shown", "given")

    def __init__(self, given: str | re.Pattern[str], *, what: str) -> None:
        text: object = given.pattern if isinstance(given, re.Pattern) else given
        if not isinstance(text, str):
            kind = type(given).__name__
            seen = "a pattern for bytes" if kind == "Pattern" else f"of type {kind}"
            msg = f"{what} is {seen}, expected a str or a compiled pattern for str"
            raise TypeError(msg)
        if not text.strip():
            msg = f"{what} is {text!r}, expected a name; a blank one names nothing"
            raise ValueError(msg)
        self.given = given
        self._shown = shown_name(text)

    def __str__(self) -> str:
        """The name or the text of the pattern, between quotes."""
        return self._shown

    async def select_async(
        self, items: Iterable[T], *, name_of: Callable[[T], str]
    ) -> tuple[list[T], list[str]]:
        """The items of that name, and why some others may or may not be."""
        given = self.given
        if isinstance(given, str):
            return [item for item in items if name_of(item) == given], []
        answers: dict[str, bool] = {}
        reasons: list[str] = []
        selected: list[T] = []
        for item in items:
            name = name_of(item)
            if name not in answers:
                try:
                    answers[name] = await match_whole_async(given, name)
                except PatternGaveUpError as error:
                    answers[name] = False
                    reasons.append(f"whether {shown_name(name)} is meant by {self} is not known: {error}")
            if answers[name]:
                selected.append(item)
        return selected, reasons
