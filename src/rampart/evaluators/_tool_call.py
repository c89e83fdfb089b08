"""What `ToolCalled` and `ToolExecuted` share."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.types import ToolCall
from rampart.evaluators._judgement import Judgement, Undecided
from rampart.evaluators._names import Name
from rampart.evaluators._occurrence import Occurrence
from rampart.evaluators._predicates import Predicates
from rampart.evaluators._shown import shown_name, shown_value, shown_values
from rampart.evaluators._undeclared import undeclared_reasons, warn_undeclared

if TYPE_CHECKING:
    import re

    from rampart.core.evaluation import EvalContext
    from rampart.core.types import ObservabilityLevel


class ToolCallOccurrence(Occurrence[ToolCall]):
    """A tool call with a name and arguments; subclasses say what has to have become of it."""

    _takes = "argument"
    _name_of = attrgetter("name")
    _done: ClassVar[str]
    """What a call that counts was: `called`, `run`."""

    def __init__(self, tool_name: str | re.Pattern[str], /, **param_predicates: Any) -> None:
        self._name = Name(tool_name, what="tool_name")
        self._predicates = Predicates(param_predicates, owner=type(self).__name__)
        self._token = object()

    def __repr__(self) -> str:
        """The constructor call."""
        return f"{type(self).__name__}({self._name.given!r}{self._predicates})"

    def _items(self, context: EvalContext) -> list[ToolCall]:
        return context.all_tool_calls

    def _observes(self, level: ObservabilityLevel) -> bool:
        return level.observes_tool_calls

    def _judge(self, item: ToolCall) -> Judgement | None:
        if not self._predicates:
            return None
        if item.raw_arguments is not None or not isinstance(item.arguments, Mapping):
            return Undecided(lambda: _not_an_object(item))
        return self._predicates.judge(item.arguments)

    def _detected(self, item: ToolCall) -> EvalResult:
        name = shown_name(item.name)
        return EvalResult(
            outcome=EvalOutcome.DETECTED,
            evidence=[f"{name[1:-1]}({_arguments(item)})"],
            rationale=f"{name} was {self._done} and its arguments match",
        )

    def _not_detected(self, miss: Judgement | None, context: EvalContext) -> EvalResult:
        such = " with such arguments" if self._predicates else ""
        detail = "" if miss is None else f": {miss}"
        result = EvalResult(
            outcome=EvalOutcome.NOT_DETECTED,
            rationale=f"{self._name} was not {self._done}{such}{detail}",
        )
        reasons = undeclared_reasons(self._name.given, self._predicates.wanted, context)
        if reasons:
            result.undetermined_operands += reasons
            warn_undeclared(reasons, context=context, token=self._token)
        return result

    def _unobserved_text(self, level: ObservabilityLevel) -> str:
        return (
            f"Adapter observability is '{level.value}': it does not report tool calls, "
            f"so that none of {self._name} was seen means nothing; record the agent's tools with "
            "record_tools, or declare tool_only if all calls are reported"
        )

    def _undecided_text(self, item: ToolCall, why: Undecided) -> str:
        return f"{shown_name(item.name)} was called, but {why}"


def _not_an_object(call: ToolCall) -> str:
    seen = call.arguments if call.raw_arguments is None else call.raw_arguments
    return f"its arguments are not an object: {shown_value(seen)}"


def _arguments(call: ToolCall) -> str:
    return shown_values(call.arguments) if call.raw_arguments is None else shown_value(call.raw_arguments)
