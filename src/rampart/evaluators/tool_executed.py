"""Detecting that a tool ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.channel import Channel
from rampart.evaluators._judgement import Judgement, Mismatch, NotYet, Undecided
from rampart.evaluators._tool_call import ToolCallOccurrence

if TYPE_CHECKING:
    from rampart.core.types import ToolCall


class ToolExecuted(ToolCallOccurrence):
    """Detected when a tool ran with certain arguments, in any turn.

    A call ran if it says so (`executed` is True) or, where it does not say, if a result or an error is
    recorded with it. A call that says nothing and has neither makes the answer UNDETERMINED unless
    another call fits.

    Otherwise like `ToolCalled`, whose arguments it takes.
    """

    channels = frozenset({Channel.TOOL_CALLS, Channel.TOOL_RESULTS})
    _done = "run"

    def _judge(self, item: ToolCall) -> Judgement | None:
        judgement = super()._judge(item)
        if isinstance(judgement, Mismatch) or item.executed:
            return judgement
        if item.executed is False:
            return NotYet(lambda: "such a call was asked for, but did not run")
        if judgement is None and item.result is None and item.error is None:
            return Undecided(lambda: "it is not known to have run")
        return judgement
