"""Detecting that one tool was called before another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.channel import Channel
from rampart.core.evaluator import BaseEvaluator
from rampart.evaluators._call_answer import (
    detected,
    not_detected,
    told_of_undeclared,
    undetermined,
    unobserved,
)
from rampart.evaluators._call_selection import CallSelection, Selected
from rampart.evaluators._calls import calls_of

if TYPE_CHECKING:
    import re

    from rampart.core.evaluation import EvalContext, EvalResult


class ToolBefore(BaseEvaluator):
    """Detected when `second` was called, and each of its calls has a call of `first` somewhere before it.

    The calls of all turns are one sequence, in the order in which they are recorded; the calls of one turn
    that an agent made at the same time stand in the order in which it asked for them.

    Where `second` was never called, nothing came before anything: NOT_DETECTED. So the rule "never `pay`
    without `confirm` before it" is `ToolBefore("confirm", "pay") | NoToolCalled("pay")`, and what breaks it
    is `ToolCalled("pay") & ~ToolBefore("confirm", "pay")`.

    Both answers rest on the order of all calls: where the adapter does not report them, it is UNDETERMINED.

    Args:
        first: The tool that has to come before: its exact name, or a compiled pattern that has to match the
            whole name.
        second: The tool that has to come after, likewise.
        executed_only: Mind only calls that ran. By default those that were only attempted count too.

    Raises:
        TypeError: If a name is neither a str nor a pattern for str.
        ValueError: If a name is empty or blank, or both are the same.
    """

    channels = frozenset({Channel.TOOL_CALLS})
    persistence = (True, False)

    def __init__(
        self,
        first: str | re.Pattern[str],
        second: str | re.Pattern[str],
        /,
        *,
        executed_only: bool = False,
    ) -> None:
        self._first = CallSelection([first], executed_only=executed_only, what="first")
        self._second = CallSelection([second], executed_only=executed_only, what="second")
        if first == second:
            msg = f"first and second are both {first!r}; the first call of a tool has none before it"
            raise ValueError(msg)
        if executed_only:
            self.channels = self.channels | {Channel.TOOL_RESULTS}
        self._token = object()

    def __repr__(self) -> str:
        """The constructor call."""
        (first,), (second,) = self._first.names, self._second.names
        return f"ToolBefore({first.given!r}, {second.given!r})"

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Look at what came before the first call of the second tool; that is before its other calls too."""
        blind = unobserved(context, f"{self._first} or {self._second}")
        if blind:
            return undetermined([blind])
        calls = calls_of(context.turns)
        later = await self._second.select_async(calls)
        if not later:
            result = not_detected(f"{self._second} was not called")
            return told_of_undeclared(result, self._second.names, context=context, token=self._token)
        position = {id(one): index for index, one in enumerate(calls)}
        end = position[id(next((one for one in later if not one.doubt), later[-1]).call)]
        earlier = await self._first.select_async(calls[:end])
        return self._answer(earlier, later, position=position, context=context)

    def _answer(
        self,
        earlier: list[Selected],
        later: list[Selected],
        *,
        position: dict[int, int],
        context: EvalContext,
    ) -> EvalResult:
        sure = next((one.call for one in earlier if not one.doubt), None)
        certain = next((one.call for one in later if not one.doubt), None)
        if sure and certain and position[id(sure)] < position[id(later[0].call)]:
            return detected(f"{sure.name} came before {certain.name}", [sure, certain])
        if not earlier:
            one = certain or later[0].call
            result = not_detected(f"{one.name} has no {self._first} before it", [one])
            return told_of_undeclared(result, self._first.names, context=context, token=self._token)
        return undetermined([one.doubt for one in [*earlier, *later] if one.doubt])
