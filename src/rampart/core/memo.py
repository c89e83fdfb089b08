"""Work that an evaluator keeps between evaluations of one growing trace.

A stop condition is asked after every turn about all turns so far. Without a memo it would look at each
turn again every time. The memo lives on the first turn of a trace and goes away with it, so it needs no
clean-up, outlives no trace and is never shared between traces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.types import Turn

_KEY = "_rampart_memo"


def enable_trace_memo(first_turn: Turn, /) -> None:
    """Let evaluators keep work on the trace that begins with `first_turn`."""
    first_turn.__dict__.setdefault(_KEY, {})


def trace_memo(turns: Sequence[Turn], /) -> dict[object, Any] | None:
    """The memo of the trace that `turns` is the beginning of; None where nobody enabled one.

    An evaluator keeps its work under a key of its own, and checks before using it that the turns are
    still those the work was done on. It must keep no reference to the first turn, which holds the memo.
    """
    if not turns:
        return None
    memo: dict[object, Any] | None = turns[0].__dict__.get(_KEY)
    return memo
