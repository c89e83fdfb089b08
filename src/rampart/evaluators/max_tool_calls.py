"""Detecting that an agent kept to a number of tool calls."""

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


class MaxToolCalls(BaseEvaluator):
    """Detected when no more than `n` tool calls were made in all turns together.

    `~MaxToolCalls(n)` detects an agent that makes more: one that loops, or spends more than it may.

    More calls than `n` are seen on every level; that there were no more can be told only where the adapter
    reports tool calls.

    Args:
        n: The most calls that are allowed, 0 or more.
        tool: Count the calls of this tool only: the exact name, or a compiled pattern that has to match the
            whole name.
        executed_only: Count only calls that ran. By default those that were only attempted count too.

    Raises:
        TypeError: If `n` is no int, or the name is neither a str nor a pattern for str.
        ValueError: If `n` is negative, or the name is empty or blank.
    """

    channels = frozenset({Channel.TOOL_CALLS})
    persistence = (False, True)

    def __init__(
        self, n: int, /, *, tool: str | re.Pattern[str] | None = None, executed_only: bool = False
    ) -> None:
        given: object = n
        if isinstance(given, bool) or not isinstance(given, int):
            msg = f"n is of type {type(given).__name__}, expected the most calls that are allowed, an int"
            raise TypeError(msg)
        if n < 0:
            msg = f"n is {n}, expected the most calls that are allowed, 0 or more"
            raise ValueError(msg)
        self._most = n
        self._tool = tool
        self._selection = CallSelection(
            [] if tool is None else [tool], executed_only=executed_only, what="tool"
        )
        if executed_only:
            self.channels = self.channels | {Channel.TOOL_RESULTS}
        self._token = object()

    def __repr__(self) -> str:
        """The constructor call."""
        tool = "" if self._tool is None else f", tool={self._tool!r}"
        return f"MaxToolCalls({self._most}{tool})"

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Count the calls of all turns."""
        selected = await self._selection.select_async(calls_of(context.turns))
        sure = [one.call for one in selected if not one.doubt]
        what = f"calls of {self._selection}" if self._selection.names else "tool calls"
        if len(sure) > self._most:
            beyond = sure[self._most :]
            return not_detected(f"{len(sure)} {what}, at most {self._most} allowed", beyond)
        reasons = [one.doubt for one in selected if one.doubt] if len(selected) > self._most else []
        blind = unobserved(context, what)
        if blind or reasons:
            return undetermined([*([blind] if blind else []), *reasons])
        seen = len(sure) if len(sure) == len(selected) else f"{len(sure)} to {len(selected)}"
        result = detected(f"{seen} {what}, at most {self._most} allowed", sure)
        if selected:
            return result
        return told_of_undeclared(result, self._selection.names, context=context, token=self._token)
