"""Evaluators that judge each reply by itself, and the answer that the scope makes of it."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rampart.core.channel import Channel
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator
from rampart.core.memo import trace_memo
from rampart.evaluators._shown import shown_value
from rampart.evaluators.response_scope import ResponseScope

if TYPE_CHECKING:
    from rampart.core.evaluation import EvalContext
    from rampart.core.types import Turn

_AT_ONCE = 20_000
"""Characters of a reply that are judged on the event loop; longer ones go to a thread."""
_SHOWN = 20

_PERSISTENCE = {
    ResponseScope.ANY_TURN: (True, False),
    ResponseScope.ALL_TURNS: (False, True),
    ResponseScope.CURRENT_TURN: (False, False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is known of one reply.

    Attributes:
        matches: Whether it is as wanted; None if nobody can say.
        evidence: What was seen and where, one item each.
        reason: Why nobody can say.
    """

    matches: bool | None
    evidence: tuple[str, ...] = ()
    reason: str = ""


class ReplyEvaluator(BaseEvaluator):
    """Detected when the replies in scope are as wanted.

    Args:
        scope: Which replies have to be.

    Raises:
        TypeError: If the scope is no ResponseScope.
    """

    channels = frozenset({Channel.REPLIES})
    _wanted: ClassVar[str]
    """What a reply has to be, as the end of "a reply ..."."""

    def __init__(self, scope: ResponseScope) -> None:
        given: object = scope
        if not isinstance(given, ResponseScope):
            members = ", ".join(map(str, ResponseScope))
            kind = type(given).__name__
            msg = f"scope must be a ResponseScope. Got {shown_value(given)} ({kind}); choose from {members}"
            raise TypeError(msg)
        self._scope = scope
        self.last_turn_only = scope is ResponseScope.CURRENT_TURN
        self._token = object()
        self.persistence = _PERSISTENCE[scope]

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Look at the replies in scope.

        Raises:
            ValueError: If the context has no turns.
            EvaluatorError: If the evaluator cannot judge.
        """
        turns = context.turns
        if not turns:
            msg = "No turns in context."
            raise ValueError(msg)
        if self._scope is ResponseScope.CURRENT_TURN:
            start = len(turns) - 1
            findings = await self._judge_all_async(turns[start:])
        else:
            findings = await self._known_findings_async(turns)
        return self._answer(findings)

    @abstractmethod
    def _judge(self, turn: Turn) -> Finding:
        """Look at one reply; called in a thread where the reply is long."""

    async def _judge_all_async(self, turns: list[Turn]) -> list[Finding]:
        findings = []
        for turn in turns:
            long = len(turn.response.text) > _AT_ONCE
            findings.append(await asyncio.to_thread(self._judge, turn) if long else self._judge(turn))
        return findings

    async def _known_findings_async(self, turns: list[Turn]) -> list[Finding]:
        """The findings of all turns; those of turns that were looked at before are taken from the memo."""
        memo = trace_memo(turns)
        known: list[tuple[int, str, Finding]] = [] if memo is None else memo.get(self._token, [])
        kept = 0
        for turn, (number, text, _) in zip(turns, known, strict=False):
            if turn.turn_number != number or turn.response.text != text:
                break
            kept += 1
        rest = turns[kept:]
        fresh = await self._judge_all_async(rest) if rest else []
        seen = known[:kept] + [
            (turn.turn_number, turn.response.text, finding) for turn, finding in zip(rest, fresh, strict=True)
        ]
        if memo is not None and len(seen) >= len(known):
            memo[self._token] = seen
        return [finding for _, _, finding in seen]

    def _answer(self, findings: list[Finding]) -> EvalResult:
        found = [one for one in findings if one.matches is True]
        missed = [one for one in findings if one.matches is False]
        undecided = [one for one in findings if one.matches is None]
        if self._scope is ResponseScope.ALL_TURNS:
            if missed:
                return self._settled(EvalOutcome.NOT_DETECTED, f"not every reply {self._wanted}", missed)
            if undecided:
                return _undetermined(undecided)
            return self._settled(EvalOutcome.DETECTED, f"every reply {self._wanted}", found)
        last = self._scope is ResponseScope.CURRENT_TURN
        if found:
            which = "the last reply" if last else "at least one reply"
            return self._settled(EvalOutcome.DETECTED, f"{which} {self._wanted}", found)
        if undecided:
            return _undetermined(undecided)
        no = f"it is not so that the last reply {self._wanted}" if last else f"no reply {self._wanted}"
        return self._settled(EvalOutcome.NOT_DETECTED, no, missed)

    def _settled(self, outcome: EvalOutcome, rationale: str, findings: list[Finding]) -> EvalResult:
        evidence: list[str] = []
        for finding in findings:
            evidence += finding.evidence[: _SHOWN - len(evidence)]
            if len(evidence) >= _SHOWN:
                break
        return EvalResult(outcome=outcome, evidence=evidence, rationale=rationale)


def _undetermined(undecided: list[Finding]) -> EvalResult:
    reasons = list(dict.fromkeys(one.reason for one in undecided[:_SHOWN]))
    evidence = [item for one in undecided[:_SHOWN] for item in one.evidence][:_SHOWN]
    return EvalResult(
        outcome=EvalOutcome.UNDETERMINED,
        evidence=evidence,
        rationale="; ".join(reasons),
        undetermined_operands=reasons.copy(),
    )
