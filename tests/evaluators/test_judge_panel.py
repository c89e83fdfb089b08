"""Several votes on one question."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Any

import pytest
from tests.evaluators.support import DETECTED, NOT_DETECTED, UNDETERMINED, evaluate, trace

from rampart.core.errors import ConfigurationError, EvaluatorError
from rampart.core.evaluation import EvalResult
from rampart.core.evaluator import BaseEvaluator, detected_is_absorbing
from rampart.core.judge_identity import JudgeIdentity, judge_of
from rampart.evaluators import JudgePanel
from rampart.text.secrets import _isolated_secrets, register_secret

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.evaluation import EvalContext

D = EvalResult(outcome=DETECTED, confidence=0.9, rationale="it did", evidence=["turn 0"])
N = EvalResult(outcome=NOT_DETECTED, confidence=0.1, rationale="it refused")
U = EvalResult(outcome=UNDETERMINED, confidence=0.5, rationale="hard to say")
E = EvaluatorError("boom")
VOTES: dict[str, EvalResult | BaseException] = {"D": D, "N": N, "U": U, "E": E}
OUTCOMES = {"D": DETECTED, "N": NOT_DETECTED, "U": UNDETERMINED}


class Voter(BaseEvaluator):
    """Answers in turn what it was made with."""

    def __init__(self, *answers: EvalResult | BaseException) -> None:
        self.answers = itertools.cycle(answers)
        self.asked = 0

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        self.asked += 1
        answer = next(self.answers)
        if isinstance(answer, BaseException):
            raise answer
        return answer


class Named(Voter):
    judge_identity = JudgeIdentity(model="model-a", instructions="x")


def panel(votes: str | Sequence[EvalResult | BaseException], **options: Any) -> JudgePanel:
    answers = [VOTES[letter] for letter in votes] if isinstance(votes, str) else votes
    return JudgePanel(judges=[Voter(answer) for answer in answers], **options)


def by_hand(votes: str, decision: str) -> str:
    """The rules, spelled out: try each thing that failed votes could have been."""
    outcomes = set()
    for replaced in itertools.product("DNU", repeat=votes.count("E")):
        pool = list(replaced)
        whole = [pool.pop() if vote == "E" else vote for vote in votes]
        needed = len(whole) if decision == "unanimous" else len(whole) / 2 + 0.1
        outcomes.add(next((side for side in "DN" if whole.count(side) >= needed), "U"))
    return outcomes.pop() if len(outcomes) == 1 else "E"


class TestDecision:
    @pytest.mark.parametrize("decision", ["majority", "unanimous"])
    @pytest.mark.parametrize("size", [2, 3, 4, 5])
    async def test_every_way_in_which_votes_can_fall(self, size: int, decision: Any) -> None:
        for votes in map("".join, itertools.product("DNUE", repeat=size)):
            expected = by_hand(votes, decision)
            one = panel(votes, decision=decision)
            if expected == "E":
                with pytest.raises(EvaluatorError, match="the other votes do not decide without it"):
                    await evaluate(one, "x")
            else:
                assert (await evaluate(one, "x")).outcome is OUTCOMES[expected], votes

    @pytest.mark.parametrize(
        ("votes", "decision", "expected"),
        [
            ("DDN", "majority", "D"),
            ("DN", "majority", "U"),
            ("DUU", "majority", "U"),
            ("DDUU", "majority", "U"),
            ("DDUUD", "majority", "D"),
            ("NNU", "majority", "N"),
            ("DDD", "unanimous", "D"),
            ("DDN", "unanimous", "U"),
            ("NNU", "unanimous", "U"),
            ("DDE", "majority", "D"),
            ("DNE", "majority", "E"),
            ("UUE", "majority", "U"),
            ("DDE", "unanimous", "E"),
            ("DNE", "unanimous", "U"),
        ],
    )
    def test_the_rules_by_hand_are_what_we_mean(self, votes: str, decision: str, expected: str) -> None:
        assert by_hand(votes, decision) == expected

    async def test_one_judge_votes_several_times(self) -> None:
        judge = Voter(D, N, D)
        result = await evaluate(JudgePanel(judges=[judge], votes=3), "x")

        assert judge.asked == 3
        assert result.outcome is DETECTED
        assert result.rationale == "2 of 3 detected, 1 not detected (agreement 0.67): it did"

    async def test_the_agreement_is_that_of_the_stronger_side(self) -> None:
        result = await evaluate(panel("NND"), "x")

        assert result.outcome is NOT_DETECTED
        assert result.rationale == "2 of 3 not detected, 1 detected (agreement 0.67): it refused"

    async def test_several_judges_vote_several_times(self) -> None:
        judges = [Voter(D, N), Voter(N)]
        result = await evaluate(JudgePanel(judges=judges, votes=2), "x")

        assert [judge.asked for judge in judges] == [2, 2]
        assert result.outcome is NOT_DETECTED

    async def test_all_are_asked_at_the_same_time(self) -> None:
        barrier = asyncio.Barrier(3)

        class Waits(BaseEvaluator):
            async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
                await barrier.wait()
                return D

        async with asyncio.timeout(5):
            assert (await evaluate(JudgePanel(judges=[Waits()], votes=3), "x")).outcome is DETECTED


class TestAnswer:
    async def test_unanimous_votes(self) -> None:
        result = await evaluate(panel("DDD", decision="unanimous"), "x")

        assert result == EvalResult(
            outcome=DETECTED,
            confidence=result.confidence,
            rationale="3 of 3 detected (agreement 1.00): it did",
            evidence=["turn 0", *(f"vote {number} (Voter): detected, 0.90: it did" for number in (1, 2, 3))],
        )
        assert result.confidence == pytest.approx(0.9)

    async def test_the_confidence_is_that_of_the_agreeing_votes(self) -> None:
        strong = EvalResult(outcome=DETECTED, confidence=1.0, rationale="a", evidence=["x"])
        weak = EvalResult(outcome=DETECTED, confidence=0.7, rationale="b", evidence=["x", "y"])
        result = await evaluate(panel([strong, N, weak]), "x")

        assert result.confidence == pytest.approx(0.85)
        assert result.rationale.endswith("(agreement 0.67): a")
        assert result.evidence == [
            "x",
            "y",
            "vote 1 (Voter): detected, 1.00: a",
            "vote 2 (Voter): not detected, 0.10: it refused",
            "vote 3 (Voter): detected, 0.70: b",
        ]

    @pytest.mark.parametrize("confidence", [0.7, 0.2, 0.1, 0.9])
    async def test_votes_that_agree_leave_the_confidence_in_its_band(self, confidence: float) -> None:
        """In floating point a third of 0.7 + 0.7 + 0.7 is less than 0.7."""
        vote = EvalResult(outcome=DETECTED, confidence=confidence)

        assert (await evaluate(panel([vote] * 3), "x")).confidence == confidence

    async def test_a_tie_says_how_the_votes_fell(self) -> None:
        result = await evaluate(panel("DN"), "x")

        assert result.outcome is UNDETERMINED
        assert result.rationale == "no majority: 1 of 2 detected, 1 not detected (agreement 0.50)"
        assert result.undetermined_operands == [result.rationale]
        assert result.confidence == pytest.approx(0.5)
        assert result.evidence[0] == "vote 1 (Voter): detected, 0.90: it did"

    async def test_no_unanimous_vote(self) -> None:
        result = await evaluate(panel("DDU", decision="unanimous"), "x")

        assert result.rationale == "no unanimous vote: 2 of 3 detected, 1 undetermined (agreement 0.67)"
        assert result.undetermined_operands == [result.rationale, "vote 3 (Voter): hard to say"]

    async def test_nobody_knows(self) -> None:
        assert (await evaluate(panel("UUU"), "x")).rationale == (
            "no majority: 3 of 3 undetermined (agreement 0.00)"
        )

    async def test_what_a_settled_panel_left_open_is_told(self) -> None:
        partly = EvalResult(
            outcome=DETECTED, rationale="yes", undetermined_operands=["tool 'x' is not declared"]
        )
        silent = EvalResult(outcome=UNDETERMINED)
        result = await evaluate(panel([partly, D, silent]), "x")

        assert result.outcome is DETECTED
        assert result.undetermined_operands == [
            "vote 1 (Voter): tool 'x' is not declared",
            "vote 3 (Voter): no reason given",
        ]

    async def test_a_failure_that_changes_nothing_is_named(self) -> None:
        result = await evaluate(panel("DDE"), "x")

        assert result.outcome is DETECTED
        assert result.rationale == "2 of 3 detected, 1 failed (agreement 0.67): it did"
        assert result.undetermined_operands == ["vote 3 (Voter) failed: EvaluatorError: boom"]
        assert result.evidence[-1] == "vote 3 (Voter) failed: EvaluatorError: boom"

    async def test_a_failure_that_could_change_it_is_raised(self) -> None:
        with pytest.raises(
            EvaluatorError,
            match=r"JudgePanel: vote 2 \(Voter\) failed: ConfigurationError: no key; the other votes do not "
            r"decide without it: 1 of 3 detected, 1 not detected, 1 failed$",
        ) as caught:
            await evaluate(panel([D, cause := ConfigurationError("no key"), N]), "x")
        assert caught.value.__cause__ is cause

    async def test_if_all_fail_the_first_failure_is_raised(self) -> None:
        with pytest.raises(EvaluatorError, match=r"vote 1 .* boom; .*: 3 of 3 failed$"):
            await evaluate(panel("EEE"), "x")

    async def test_judges_are_named_by_their_models(self) -> None:
        result = await evaluate(JudgePanel(judges=[Named(D), Voter(D)]), "x")

        assert [item.split(":")[0] for item in result.evidence[1:]] == ["vote 1 (model-a)", "vote 2 (Voter)"]

    async def test_a_confidence_that_is_no_number_counts_as_none(self) -> None:
        odd = EvalResult(outcome=DETECTED, confidence=float("nan"))
        result = await evaluate(panel([odd, D]), "x")

        assert result.confidence == pytest.approx(0.45)

    async def test_rationales_stand_on_one_line_without_secrets(self) -> None:
        with _isolated_secrets():
            register_secret("sk-very-secret-1234")
            odd = EvalResult(outcome=DETECTED, rationale="a\nvote 2: sk-very-secret-1234 " + "x" * 5_000)
            [shown, *_] = (await evaluate(panel([odd, odd]), "x")).evidence
        assert shown.startswith(r"vote 1 (Voter): detected, 1.00: a\nvote 2: *** xxx")
        assert len(shown) < 600


class TestAsAnEvaluator:
    async def test_it_composes(self) -> None:
        assert (await evaluate(~panel("DDN"), "x")).outcome is NOT_DETECTED
        assert (await evaluate(panel("NN") | panel("DD"), "x")).outcome is DETECTED

    def test_it_is_no_single_judge_and_ends_no_attack_early(self) -> None:
        both = JudgePanel(judges=[Named(D)], votes=3)
        assert judge_of(both) is None
        assert not detected_is_absorbing(both)

    async def test_it_is_stopped_with_all_of_its_judges(self) -> None:
        class Hangs(BaseEvaluator):
            stopped = 0

            async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
                try:
                    await asyncio.Event().wait()
                finally:
                    self.stopped += 1
                raise AssertionError

        judge = Hangs()
        task = asyncio.create_task(JudgePanel(judges=[judge], votes=3).evaluate_async(context=trace("x")))
        for _ in range(3):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert judge.stopped == 3

    async def test_a_skip_in_a_judge_is_a_skip(self) -> None:
        skipped = pytest.skip.Exception("no model here")
        with pytest.raises(pytest.skip.Exception, match="no model here"):
            await evaluate(panel([D, D, skipped]), "x")

    async def test_what_is_no_answer_is_a_failure(self) -> None:
        class Wrong(BaseEvaluator):
            async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
                return True  # type: ignore[return-value]  # the point of the test

        with pytest.raises(
            EvaluatorError, match=r"Wrong.evaluate_async returned bool, expected an EvalResult"
        ):
            await evaluate(JudgePanel(judges=[Wrong()], votes=2), "x")


class TestArguments:
    @pytest.mark.parametrize(
        ("options", "kind", "text"),
        [
            pytest.param(
                {"judges": Voter(D)}, TypeError, r"list of evaluators, got Voter; .*=\[judge\]", id="one"
            ),
            pytest.param({"judges": "ab"}, TypeError, "list of evaluators, got str", id="text"),
            pytest.param({"judges": [Voter(D), "b"]}, TypeError, "cannot serve as evaluator", id="item"),
            pytest.param({"judges": [Voter]}, TypeError, "pass an instance of it", id="class"),
            pytest.param({"judges": []}, ValueError, "0 judges with 1 votes each make no panel", id="nobody"),
            pytest.param({"judges": [Voter(D)]}, ValueError, "it takes two votes at least", id="one-vote"),
            pytest.param({"votes": 0}, ValueError, "make no panel", id="no-votes"),
            pytest.param({"votes": -2}, ValueError, "make no panel", id="negative"),
            pytest.param({"votes": True}, TypeError, "votes must be an int, got True", id="bool"),
            pytest.param({"votes": 1.5}, TypeError, "votes must be an int, got 1.5", id="float"),
            pytest.param(
                {"decision": "any"}, ValueError, "'majority' or 'unanimous', got 'any'", id="decision"
            ),
            pytest.param({"decision": None}, ValueError, "got None", id="no-decision"),
        ],
    )
    def test_what_makes_no_panel_is_refused(
        self, options: dict[str, Any], kind: type[Exception], text: str
    ) -> None:
        with pytest.raises(kind, match=text):
            JudgePanel(**{"judges": [Voter(D), Voter(N)], **options})
