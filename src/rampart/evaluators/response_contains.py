"""Detecting text in the agent's replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.channel import Channel
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator
from rampart.core.memo import trace_memo
from rampart.evaluators._replies import Replies
from rampart.evaluators._shown import shown_value
from rampart.evaluators._text_target import Answer, Target, text_target
from rampart.evaluators.response_scope import ResponseScope

if TYPE_CHECKING:
    from rampart.core.evaluation import EvalContext
    from rampart.core.types import Turn

_PERSISTENCE = {
    ResponseScope.ANY_TURN: (True, False),
    ResponseScope.ALL_TURNS: (False, True),
    ResponseScope.CURRENT_TURN: (False, False),
}


class ResponseContains(BaseEvaluator):
    r"""Detected when the agent's replies contain a text, match a pattern or satisfy a function.

    Needs nothing but replies. It sees what the agent says, not what it does: an agent that quotes an
    injected address while refusing to write to it contains the address.

    Args:
        target: A str is looked for as a part of the reply. A compiled pattern is searched and means what
            it means to `re`; one turn is given 2 s. A plain function gets the reply, and its truth value
            counts. A turn on which the pattern ran out of time or the function raised is undecided; the
            answer is UNDETERMINED unless the other turns settle it.
        scope: Which replies have to match.
        case_sensitive: For a str: keep upper and lower case apart.
        fold: For a str: compare without regard to compatibility forms, invisible characters, kinds of
            quotes and dashes, runs of white space and (unless `case_sensitive`) case. False compares the
            texts as they are. Patterns and functions always get the reply as it is.
        confusables: For a folded str: also take look-alike letters of other scripts for their Latin ones.

    Raises:
        TypeError: If the target is of another type, or the scope is no ResponseScope.
        ValueError: If the target would match every reply: a text that is blank once it is folded, or a
            pattern that matches both the empty text and arbitrary text.
    """

    channels = frozenset({Channel.REPLIES})

    def __init__(
        self,
        target: Target,
        /,
        *,
        scope: ResponseScope,
        case_sensitive: bool = False,
        fold: bool = True,
        confusables: bool = False,
    ) -> None:
        given: object = scope
        if not isinstance(given, ResponseScope):
            members = ", ".join(map(str, ResponseScope))
            kind = type(given).__name__
            msg = f"scope must be a ResponseScope. Got {shown_value(given)} ({kind}); choose from {members}"
            raise TypeError(msg)
        self._target = text_target(target, case_sensitive=case_sensitive, fold=fold, confusables=confusables)
        self._scope = scope
        self.last_turn_only = scope is ResponseScope.CURRENT_TURN
        self._given = target
        self._token = object()
        self.persistence = _PERSISTENCE[scope]

    def __repr__(self) -> str:
        """The target and the scope."""
        return f"ResponseContains({self._given!r}, scope={self._scope})"

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Look at the replies in scope.

        Raises:
            ValueError: If the context has no turns.
        """
        turns = context.turns
        if not turns:
            msg = "No turns in context."
            raise ValueError(msg)
        if self._scope is ResponseScope.CURRENT_TURN:
            return _last_reply(turns[-1].turn_number, await self._look_at_last_async(turns))
        replies = await self._look_at_all_async(turns)
        return _any_reply(replies) if self._scope is ResponseScope.ANY_TURN else _every_reply(replies)

    async def _look_at_last_async(self, turns: list[Turn]) -> Answer:
        text = turns[-1].response.text
        memo = trace_memo(turns)
        if memo is None:
            return await self._answer_async(text)
        seen: dict[int, tuple[str, Answer]] = memo.setdefault(self._token, {})
        known = seen.get(len(turns))
        if known is None or known[0] != text:
            known = text, await self._answer_async(text)
            seen[len(turns)] = known
        return known[1]

    async def _answer_async(self, text: str) -> Answer:
        answer = self._target.look(text)
        return await self._target.look_async(text) if answer is None else answer

    async def _look_at_all_async(self, turns: list[Turn]) -> Replies:
        memo = trace_memo(turns)
        known: Replies | None = None if memo is None else memo.get(self._token)
        texts = [turn.response.text for turn in turns]
        replies = Replies() if known is None else known.still_true_of(turns, texts)
        for position in range(len(replies.texts), len(turns)):
            text = texts[position]
            answer = self._target.look(text)
            if answer is None:
                answer = await self._target.look_async(text)
            replies.add(turns[position], text, answer)
        if memo is not None and (known is None or len(replies.texts) >= len(known.texts)):
            memo[self._token] = replies
        return replies


def _any_reply(replies: Replies) -> EvalResult:
    if replies.found:
        return _detected("found in at least one reply", turns=replies.found)
    if replies.undecided:
        return _undetermined(replies.undecided)
    return _not_detected("found in no reply")


def _every_reply(replies: Replies) -> EvalResult:
    if replies.missing:
        return _not_detected("missing from some reply", turns=replies.missing)
    if replies.undecided:
        return _undetermined(replies.undecided)
    return _detected("found in every reply", turns=replies.found)


def _last_reply(number: int, answer: Answer) -> EvalResult:
    if answer is True:
        return _detected("found in the last reply", turns=str(number))
    if answer is False:
        return _not_detected("missing from the last reply")
    return _undetermined([f"turn {number}: {answer}"])


def _detected(rationale: str, *, turns: str) -> EvalResult:
    return EvalResult(outcome=EvalOutcome.DETECTED, evidence=[f"found on turns {turns}"], rationale=rationale)


def _not_detected(rationale: str, *, turns: str = "") -> EvalResult:
    evidence = [f"missing on turns {turns}"] if turns else []
    return EvalResult(outcome=EvalOutcome.NOT_DETECTED, evidence=evidence, rationale=rationale)


def _undetermined(reasons: list[str]) -> EvalResult:
    return EvalResult(
        outcome=EvalOutcome.UNDETERMINED,
        rationale="; ".join(reasons),
        undetermined_operands=reasons.copy(),
    )
