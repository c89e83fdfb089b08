"""How long a pattern may take at worst, found out without trying.

`re` backtracks: a pattern can take time exponential in the length of the text, and the interpreter can do
nothing else meanwhile. The bound here follows from how backtracking works. Each part of a pattern gives,
from one position, a number of *ways* to go on, and each way is followed by all that comes after it until
one of them succeeds. It is a bound, often a generous one: a pattern above it may still be quick.
"""

from __future__ import annotations

import math
import re
import warnings
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_STEP_BUDGET = 500_000
"""At most 5 ms: a step takes at most 10 ns on a machine of 2020, and much less for most patterns."""

_LONGEST = 1 << 18
_STEPS_PER_START = 2
_LETTERS_OF_TWO_FORMS = frozenset("abcdefghjlmnopqrtuvwxyzABCDEFGHJLMNOPQRTUVWXYZ")
"""Without i, k and s, which under IGNORECASE match letters beyond ASCII too."""


class _Cost(NamedTuple):
    """What a part of a pattern takes from one position: steps in all, and ways to go on from there."""

    steps: float
    ways: float


def is_cheap(pattern: re.Pattern[str], text: str, /, *, whole: bool = False) -> bool:
    """Whether `pattern` is sure to be searched in `text` (or matched with the whole of it) within 5 ms."""
    return _plan(pattern).allows(text, whole=whole)


class _Plan:
    """The bounds of one pattern."""

    def __init__(self, tree: Iterable[Any], *, ignore_case: bool) -> None:
        self._tree = tree
        self._first = _first_letters(tree, ignore_case=ignore_case)
        self._single: dict[int, float] = {}
        self._longest_whole = _longest(self._steps_of_one_start)
        self._longest_search = _longest(self._steps_of_all_starts)

    def allows(self, text: str, *, whole: bool) -> bool:
        length = len(text)
        if length <= (self._longest_whole if whole else self._longest_search):
            return True
        if whole or length > _LONGEST or not self._first:
            return False
        # Few texts hold the beginning of the pattern often, so few starts get anywhere.
        starts = min(sum(map(text.count, forms)) for forms in self._first)
        rounded = 1 << length.bit_length()
        single = self._single.get(rounded)
        if single is None:
            single = self._single[rounded] = self._steps_of_one_start(rounded)
        return length * _STEPS_PER_START + starts * single <= _STEP_BUDGET if starts else True

    def _steps_of_one_start(self, length: int) -> float:
        return _sequence(self._tree, length).steps

    def _steps_of_all_starts(self, length: int) -> float:
        return (length + 1) * (self._steps_of_one_start(length) + _STEPS_PER_START)


class _NeverCheap:
    """The plan of a pattern that could not be analysed."""

    def allows(self, text: str, *, whole: bool) -> bool:
        del text, whole
        return False


@lru_cache(maxsize=256)
def _plan(pattern: re.Pattern[str]) -> _Plan | _NeverCheap:
    try:
        # The parser is private to `re`: what it gives is not promised to stay.
        from re import _parser  # type: ignore[attr-defined]  # noqa: PLC0415  # private, see above

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # given when the user compiled the pattern
            tree = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        return _Plan(tree, ignore_case=bool(pattern.flags & re.IGNORECASE))
    except Exception:  # whatever is not as expected: a pattern that is not understood is not cheap
        return _NeverCheap()


def _longest(steps: Callable[[int], float]) -> int:
    """The longest text that stays within the budget; -1 if none does."""
    return bisect_left(range(_LONGEST + 1), 1, key=lambda length: int(steps(length) > _STEP_BUDGET)) - 1


def _sequence(parts: Iterable[Any], length: int) -> _Cost:
    steps, ways = 0.0, 1.0
    for operator, argument in parts:
        part = _part(str(operator), argument, length)
        steps += ways * part.steps
        ways *= part.ways
    return _Cost(steps, ways)


def _part(operator: str, argument: Any, length: int) -> _Cost:
    match operator:
        case "LITERAL" | "NOT_LITERAL" | "ANY" | "AT" | "FAILURE":
            return _Cost(1, 1)
        case "IN":
            return _Cost(1 + len(argument) / 4, 1)
        case "GROUPREF":
            return _Cost(1 + length, 1)
        case "SUBPATTERN":
            inner = _sequence(argument[3], length)
            return _Cost(inner.steps + 2, inner.ways)
        case "BRANCH":
            branches = [_sequence(branch, length) for branch in argument[1]]
            return _Cost(sum(one.steps + 1 for one in branches), sum(one.ways for one in branches))
        case "ASSERT" | "ASSERT_NOT":
            return _Cost(_sequence(argument[1], length).steps + 1, 1)
        case "ATOMIC_GROUP":
            return _Cost(_sequence(argument, length).steps + 1, 1)
        case "GROUPREF_EXISTS":
            branches = [_sequence(branch or (), length) for branch in argument[1:]]
            return _Cost(1 + sum(one.steps for one in branches), max(one.ways for one in branches))
        case "MAX_REPEAT" | "MIN_REPEAT":
            return _repeat(*argument, length=length)
        case "POSSESSIVE_REPEAT":
            return _Cost(_repeat(*argument, length=length).steps, 1)
    msg = f"unknown part of a pattern: {operator}"
    raise ValueError(msg)


def _repeat(least: int, most: int, item: Any, *, length: int) -> _Cost:
    one = _sequence(item, length)
    # Beyond the least number, `re` stops repeating an item that matched nothing.
    most = min(most, max(least, length + 1))
    if one.ways <= 1:
        return _Cost(most * (one.steps + 1) + 1, most - least + 1)
    if most * math.log2(one.ways) > 60:
        return _Cost(math.inf, math.inf)
    tries = [one.ways**count for count in range(most + 1)]
    return _Cost(sum(tries[:-1]) * (one.steps + 1) + 1, sum(tries[least:]))


def _first_letters(parts: Iterable[Any], *, ignore_case: bool) -> list[str]:
    """For each letter that every match begins with, in which forms it occurs in a text."""
    forms: list[str] = []
    for operator, argument in parts:
        name = str(operator)
        if name == "AT":
            continue
        if name == "SUBPATTERN" and not argument[1] and not argument[2]:
            forms += _first_letters(argument[3], ignore_case=ignore_case)
            if not _is_plain(argument[3]):
                break
            continue
        if name != "LITERAL":
            break
        letter = chr(argument)
        if not ignore_case or (letter.isascii() and not letter.isalpha()):
            forms.append(letter)
        elif letter in _LETTERS_OF_TWO_FORMS:
            forms.append(letter.lower() + letter.upper())
    return list(dict.fromkeys(forms))[:8]


def _is_plain(parts: Iterable[Any]) -> bool:
    return all(str(operator) in {"AT", "LITERAL"} for operator, _ in parts)
