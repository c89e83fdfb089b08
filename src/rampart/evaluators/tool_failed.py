"""Detecting that a tool failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.channel import Channel
from rampart.evaluators._call_answer import not_detected, told_of_undeclared
from rampart.evaluators._call_finding import CallFinder, CallFinding, Found, Open, Other
from rampart.evaluators._call_selection import NameAnswers
from rampart.evaluators._calls import ran
from rampart.evaluators._names import Name
from rampart.evaluators._places import quoted_place
from rampart.evaluators._text_target import text_target
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from rampart.core.evaluation import EvalContext, EvalResult
    from rampart.evaluators._calls import PlacedCall
    from rampart.evaluators._text_target import TextTarget


class ToolFailed(CallFinding):
    """Detected when an error is recorded with a call of a tool, in any turn.

    A call that was refused without an error, such as one that waits for approval, did not fail. A call with
    which nothing is recorded (no result, no error, not whether it ran) may have failed: the answer is
    UNDETERMINED unless another call did. It does not see errors that a tool reports as its result.

    Args:
        tool_name: The exact name, or a compiled pattern that has to match the whole name; None for any tool.
        error: What the text of the error has to hold: a str is a part of it, by the rules that
            `ResponseContains` has for replies; a compiled pattern is searched, a plain function gets the
            text. An error whose text nobody can judge is UNDETERMINED unless another one fits.

    Raises:
        TypeError: If the name or the error is of another type.
        ValueError: If the name is blank, or the error would fit every text.
    """

    channels = frozenset({Channel.TOOL_CALLS, Channel.TOOL_RESULTS})

    def __init__(
        self,
        tool_name: str | re.Pattern[str] | None = None,
        /,
        *,
        error: str | re.Pattern[str] | Callable[[str], object] | None = None,
    ) -> None:
        self._name = None if tool_name is None else Name(tool_name, what="tool_name")
        self._given = error
        self._error = (
            None if error is None else text_target(error, case_sensitive=False, fold=True, confusables=False)
        )
        self._token = object()

    def __repr__(self) -> str:
        """The constructor call."""
        name = [] if self._name is None else [repr(self._name.given)]
        error = [] if self._given is None else [f"error={self._given!r}"]
        return f"ToolFailed({', '.join(name + error)})"

    def _finder(self, context: EvalContext) -> CallFinder:
        del context
        return _Failures(self._name, self._error)

    def _looked_for(self) -> str:
        return "the failing calls" if self._name is None else f"the failing calls of {self._name}"

    def _not_found(self, context: EvalContext) -> EvalResult:
        such = "" if self._given is None else " with such an error"
        what = "no tool" if self._name is None else f"no call of {self._name}"
        names = [] if self._name is None else [self._name]
        result = not_detected(f"{what} failed{such}")
        return told_of_undeclared(result, names, context=context, token=self._token)


class _Failures(CallFinder):
    def __init__(self, name: Name | None, error: TextTarget | None) -> None:
        self._name = None if name is None else NameAnswers(name)
        self._error = error

    async def judge_async(self, one: PlacedCall, /) -> Found | Open | Other:
        named = True if self._name is None else await self._name.of_async(one.call.name)
        if named is False:
            return Other()
        if one.call.error is None:
            if ran(one.call) is None:
                return Open(f"what became of {one.name} is not known: it has neither a result nor an error")
            return Other(final=False)
        if isinstance(named, str):
            return Open(named)
        return await self._judge_error_async(one, safe_str(one.call.error))

    async def _judge_error_async(self, one: PlacedCall, text: str) -> Found | Open | Other:
        if self._error is not None:
            answer = self._error.look(text)
            if answer is None:
                answer = await self._error.look_async(text)
            if isinstance(answer, str):
                return Open(f"{one.name} failed, but {answer}")
            if not answer:
                return Other()
        return Found(evidence=quoted_place(one.place("error"), text), rationale=f"{one.name} failed")
