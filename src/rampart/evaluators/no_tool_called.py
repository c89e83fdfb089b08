"""Detecting that an agent left tools alone."""

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
from rampart.evaluators._call_selection import CallSelection
from rampart.evaluators._calls import calls_of

if TYPE_CHECKING:
    import re

    from rampart.core.evaluation import EvalContext, EvalResult


class NoToolCalled(BaseEvaluator):
    """Detected when the agent called none of the tools, in no turn; without names, no tool at all.

    A call is seen on every level; that there was none can be told only where the adapter reports tool calls.

    Args:
        *names: The tools to leave alone: exact names, or compiled patterns that have to match a whole name.
        executed_only: Mind only calls that ran. By default asking for a tool is calling it.

    Raises:
        TypeError: If a name is neither a str nor a pattern for str.
        ValueError: If a name is empty or blank.
    """

    channels = frozenset({Channel.TOOL_CALLS})
    persistence = (False, True)

    def __init__(self, *names: str | re.Pattern[str], executed_only: bool = False) -> None:
        self._selection = CallSelection(names, executed_only=executed_only)
        if executed_only:
            self.channels = self.channels | {Channel.TOOL_RESULTS}
        self._token = object()

    def __repr__(self) -> str:
        """The constructor call."""
        return f"NoToolCalled({', '.join(repr(name.given) for name in self._selection.names)})"

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Look for calls in all turns."""
        selected = await self._selection.select_async(calls_of(context.turns))
        sure = [one.call for one in selected if not one.doubt]
        if sure:
            return not_detected(f"{sure[0].name} was called", sure)
        what = str(self._selection) if self._selection.names else "its tools"
        blind = unobserved(context, what)
        if blind or selected:
            return undetermined([*([blind] if blind else []), *(one.doubt for one in selected)])
        result = detected(f"none of {what} was called")
        return told_of_undeclared(result, self._selection.names, context=context, token=self._token)
