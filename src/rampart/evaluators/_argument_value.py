"""What one value inside of the arguments of a call is expected to be."""

from __future__ import annotations

import re
from typing import Any, Final

from rampart.evaluators._equality import same_value
from rampart.evaluators._pattern_match import search_async
from rampart.evaluators._pattern_process import PatternGaveUpError
from rampart.evaluators._predicates import Predicates, truth_of
from rampart.evaluators._shown import shown_error


class _AnyValue:
    """The type of `ANY_VALUE`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ANY_VALUE"


ANY_VALUE: Final = _AnyValue()
"""Every value will do, as long as there is one."""


class Expectation:
    """An expected value, a pattern, a function, or that there is any value.

    Raises:
        TypeError: If it can never hold: a pattern for bytes, a coroutine function, or a function inside of
            a list or dict.
    """

    __slots__ = ("given",)

    def __init__(self, given: Any) -> None:
        if isinstance(given, re.Pattern):
            if not isinstance(given.pattern, str):
                msg = "expected is a pattern for bytes, expected one for str: values are JSON"
                raise TypeError(msg)
        else:
            Predicates({"expected": given}, owner="ArgumentMatches")  # refuses what never holds
        self.given = given

    async def holds_async(self, value: Any, /) -> bool | str:
        """Whether a value is as expected, or why nobody knows."""
        given = self.given
        if given is ANY_VALUE:
            return True
        try:
            if isinstance(given, re.Pattern):
                return isinstance(value, str) and await search_async(given, value)
            return truth_of(given(value)) if callable(given) else same_value(given, value)
        except PatternGaveUpError as error:
            return f"matching the pattern {error}"
        except Exception as error:  # a user's function may raise anything; none of it is an answer
            return shown_error(error)
