"""Detecting a value deep inside of the arguments of a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from rampart.core.channel import Channel
from rampart.evaluators._argument_value import ANY_VALUE, Expectation
from rampart.evaluators._call_answer import not_detected, told_of_undeclared
from rampart.evaluators._call_finding import CallFinder, CallFinding, Found, Open, Other
from rampart.evaluators._call_selection import NameAnswers, checked_flag, counted
from rampart.evaluators._json_path import ArgumentPath
from rampart.evaluators._names import Name
from rampart.evaluators._places import quoted_place
from rampart.evaluators._shown import shown_error, shown_value
from rampart.evaluators.missing import MISSING

if TYPE_CHECKING:
    import re

    from rampart.core.evaluation import EvalContext, EvalResult
    from rampart.evaluators._calls import PlacedCall

_ROOT: Final = "arguments"


class ArgumentMatches(CallFinding):
    """Detected when a call of a tool has a certain value at a path into its arguments, in any turn.

    Needs `pip install "rampart[jsonpath]"`, and an adapter that reports tool calls: without that, no such
    call seen is UNDETERMINED. A call whose arguments are no JSON object is UNDETERMINED too unless another
    call fits.

    Args:
        tool_name: The exact name, or a compiled pattern that has to match the whole name.
        path: A JSONPath (RFC 9535) into the object of all arguments, such as `$.to[0].address`,
            `$..password` or `$.items[?@.price > 100]`. Its functions `match` and `search` are refused, since
            nothing bounds their time: give a pattern as `expected`.
        expected: What one of the selected values has to be. A compiled pattern is searched in values that
            are text, for 2 s a value; a plain function gets the value, and its truth value counts; `MISSING`
            means that the path selects nothing; any other value has to be equal, by the rules of
            `ToolCalled`. Left out, any value will do, null included.
        executed_only: Mind only calls that ran. By default asking for a tool is calling it.

    Raises:
        TypeError: If an argument is of another type, or the expectation can never hold.
        ValueError: If the name is blank, or the path is no JSONPath.
        ConfigurationError: If python-jsonpath is not installed.
    """

    def __init__(
        self,
        tool_name: str | re.Pattern[str],
        path: str,
        expected: Any = ANY_VALUE,
        /,
        *,
        executed_only: bool = False,
    ) -> None:
        self._name = Name(tool_name, what="tool_name")
        self._path = ArgumentPath(path)
        self._expected = Expectation(expected)
        self._executed_only = checked_flag(executed_only, name="executed_only")
        if executed_only:
            self.channels = self.channels | {Channel.TOOL_RESULTS}
        self._token = object()

    def __repr__(self) -> str:
        """The constructor call."""
        expected = "" if self._expected.given is ANY_VALUE else f", {shown_value(self._expected.given)}"
        return f"ArgumentMatches({self._name.given!r}, {self._path.text!r}{expected})"

    def _finder(self, context: EvalContext) -> CallFinder:
        del context
        return _Matches(self._name, self._path, self._expected, executed_only=self._executed_only)

    def _looked_for(self) -> str:
        return f"the calls of {self._name}"

    def _not_found(self, context: EvalContext) -> EvalResult:
        result = not_detected(f"no call of {self._name} has such a value at {self._path.text}")
        return told_of_undeclared(result, [self._name], context=context, token=self._token)


class _Matches(CallFinder):
    def __init__(self, name: Name, path: ArgumentPath, expected: Expectation, *, executed_only: bool) -> None:
        self._name = NameAnswers(name)
        self._path = path
        self._expected = expected
        self._executed_only = executed_only

    async def judge_async(self, one: PlacedCall, /) -> Found | Open | Other:
        named = await self._name.of_async(one.call.name)
        if named is False:
            return Other()
        doubt = counted(one, executed_only=self._executed_only)
        if doubt is None:
            return Other(final=False)
        answer = await self._arguments_async(one)
        if isinstance(answer, Found) and (doubt or named is not True):
            return Open(doubt or str(named))
        return answer

    async def _arguments_async(self, one: PlacedCall) -> Found | Open | Other:
        call = one.call
        if call.raw_arguments is not None or not isinstance(call.arguments, Mapping):
            return Open(f"{one.name} was called, but its arguments are not an object")
        try:
            located = await self._path.find_async(call.arguments)
        except Exception as error:  # whatever the library makes of an agent's values
            return Open(
                f"{one.name} was called, but {self._path.text} could not be followed: {shown_error(error)}"
            )
        if self._expected.given is MISSING:
            if located:
                return Other()
            return Found(one.evidence(), f"{one.name} has nothing at {self._path.text}")
        doubt: Open | None = None
        for path, value in located:
            holds = await self._expected.holds_async(value)
            if holds is True:
                shown = value if isinstance(value, str) else shown_value(value)
                return Found(quoted_place(one.place(path), shown), f"{one.name} has such a value at {path}")
            if holds is not False:
                doubt = doubt or Open(f"{one.name} was called, but {path} could not be judged: {holds}")
        return doubt or Other()
