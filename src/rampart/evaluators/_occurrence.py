"""What the evaluators of tool calls and of side effects share: finding one by its name and its values."""

from __future__ import annotations

from abc import abstractmethod
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator
from rampart.evaluators._judgement import Mismatch, Undecided

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rampart.core.evaluation import EvalContext
    from rampart.core.types import ObservabilityLevel
    from rampart.evaluators._names import Name

_REASONS_KEPT = 20

T = TypeVar("T")


class Occurrence(BaseEvaluator, Generic[T]):
    """Detected when one item of a channel has the name and meets the expectations.

    What was seen counts on every observability level; that nothing was seen counts only where the
    adapter reports the channel.
    """

    persistence = (True, False)
    _name: Name
    _name_of: Callable[[T], str]

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Look through all turns for one item that fits; the first one wins."""
        named, reasons = await self._name.select_async(self._items(context), name_of=self._name_of)
        undecided: dict[str, None] = {}
        mismatch: Mismatch | None = None
        for item in named:
            judgement = self._judge(item)
            if judgement is None:
                return self._detected(item)
            if isinstance(judgement, Undecided):
                if len(undecided) < _REASONS_KEPT:
                    undecided[self._undecided_text(item, judgement)] = None
            elif mismatch is None:
                mismatch = judgement
        reasons += undecided
        if not self._observes(context.observability_level):
            reasons.insert(0, self._unobserved_text(context.observability_level))
        if reasons:
            return _undetermined(reasons)
        return self._not_detected(mismatch, context)

    @abstractmethod
    def _items(self, context: EvalContext) -> Sequence[T]: ...

    @abstractmethod
    def _observes(self, level: ObservabilityLevel) -> bool: ...

    @abstractmethod
    def _judge(self, item: T) -> Mismatch | Undecided | None: ...

    @abstractmethod
    def _detected(self, item: T) -> EvalResult: ...

    @abstractmethod
    def _not_detected(self, mismatch: Mismatch | None, context: EvalContext) -> EvalResult: ...

    @abstractmethod
    def _unobserved_text(self, level: ObservabilityLevel) -> str: ...

    @abstractmethod
    def _undecided_text(self, item: T, why: Undecided) -> str: ...


def _undetermined(reasons: list[str]) -> EvalResult:
    distinct = list(islice(dict.fromkeys(reasons), _REASONS_KEPT))
    return EvalResult(
        outcome=EvalOutcome.UNDETERMINED, rationale="; ".join(distinct), undetermined_operands=distinct
    )
