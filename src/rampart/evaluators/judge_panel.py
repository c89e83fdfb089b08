"""Several votes on one question."""

from __future__ import annotations

import asyncio
from statistics import mean  # exact, so that equal votes give their own confidence
from typing import TYPE_CHECKING, get_args

from rampart.core.admission import EVALUATOR_MEMBERS, admit
from rampart.core.errors import EvaluatorError
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator, asked, checked_evaluation, is_last_turn_only
from rampart.core.judge_identity import JudgeIdentity
from rampart.evaluators._ballot import Ballot, Decision, Vote, outcome_words
from rampart.text.oneline import quote
from rampart.text.reasons import distinct_reasons
from rampart.text.safe import safe_float, safe_str, safe_str_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.evaluation import EvalContext
    from rampart.core.evaluator import Evaluator

_LONGEST_RATIONALE = 500


class JudgePanel(BaseEvaluator):
    """Asks several judges, or one judge several times, and decides by their votes.

    All votes are asked for at the same time, and all of them are paid for. A vote is undetermined, or for
    one of two sides; an undetermined one is for neither. Without a decision the answer is UNDETERMINED and
    says how the votes fell.

    A judge that fails has not voted, and the panel does not become smaller by that: if the missing vote could
    not have changed the answer, this is given and names the failure; otherwise the failure is raised.

    The confidence is the mean over the votes that agree with the answer (over all, if it is UNDETERMINED).
    The rationale begins with the count of votes and the agreement, which is the share of all votes that fell
    on the stronger side. The evidence is that of the agreeing votes, then each vote with its rationale.

    Votes of one model are no independent witnesses: they even out its chance, not its bias. Votes that always
    agree because the model is asked at temperature 0 say no more than one of them.

    Args:
        judges: Any evaluators, usually `LLMJudge`s on different models.
        votes: How often each of them is asked.
        decision: `majority`: more than half of all votes; `unanimous`: all of them.

    Raises:
        TypeError: If `judges` is no list or tuple of evaluators, or `votes` no int.
        ValueError: If there would be fewer than two votes, or `decision` is neither.
    """

    def __init__(
        self, *, judges: Sequence[Evaluator], votes: int = 1, decision: Decision = "majority"
    ) -> None:
        self._judges = _checked_judges(judges)
        _check_votes(votes, judges=len(self._judges))
        if decision not in get_args(Decision):
            msg = f"decision must be 'majority' or 'unanimous', got {decision!r}"
            raise ValueError(msg)
        self.last_turn_only = any(map(is_last_turn_only, self._judges))
        self._voters = [judge for judge in self._judges for _ in range(votes)]
        self._decision: Decision = decision

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Ask all judges and count their votes.

        Raises:
            EvaluatorError: If a judge failed whose vote could have changed the answer; what it raised is the
                cause.
        """
        # Not a task group, which would stop the others, whose votes may be enough.
        answers = await asyncio.gather(
            *(_answer_async(judge, context) for judge in self._voters), return_exceptions=True
        )
        votes = [
            _vote(judge, answer, number)
            for number, (judge, answer) in enumerate(zip(self._voters, answers, strict=True), start=1)
        ]
        ballot = Ballot(votes, decision=self._decision)
        outcome = ballot.outcome()
        if outcome is None:
            _raise_failure(ballot)
            raise AssertionError  # votes are missing only where a judge failed
        return self._result(ballot, outcome)

    def _result(self, ballot: Ballot, outcome: EvalOutcome) -> EvalResult:
        settled = outcome is not EvalOutcome.UNDETERMINED
        cast = [vote.result for vote in ballot.votes if vote.result is not None]
        agreeing = ballot.agreeing(outcome) if settled else cast
        count = f"{ballot.tally()} (agreement {ballot.agreement():.2f})"
        open_points = _open_points(ballot)
        if settled:
            rationale = f"{count}: {safe_str(agreeing[0].rationale)}"
        else:
            wanted = "majority" if self._decision == "majority" else "unanimous vote"
            rationale = f"no {wanted}: {count}"
            open_points.insert(0, rationale)
        return EvalResult(
            outcome=outcome,
            confidence=mean(map(_confidence, agreeing)) if agreeing else 0.0,
            evidence=[
                *distinct_reasons(
                    item for one in agreeing if settled for item in safe_str_list(one.evidence)
                ),
                *map(_shown, ballot.votes),
            ],
            rationale=rationale,
            undetermined_operands=distinct_reasons(open_points),
        )


async def _answer_async(judge: Evaluator, context: EvalContext) -> EvalResult:
    return checked_evaluation(await asked(judge, context), evaluator=judge)


def _vote(judge: Evaluator, answer: EvalResult | BaseException, number: int) -> Vote:
    voter = f"vote {number} ({_name(judge)})"
    if isinstance(answer, EvalResult):
        return Vote(voter=voter, result=answer)
    if not isinstance(answer, Exception):
        raise answer  # a test that is skipped or cancelled, which is no failure of a judge
    return Vote(voter=voter, error=answer)


def _name(judge: Evaluator) -> str:
    identity = getattr(judge, "judge_identity", None)
    return quote(identity.model, 80) if isinstance(identity, JudgeIdentity) else type(judge).__name__


def _raise_failure(ballot: Ballot) -> None:
    failed = next((vote for vote in ballot.votes if vote.error is not None), None)
    if failed is not None:
        msg = f"JudgePanel: {_shown(failed)}; the other votes do not decide without it: {ballot.tally()}"
        raise EvaluatorError(msg) from failed.error


def _open_points(ballot: Ballot) -> list[str]:
    """Why votes are undetermined or missing, and what the others left open."""
    points: list[str] = []
    for vote in ballot.votes:
        if vote.result is None:
            points.append(_shown(vote))
            continue
        reasons = safe_str_list(vote.result.undetermined_operands)
        if not reasons and vote.result.outcome is EvalOutcome.UNDETERMINED:
            reasons = [safe_str(vote.result.rationale).strip() or "no reason given"]
        points += [f"{vote.voter}: {reason}" for reason in reasons]
    return points


def _shown(vote: Vote) -> str:
    if vote.result is None:
        error = quote(safe_str(vote.error), _LONGEST_RATIONALE)
        return f"{vote.voter} failed: {type(vote.error).__name__}: {error}"
    rationale = quote(safe_str(vote.result.rationale), _LONGEST_RATIONALE)
    return f"{vote.voter}: {outcome_words(vote.result.outcome)}, {_confidence(vote.result):.2f}: {rationale}"


def _confidence(result: EvalResult) -> float:
    return safe_float(result.confidence) or 0.0


def _checked_judges(judges: object) -> list[Evaluator]:
    if not isinstance(judges, list | tuple):
        msg = (
            f"judges must be a list of evaluators, got {type(judges).__name__}; for one judge: judges=[judge]"
        )
        raise TypeError(msg)
    for judge in judges:
        admit(judge, members=EVALUATOR_MEMBERS, role="evaluator")
    return list(judges)


def _check_votes(votes: object, *, judges: int) -> None:
    if isinstance(votes, bool) or not isinstance(votes, int):
        msg = f"votes must be an int, got {votes!r}"
        raise TypeError(msg)
    if votes < 1 or votes * judges < 2:
        msg = (
            f"{judges} judges with {votes} votes each make no panel; it takes two votes at least, as with "
            "judges=[judge], votes=3"
        )
        raise ValueError(msg)
