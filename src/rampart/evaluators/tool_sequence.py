"""Detecting that an agent called certain tools, as a whole or in a certain order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rampart.core.channel import Channel
from rampart.core.evaluator import BaseEvaluator
from rampart.evaluators._call_answer import (
    detected,
    not_detected,
    told_of_undeclared,
    undetermined,
    unobserved,
)
from rampart.evaluators._call_selection import checked_flag, counted
from rampart.evaluators._calls import PlacedCall, calls_of
from rampart.evaluators._sequence_match import MODES, Alignment
from rampart.evaluators._shown import shown_name, shown_value
from rampart.evaluators._steps import fits_async, made_steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.core.evaluation import EvalContext, EvalResult
    from rampart.evaluators._steps import ArgumentMode, ArgumentRule, StepGiven

SequenceMode = Literal["strict", "in_order", "unordered", "superset", "subset"]


class ToolSequence(BaseEvaluator):
    """Detected when the tool calls of all turns compare with the given steps as the mode says.

    Each call is matched with one step at most, and each step with one call. The modes, seen from the calls
    that were made:

    * `strict`: they are the steps, in order, and nothing else.
    * `in_order`: all steps are among them, in order; others may come between, before and after.
    * `unordered`: they are the steps in any order, and nothing else.
    * `superset`: all steps are among them, in any order.
    * `subset`: there is nothing else than steps among them; steps may be missing, even all of them.

    Where the adapter does not report tool calls, all steps that are seen still are a `superset` or
    `in_order`, and a call that is no step still makes an end of `strict`, `unordered` and `subset`; all else
    is UNDETERMINED.

    Args:
        *steps: What is to be called: an exact name, a compiled pattern that has to match the whole name, or
            a pair of either with the arguments by name, which have to be as `ToolCalled` wants them
            (a value, a function of the value, or `MISSING`).
        mode: How calls and steps compare.
        arguments: How the arguments of a call compare with those of a step that gives some, again seen from
            the call: `exact` has those and no others, `superset` may have others too, `subset` has no others
            but may lack some, `ignore` looks at none. A mapping gives each tool, by its exact name, a mode of
            its own or a function that judges the mapping of all arguments; tools without one are `exact`.
        executed_only: Leave out calls that were only attempted. By default asking for a tool is calling it.

    Raises:
        TypeError: If a step or a rule is of another type, or an expectation can never hold.
        ValueError: If there are no steps, a name is blank, a mode is unknown, or a rule is about a tool that
            is no step.
    """

    channels = frozenset({Channel.TOOL_CALLS})

    def __init__(
        self,
        *steps: StepGiven,
        mode: SequenceMode,
        arguments: ArgumentMode | Mapping[str, ArgumentRule] = "exact",
        executed_only: bool = False,
    ) -> None:
        given: object = mode
        if not isinstance(given, str) or given not in MODES:
            msg = f"mode is {shown_value(given)}, expected one of {', '.join(MODES)}"
            raise ValueError(msg)
        self._steps = made_steps(steps, arguments=arguments)
        self._mode = MODES[given]
        self._mode_name = given
        self._executed_only = checked_flag(executed_only, name="executed_only")
        if executed_only:
            self.channels = self.channels | {Channel.TOOL_RESULTS}
        self.persistence = (self._mode.monotone, self._mode.closed)
        self._token = object()

    def __repr__(self) -> str:
        """The steps and the mode."""
        return f"ToolSequence({', '.join(map(str, self._steps))}, mode={self._mode_name!r})"

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Compare the calls of all turns with the steps."""
        calls: list[PlacedCall] = []
        doubts: list[str] = []
        for one in calls_of(context.turns):
            doubt = counted(one, executed_only=self._executed_only)
            if doubt is not None:
                calls.append(one)
                doubts.append(doubt)
        fits = await fits_async(self._steps, calls)
        alignment = Alignment(fits=fits, certain=[not doubt for doubt in doubts])
        blind = unobserved(context, ", ".join(dict.fromkeys(str(step.name) for step in self._steps)))
        if blind:
            return self._answer_unobserved(alignment, calls, blind)
        if self._mode.sure(alignment):
            return detected(self._mode.met, calls)
        if self._mode.possible(alignment):
            unclear = [fit for row in fits for fit in row if isinstance(fit, str)]
            return undetermined([*filter(None, doubts), *unclear])
        result = not_detected(f"{self._mode.missed}: {self._difference(alignment, calls)}", calls)
        return told_of_undeclared(
            result, [step.name for step in self._steps], context=context, token=self._token
        )

    def _answer_unobserved(self, one: Alignment, calls: list[PlacedCall], blind: str) -> EvalResult:
        """What follows from the calls that happen to be seen, where others may not be."""
        if self._mode.monotone and self._mode.sure(one):
            return detected(self._mode.met, calls)
        if not self._mode.completable(one):
            return not_detected(f"{self._mode.missed}: {self._difference(one, calls)}", calls)
        return undetermined([blind])

    def _difference(self, one: Alignment, calls: list[PlacedCall]) -> str:
        """The first thing that a reader would point at."""
        if self._mode_name != "subset":
            for position, step in enumerate(self._steps):
                if not any(one.possibly(position, call) for call in one.all_calls):
                    return f"{step} was not called"
        if not self._mode.monotone:
            for call in one.sure_calls:
                if not any(one.possibly(position, call) for position in range(one.steps)):
                    return f"{calls[call].name} is no step"
        return f"{len(calls)} calls for {one.steps} steps, in the order " + (
            ", ".join(shown_name(call.call.name) for call in calls[:10])
        )
