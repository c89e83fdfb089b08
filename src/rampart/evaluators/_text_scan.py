"""What evaluators share that look through the texts of a trace, turn by turn."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from rampart.core.channel import Channel
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator
from rampart.core.memo import trace_memo
from rampart.core.own_thread import in_own_thread_async
from rampart.evaluators._places import texts_of_turn
from rampart.text.safe import safe_repr, safe_str

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.evaluation import EvalContext
    from rampart.core.types import ObservabilityLevel, Turn
    from rampart.evaluators._places import PlacedText

_AT_ONCE = 20_000
"""More characters than this are looked through in a thread, so that other trials go on meanwhile."""
_MOST_EVIDENCE = 20
_SEARCHABLE = (Channel.REPLIES, Channel.TOOL_CALLS, Channel.TOOL_RESULTS, Channel.SIDE_EFFECTS)
_NAMES = {
    Channel.TOOL_CALLS: "tool calls",
    Channel.TOOL_RESULTS: "tool results",
    Channel.SIDE_EFFECTS: "side effects",
}

T = TypeVar("T")


def chosen_channels(given: object) -> frozenset[Channel]:
    """The channels that a user chose to be looked through.

    Raises:
        TypeError: If it is no collection of channels.
        ValueError: If there are none, or one of them holds no text.
    """
    if isinstance(given, str) or not isinstance(given, list | tuple | set | frozenset):
        msg = f"channels is {safe_repr(given)}, expected a set of {', '.join(_SEARCHABLE)}"
        raise TypeError(msg)
    known = {str(one): one for one in _SEARCHABLE}
    unknown = [one for one in given if one not in known]
    if unknown or not given:
        what = f"holds {safe_str(unknown[0])!r}" if unknown else "is empty"
        msg = f"channels {what}, expected some of {', '.join(_SEARCHABLE)}"
        raise ValueError(msg)
    return frozenset(known[str(one)] for one in given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found in the texts of one turn.

    Attributes:
        evidence: Each finding with its place.
        gaps: Why something may have been overlooked.
    """

    evidence: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)


class TextScan(BaseEvaluator, Generic[T]):
    """Looks at each turn once, however often it is asked about a growing trace."""

    persistence = (True, False)
    _token: object

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Look through the texts of all turns.

        Raises:
            ValueError: If the context has no turns.
        """
        turns = context.turns
        if not turns:
            msg = "No turns in context."
            raise ValueError(msg)
        memo = trace_memo(turns)
        known: dict[int, tuple[list[str], T]] = (
            {} if memo is None else memo.setdefault((self._token, self._depends_on(context)), {})
        )
        looks: list[T] = []
        for position, turn in enumerate(turns):
            texts = list(texts_of_turn(turn, self._looked_at(), numbers=True))
            raw = [one.text for one in texts]
            before = known.get(position)
            if before is None or before[0] != raw:
                before = raw, await self._look_async(texts, turn, context)
                known[position] = before
            looks.append(before[1])
        return self._conclude(turns, looks, context)

    async def _look_async(self, texts: list[PlacedText], turn: Turn, context: EvalContext) -> T:
        if sum(len(one.text) for one in texts) <= _AT_ONCE:
            return self._look(texts, turn, context)
        return await in_own_thread_async(
            lambda: self._look(texts, turn, context), name=f"rampart {type(self).__name__}"
        )

    def _looked_at(self) -> frozenset[Channel]:
        return self.channels

    def _depends_on(self, context: EvalContext) -> object:
        """What else than the turns an answer about them depends on; hashable."""
        del context
        return None

    @abstractmethod
    def _look(self, texts: list[PlacedText], turn: Turn, context: EvalContext) -> T: ...

    @abstractmethod
    def _conclude(self, turns: Sequence[Turn], looks: list[T], context: EvalContext) -> EvalResult: ...


class FindingScan(TextScan[Findings]):
    """Detected when any text of any turn shows what is looked for."""

    def _conclude(self, turns: Sequence[Turn], looks: list[Findings], context: EvalContext) -> EvalResult:
        del turns
        evidence = [one for look in looks for one in look.evidence]
        if evidence:
            return EvalResult(
                outcome=EvalOutcome.DETECTED, evidence=shortened(evidence), rationale=self._found_text()
            )
        gaps = [gap for look in looks for gap in look.gaps][:_MOST_EVIDENCE]
        gaps = unobserved_channels(self.channels, context.observability_level, what=self._what()) + gaps
        if gaps:
            return EvalResult(
                outcome=EvalOutcome.UNDETERMINED, rationale="; ".join(gaps), undetermined_operands=gaps
            )
        return EvalResult(outcome=EvalOutcome.NOT_DETECTED, rationale=self._missing_text())

    @abstractmethod
    def _what(self) -> str:
        """What is looked for, in the middle of a sentence."""

    @abstractmethod
    def _found_text(self) -> str: ...

    @abstractmethod
    def _missing_text(self) -> str: ...


def shortened(evidence: list[str]) -> list[str]:
    """The first 20 pieces of evidence, and how many there are besides."""
    more = len(evidence) - _MOST_EVIDENCE
    return evidence if more <= 0 else [*evidence[:_MOST_EVIDENCE], f"and {more} more"]


def unobserved_channels(channels: frozenset[Channel], level: ObservabilityLevel, *, what: str) -> list[str]:
    """Why not having seen something means nothing: the channels that the adapter does not report."""
    observed = {
        Channel.TOOL_CALLS: level.observes_tool_calls,
        Channel.TOOL_RESULTS: level.observes_tool_calls,
        Channel.SIDE_EFFECTS: level.observes_side_effects,
    }
    blind = [_NAMES[one] for one in _NAMES if one in channels and not observed[one]]
    if not blind:
        return []
    reason = (
        f"Adapter observability is '{level.value}': it does not report {' and '.join(blind)}, so that {what} "
        "was not seen there means nothing; report them and declare the level, or leave them out of channels"
    )
    return [reason]
