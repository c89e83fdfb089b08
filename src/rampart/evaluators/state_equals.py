"""Detecting that the state of the agent's environment ends as expected."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import TYPE_CHECKING, Any

from rampart.core.channel import Channel
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator
from rampart.core.state import states_of
from rampart.evaluators._path_globs import PathGlobs
from rampart.evaluators._predicates import refuse_coroutine_function
from rampart.evaluators._shown import shown_error, shown_name, shown_value
from rampart.evaluators._state_changes import changes
from rampart.evaluators._state_evaluator import checked_source, missing_reasons, undetermined
from rampart.evaluators.missing import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rampart.core.evaluation import EvalContext

_SHOWN = 20


class StateEquals(BaseEvaluator):
    """Detected when the state of a source, after the last turn, is as expected.

    Args:
        source: The name under which the snapshots are taken; see `StateChanged`.
        expected: The state as JSON; equal as JSON has it (`True` is not 1, 1 is 1.0).
        path: Only these places, and what lies below them, have to be equal.
        ignore: These do not have to be.

    Raises:
        TypeError: If the source or a path is no str, or a function is expected.
        ValueError: If the source or a path is blank.
    """

    channels = frozenset({Channel.STATE})

    def __init__(
        self,
        source: str,
        expected: Any,
        /,
        *,
        path: str | Iterable[str] | None = None,
        ignore: str | Iterable[str] | None = None,
    ) -> None:
        refuse_coroutine_function(expected, place="expected")
        if callable(expected):
            msg = "expected is a function, which no state equals; StateChanged takes one as expect"
            raise TypeError(msg)
        self._source = checked_source(source)
        self._expected = expected
        self._path = PathGlobs(path, what="path")
        self._ignore = PathGlobs(ignore, what="ignore")

    def __repr__(self) -> str:
        """The source and the expected state."""
        return f"StateEquals({self._source!r}, {shown_value(self._expected)})"

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Compare the last snapshot; without one the answer is UNDETERMINED."""
        states = states_of(self._source, context.turns)
        last = states[-1:]
        if not last or not last[0].has_after:
            return undetermined(missing_reasons(self._source, last))
        place = f"turn {last[0].turn} state {shown_name(self._source)}"
        try:
            differences = await asyncio.to_thread(self._differences, last[0].after)
        except Exception as error:  # values that are no JSON raise anything when they are compared
            return undetermined([f"{place} cannot be compared: {shown_error(error)}"])
        if differences:
            return EvalResult(
                outcome=EvalOutcome.NOT_DETECTED,
                evidence=[f"{place} {one}" for one in differences],
                rationale=f"{place} is not as expected: {differences[0]}",
            )
        return EvalResult(
            outcome=EvalOutcome.DETECTED,
            evidence=[f"{place}: {shown_value(last[0].after)}"],
            rationale=f"{place} is as expected",
        )

    def _differences(self, actual: object) -> list[str]:
        found = changes(self._expected, actual, path=self._path, ignore=self._ignore)
        return [
            f"{one.path or 'as a whole'}: {_shown(one.after)}, expected {_shown(one.before)}"
            for one in islice(found, _SHOWN)
        ]


def _shown(value: object) -> str:
    return "nothing" if value is MISSING else shown_value(value)
