"""The steps of a sequence of tool calls, and what makes a call one of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from rampart.evaluators._call_selection import NameAnswers
from rampart.evaluators._judgement import Mismatch, Undecided
from rampart.evaluators._names import Name
from rampart.evaluators._predicates import Predicates, refuse_coroutine_function, truth_of
from rampart.evaluators._shown import shown_error, shown_name, shown_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.evaluators._calls import PlacedCall

ArgumentMode: TypeAlias = Literal["exact", "superset", "subset", "ignore"]
ArgumentRule: TypeAlias = ArgumentMode | Callable[[dict[str, Any]], object]
ToolName: TypeAlias = str | re.Pattern[str]
StepGiven: TypeAlias = ToolName | tuple[ToolName, Mapping[str, Any]]

ARGUMENT_MODES: tuple[ArgumentMode, ...] = ("exact", "superset", "subset", "ignore")
Fit: TypeAlias = Literal[True, False] | str
"""Whether a call is a step, or why nobody knows."""


class Step:
    """One call that is expected.

    Args:
        given: A name, or a pair of a name and the arguments that are expected.
        rule: How the arguments are compared, or a function that judges all arguments of a call.

    Raises:
        TypeError: If the step is neither, or an expectation can never hold.
        ValueError: If the name is empty or blank.
    """

    __slots__ = ("_expected", "_rule", "name")

    def __init__(self, given: StepGiven, *, rule: ArgumentRule) -> None:
        name, expected = _parts(given)
        self.name = Name(name, what="the name of a step")
        Predicates(expected or {}, owner=f"step {self.name}")  # refuses what never holds
        self._expected = expected
        self._rule = rule

    def __str__(self) -> str:
        """The name, and the arguments where some are expected."""
        return f"{self.name}" + ("" if self._expected is None else f" with {shown_value(self._expected)}")

    def judge(self, one: PlacedCall, /) -> Fit:
        """Whether the arguments of a call of that name are as expected."""
        rule, expected = self._rule, self._expected
        if rule == "ignore" or (expected is None and not callable(rule)):
            return True
        call = one.call
        if call.raw_arguments is not None or not isinstance(call.arguments, Mapping):
            return f"{one.name} was called, but its arguments are not an object"
        if callable(rule):
            try:
                return truth_of(rule(call.arguments))
            except Exception as error:  # a user's function may raise anything; none of it is an answer
                return f"{one.name} was called, but its arguments could not be judged: {shown_error(error)}"
        judgement = _compared(expected or {}, call.arguments, rule=cast("ArgumentMode", rule))
        if judgement is None:
            return True
        if isinstance(judgement, Undecided):
            return f"{one.name} was called, but {judgement}"
        return False


def made_steps(
    given: Sequence[StepGiven], /, *, arguments: ArgumentMode | Mapping[str, ArgumentRule]
) -> list[Step]:
    """The steps, each with the rule for its tool.

    Raises:
        TypeError: If a step or a rule is of another type.
        ValueError: If there are no steps, a mode is unknown, or a rule is about a tool that is no step.
    """
    if not given:
        msg = "there are no steps; NoToolCalled() detects that no tool was called"
        raise ValueError(msg)
    if not isinstance(arguments, Mapping):
        return [Step(one, rule=_checked_rule(arguments, place="arguments")) for one in given]
    rules = {name: _checked_rule(rule, place=f"arguments[{name!r}]") for name, rule in arguments.items()}
    names = [_parts(one)[0] for one in given]
    strangers = [shown_name(name) for name in rules if name not in names]
    if strangers:
        msg = f"arguments has rules for {', '.join(strangers)}, which no step names by exact name"
        raise ValueError(msg)
    return [
        Step(one, rule=rules.get(name, "exact") if isinstance(name, str) else "exact")
        for one, name in zip(given, names, strict=True)
    ]


async def fits_async(steps: Sequence[Step], calls: Sequence[PlacedCall], /) -> list[list[Fit]]:
    """For each step, whether each of the calls is it."""
    table: list[list[Fit]] = []
    for step in steps:
        answers = NameAnswers(step.name)
        row: list[Fit] = []
        for one in calls:
            named = await answers.of_async(one.call.name)
            fit = step.judge(one) if named is True or isinstance(named, str) else False
            row.append(named if fit is True and isinstance(named, str) else fit)
        table.append(row)
    return table


def _compared(
    expected: Mapping[str, Any], actual: Mapping[str, Any], *, rule: ArgumentMode
) -> Mismatch | Undecided | None:
    """None if the arguments are as expected."""
    if rule != "superset":
        extra = next((name for name in actual if name not in expected), None)
        if extra is not None:
            return Mismatch(lambda: f"{extra} is not expected")
    wanted = {name: one for name, one in expected.items() if name in actual} if rule == "subset" else expected
    return Predicates(wanted, owner="step").judge(actual)


def _parts(given: StepGiven) -> tuple[ToolName, Mapping[str, Any] | None]:
    value: object = given
    if isinstance(value, str | re.Pattern):
        return value, None
    if isinstance(value, tuple | list) and len(value) == 2 and isinstance(value[1], Mapping):
        return value[0], value[1]
    msg = f"a step is {shown_value(value)}, expected a name, a pattern or a pair (name, arguments)"
    raise TypeError(msg)


def _checked_rule(rule: object, *, place: str) -> ArgumentRule:
    if isinstance(rule, str):
        if rule in ARGUMENT_MODES:
            return rule
        msg = f"{place} is {shown_value(rule)}, expected one of {', '.join(ARGUMENT_MODES)}"
        raise ValueError(msg)
    if callable(rule):
        refuse_coroutine_function(rule, place=place)
        return rule
    msg = f"{place} is of type {type(rule).__name__}, expected a mode or, for one tool, a function"
    raise TypeError(msg)
