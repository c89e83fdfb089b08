"""Detecting that the agent asked for a tool."""

from __future__ import annotations

from rampart.core.channel import Channel
from rampart.evaluators._tool_call import ToolCallOccurrence


class ToolCalled(ToolCallOccurrence):
    """Detected when the agent asked for a tool with certain arguments, in any turn.

    Calls that were only attempted count: asking for the tool is the behaviour. Use `ToolExecuted` for
    calls that ran.

    Needs an adapter that reports tool calls: without that, no call seen is UNDETERMINED. A call that is
    seen counts on every level.

    Args:
        tool_name: The exact name, or a compiled pattern that has to match the whole name
            (`namespaced` makes one for the usual prefixes). Matching a pattern is given 2 s a name.
        **param_predicates: What the arguments have to be. A plain function gets the argument's value,
            and its truth value counts. `MISSING` means that there is no such argument. Any other value
            has to be equal, through nested lists and dicts; `True` is not 1 and `"100"` is not 100.
            Arguments that are not named may be anything. If an expectation raises, or a call's arguments
            are no JSON object, the call is undecided, which makes the answer UNDETERMINED unless another
            call fits.

    Raises:
        TypeError: If the name is neither a str nor a pattern for str, or an expectation can never hold.
        ValueError: If the name is empty or blank.
    """

    channels = frozenset({Channel.TOOL_CALLS})
    _done = "called"
