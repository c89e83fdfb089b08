"""Which calls of a trace are meant: by name, and by whether they ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.evaluators._calls import PlacedCall, ran
from rampart.evaluators._names import Name
from rampart.evaluators._pattern_match import match_whole_async
from rampart.evaluators._pattern_process import PatternGaveUpError
from rampart.evaluators._shown import shown_name
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True, eq=False)
class Selected:
    """A call that is meant.

    Attributes:
        call: The call.
        doubt: Why it may be none of those that are meant after all; empty if it is one.
    """

    call: PlacedCall
    doubt: str = ""


class NameAnswers:
    """Whether calls have a name, asked once for each name that occurs."""

    __slots__ = ("_answers", "_name")

    def __init__(self, name: Name) -> None:
        self._name = name
        self._answers: dict[str, bool | str] = {}

    async def of_async(self, called: object, /) -> bool | str:
        """Whether `called` is the name, or why nobody knows."""
        given = self._name.given
        if isinstance(given, str):
            return called == given
        text = safe_str(called)
        if text not in self._answers:
            try:
                self._answers[text] = await match_whole_async(given, text)
            except PatternGaveUpError as error:
                self._answers[text] = (
                    f"whether {shown_name(text)} is meant by {self._name} is not known: {error}"
                )
        return self._answers[text]


class CallSelection:
    """The calls of certain tools.

    Args:
        names: Exact names and patterns; none at all for every tool.
        executed_only: Leave out calls that were only attempted.
        what: What a name is called in error texts.

    Raises:
        TypeError: If a name is neither a str nor a pattern for str, or the flag is no bool.
        ValueError: If a name is empty or blank.
    """

    __slots__ = ("_executed_only", "names")

    def __init__(
        self, names: Iterable[str | re.Pattern[str]], *, executed_only: bool, what: str = "tool_name"
    ) -> None:
        self.names = [Name(name, what=what) for name in names]
        self._executed_only = checked_flag(executed_only, name="executed_only")

    def __str__(self) -> str:
        """The names, between quotes."""
        return ", ".join(map(str, self.names))

    async def select_async(self, calls: Sequence[PlacedCall], /) -> list[Selected]:
        """The calls that are meant, and those that may be, in order."""
        answers = [NameAnswers(name) for name in self.names]
        selected: list[Selected] = []
        for one in calls:
            doubt = await _named_async(one, answers) if answers else ""
            if doubt is None:
                continue
            existence = counted(one, executed_only=self._executed_only)
            if existence is not None:
                selected.append(Selected(one, doubt or existence))
        return selected


def counted(one: PlacedCall, /, *, executed_only: bool) -> str | None:
    """Why a call may not count; empty if it does, None if it does not."""
    if not executed_only:
        return ""
    status = ran(one.call)
    if status is None:
        return f"{one.name} is not known to have run"
    return "" if status else None


def checked_flag(value: object, /, *, name: str) -> bool:
    """Return `value` if it is a bool.

    Raises:
        TypeError: If it is none.
    """
    if isinstance(value, bool):
        return value
    msg = f"{name} is of type {type(value).__name__}, expected True or False"
    raise TypeError(msg)


async def _named_async(one: PlacedCall, answers: list[NameAnswers]) -> str | None:
    """Why a call may have none of the names; empty if it has one, None if it has none."""
    doubt: str | None = None
    for answer in answers:
        known = await answer.of_async(one.call.name)
        if known is True:
            return ""
        if isinstance(known, str):
            doubt = doubt or known
    return doubt
