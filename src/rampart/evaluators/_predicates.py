"""Expectations about the arguments of a call or the details of a side effect."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from rampart.evaluators._equality import same_value
from rampart.evaluators._judgement import Mismatch, Undecided
from rampart.evaluators._shown import shown_error, shown_value
from rampart.evaluators.missing import MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Predicates:
    """What the values of a mapping are expected to be, by name.

    Args:
        expected: A plain function of the value, `MISSING`, or a value to equal.
        owner: The evaluator that was given them, for error texts.

    Raises:
        TypeError: If an expectation could never be met: a coroutine function, a pattern, or a function
            or `MISSING` inside of a list or dict.
    """

    __slots__ = ("_expected",)

    def __init__(self, expected: Mapping[str, Any], *, owner: str) -> None:
        for name, value in expected.items():
            _refuse_what_never_holds(value, place=f"{owner}({name}=...)")
        self._expected = dict(expected)

    @property
    def wanted(self) -> list[str]:
        """The names that have to be there for the expectations to hold."""
        return [name for name, expected in self._expected.items() if expected is not MISSING]

    def __len__(self) -> int:
        """The number of expectations."""
        return len(self._expected)

    def __str__(self) -> str:
        """The expectations as keyword arguments."""
        return "".join(f", {name}={shown_value(value)}" for name, value in self._expected.items())

    def imply(self, values: Mapping[str, Any], /) -> bool:
        """Whether everything that meets the expectations has exactly these values."""
        return all(
            name in self._expected
            and not callable(expected := self._expected[name])
            and expected is not MISSING
            and same_value(expected, value)
            for name, value in values.items()
        )

    def judge(self, values: Mapping[str, Any], /) -> Mismatch | Undecided | None:
        """None if every expectation holds; a failed one counts for more than one that raised."""
        undecided: Undecided | None = None
        for name, expected in self._expected.items():
            actual = values.get(name, MISSING)
            if actual is MISSING or expected is MISSING:
                if actual is expected:
                    continue
                return _mismatch(name, expected, actual)
            try:
                holds = _holds(expected, actual)
            except Exception as error:  # a predicate may raise anything; none of it is an answer
                if undecided is None:
                    undecided = _undecided(name, error)
                continue
            if not holds:
                return _mismatch(name, expected, actual)
        return undecided


def refuse_coroutine_function(function: object, *, place: str) -> None:
    """Refuse a function whose answer would have to be awaited.

    Raises:
        TypeError: If it is one; its answer, a coroutine, would count as true.
    """
    if inspect.iscoroutinefunction(function):
        msg = f"{place} is a coroutine function, expected a plain one: its answer is not awaited"
        raise TypeError(msg)


def truth_of(answer: object, /) -> bool:
    """The truth value of what a predicate answered.

    Raises:
        TypeError: If it would have to be awaited.
        Exception: Whatever its `__bool__` raises.
    """
    if answer is True or answer is False:
        return answer
    if inspect.isawaitable(answer):
        if inspect.iscoroutine(answer):
            answer.close()
        msg = "the function returned an awaitable, expected an answer: use a plain function"
        raise TypeError(msg)
    return bool(answer)


def _holds(expected: Any, actual: object) -> bool:
    return truth_of(expected(actual)) if callable(expected) else same_value(expected, actual)


def _mismatch(name: str, expected: object, actual: object) -> Mismatch:
    def describe() -> str:
        found = "missing" if actual is MISSING else _typed(actual)
        if expected is MISSING:
            wanted = "none"
        elif callable(expected):
            wanted = f"one that {shown_value(expected)} accepts"
        else:
            wanted = _typed(expected)
        return f"{name} is {found}, expected {wanted}"

    return Mismatch(describe)


def _undecided(name: str, error: Exception) -> Undecided:
    return Undecided(lambda: f"{name} could not be judged: {shown_error(error)}")


def _typed(value: object) -> str:
    return f"{shown_value(value)} ({type(value).__name__})"


def _refuse_what_never_holds(value: object, *, place: str) -> None:
    if isinstance(value, re.Pattern):
        msg = f"{place} is a pattern, which equals no value; pass its method instead: re.compile(...).search"
        raise TypeError(msg)
    if callable(value):
        refuse_coroutine_function(value, place=place)
    elif isinstance(value, list | tuple | dict):
        _refuse_nested(value, place=place)


def _refuse_nested(value: object, *, place: str) -> None:
    pending: list[object] = [value]
    seen: set[int] = set()
    while pending:
        one = pending.pop()
        if isinstance(one, list | tuple | dict):
            if id(one) not in seen:
                seen.add(id(one))
                pending.extend(one.values() if isinstance(one, dict) else one)
        elif one is MISSING or isinstance(one, re.Pattern) or callable(one):
            msg = (
                f"{place} holds {shown_value(one)} inside of a {type(value).__name__}, where it would have "
                "to equal a value; pass one function that looks at the whole"
            )
            raise TypeError(msg)
