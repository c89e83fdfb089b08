"""What evaluators share that look for one call of which something is true."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from rampart.core.channel import Channel
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator
from rampart.core.memo import trace_memo
from rampart.evaluators._call_answer import undetermined, unobserved
from rampart.evaluators._calls import EVIDENCE_KEPT, PlacedCall, calls_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.evaluation import EvalContext
    from rampart.core.types import ToolCall


class Found(NamedTuple):
    """A call of which it is true: where that shows, and in which words it is told."""

    evidence: str
    rationale: str


class Open(NamedTuple):
    """A call of which nobody knows, and why."""

    reason: str


class Other(NamedTuple):
    """A call of which it is not true.

    Attributes:
        final: Whether that is sure to stay: what became of a call may be recorded after it.
    """

    final: bool = True


class CallFinding(BaseEvaluator):
    """Detected when something is true of one call, in any turn; the first one wins."""

    channels = frozenset({Channel.TOOL_CALLS})
    persistence = (True, False)
    _token: object

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Look through the calls of all turns."""
        calls = calls_of(context.turns)
        memo = trace_memo(context.turns)
        settled = _Settled([] if memo is None else memo.get(self._token, []), calls)
        reasons: dict[str, None] = {}
        finder = self._finder(context)
        for one in calls[len(settled.calls) :]:
            answer = await finder.judge_async(one)
            if isinstance(answer, Found):
                return EvalResult(
                    outcome=EvalOutcome.DETECTED, evidence=[answer.evidence], rationale=answer.rationale
                )
            if isinstance(answer, Open) and len(reasons) < EVIDENCE_KEPT:
                reasons[answer.reason] = None
            settled.add(one.call, final=isinstance(answer, Other) and answer.final)
        if memo is not None:
            memo[self._token] = settled.calls
        blind = unobserved(context, self._looked_for())
        open_reasons = [*([blind] if blind else []), *reasons]
        return undetermined(open_reasons) if open_reasons else self._not_found(context)

    @abstractmethod
    def _finder(self, context: EvalContext) -> CallFinder:
        """What judges the calls of one trace."""

    @abstractmethod
    def _looked_for(self) -> str:
        """What calls are looked for, in a few words."""

    @abstractmethod
    def _not_found(self, context: EvalContext) -> EvalResult: ...


class CallFinder:
    """Judges the calls of one trace, one by one."""

    async def judge_async(self, one: PlacedCall, /) -> Found | Open | Other:
        """Whether it is true of a call."""
        raise NotImplementedError


class _Settled:
    """The calls at the beginning of a trace that need not be looked at again."""

    def __init__(self, known: Sequence[ToolCall], calls: Sequence[PlacedCall]) -> None:
        same = len(known) <= len(calls) and all(
            one.call is call for one, call in zip(calls, known, strict=False)
        )
        self.calls = list(known) if same else []
        self._unbroken = True

    def add(self, call: ToolCall, *, final: bool) -> None:
        """Note the next call; once one is open, all from there on are looked at again."""
        self._unbroken = self._unbroken and final
        if self._unbroken:
            self.calls.append(call)
