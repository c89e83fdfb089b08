"""Which verdicts are corrected, and in favour of what."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.calibration.support import IDENTITY

from rampart.calibration.calibration_file import Calibration
from rampart.calibration.confusion import Answers, Confusion
from rampart.calibration.correction import CONTRADICTED, UNINFORMATIVE, corrections
from rampart.core.attempt import Attempt
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.result import Result, SafetyStatus
from rampart.core.types import (
    EvaluationPurpose,
    HarmCategory,
    ObservabilityLevel,
    Request,
    Response,
    Turn,
)
from rampart.statistics.prevalence import corrected_rate

SAFE, UNSAFE = SafetyStatus.SAFE, SafetyStatus.UNSAFE
UNDETERMINED, ERROR = SafetyStatus.UNDETERMINED, SafetyStatus.ERROR
DETECTED, NOT_DETECTED = EvalOutcome.DETECTED, EvalOutcome.NOT_DETECTED
OURS: dict[str, Any] = {"model": "tiny", "instructions": "abc", "negated": False}


def calibration(
    detected: int = 54, cleared: int = 48, *, positives: int = 60, negatives: int = 60
) -> Calibration:
    return Calibration(
        source="calibration.json",
        created="2026-05-01T10:00:00+00:00",
        judge=IDENTITY,
        labels="labels.jsonl",
        confusion=Confusion(
            labelled_detected=Answers(detected=detected, not_detected=positives - detected),
            labelled_not_detected=Answers(detected=negatives - cleared, not_detected=cleared),
        ),
    )


def result(
    status: SafetyStatus, outcome: EvalOutcome | None, *, judge: object = OURS, **given: Any
) -> Result:
    return Result(
        status=status,
        summary="",
        observability_level=ObservabilityLevel.TOOL_ONLY,
        final_trace_evaluation=None if outcome is None else EvalResult(outcome=outcome),
        metadata={} if judge is None else {"judge": judge},
        **given,
    )


def _stop_check() -> Turn:
    return Turn(
        request=Request(prompt="a"),
        response=Response(text="b"),
        eval_result=EvalResult(outcome=DETECTED),
        eval_purpose=EvaluationPurpose.STOP_CHECK,
    )


def _attempt(*, judged: bool = True) -> Attempt:
    return Attempt(
        outcome="not reached" if judged else "pruned",
        evaluation=EvalResult(outcome=NOT_DETECTED) if judged else None,
    )


def attacks(resisted: int, succeeded: int, **given: Any) -> list[Result]:
    return [result(SAFE, NOT_DETECTED, **given) for _ in range(resisted)] + [
        result(UNSAFE, DETECTED, **given) for _ in range(succeeded)
    ]


def probes(passed: int, failed: int, **given: Any) -> list[Result]:
    return [result(SAFE, DETECTED, **given) for _ in range(passed)] + [
        result(UNSAFE, NOT_DETECTED, **given) for _ in range(failed)
    ]


def _expected(detected: int, total: int) -> Any:
    corrected = corrected_rate(
        positives=detected,
        tested=total,
        true_positives=54,
        known_positives=60,
        true_negatives=48,
        known_negatives=60,
    )
    assert corrected is not None
    return corrected


def test_an_attack_passes_when_nothing_is_detected() -> None:
    found = corrections(attacks(60, 40), calibration())
    [rate] = found["rates"]
    assert (rate["scope"], rate["harm_category"], rate["passes_when"]) == ("run", None, "not_detected")
    assert (rate["raw"]["count"], rate["raw"]["total"]) == (60, 100)
    # By hand: 40% seen, 20% false alarms, 90% found: (0.4 - 0.2) / 0.7 succeeded.
    assert rate["corrected"]["rate"] == pytest.approx(1 - 0.2 / 0.7)
    low, high = _expected(40, 100).interval
    assert rate["corrected"]["interval"] == pytest.approx([1 - high, 1 - low])
    assert rate["not_corrected_because"] is None
    assert not any(found["left_out"].values())
    assert found["judge"] == {"model": "tiny", "instructions": "abc"}
    assert (found["file"], found["labels"]) == ("calibration.json", "labels.jsonl")
    assert found["unanswered_labels"] == 0
    assert found["sensitivity"]["rate"] == 0.9
    assert found["specificity"]["rate"] == 0.8


def test_a_probe_passes_when_something_is_detected() -> None:
    [rate] = corrections(probes(60, 40), calibration())["rates"]
    assert rate["passes_when"] == "detected"
    # By hand: (0.6 - 0.2) / 0.7 do what they should.
    assert rate["corrected"]["rate"] == pytest.approx(0.4 / 0.7)
    assert rate["corrected"]["interval"] == pytest.approx(list(_expected(60, 100).interval))


def test_a_negated_judge_saw_the_opposite_of_what_its_evaluator_says() -> None:
    negated = OURS | {"negated": True}
    # A probe for ~judge passes when the judge itself detects nothing: as an attack with the plain judge does.
    [rate] = corrections(probes(60, 40, judge=negated), calibration())["rates"]
    [plain] = corrections(attacks(60, 40), calibration())["rates"]
    assert rate == plain
    [rate] = corrections(attacks(60, 40, judge=negated), calibration())["rates"]
    [plain] = corrections(probes(60, 40), calibration())["rates"]
    assert rate == plain


def test_what_passes_differently_is_corrected_apart() -> None:
    rates = corrections([*attacks(60, 40), *probes(30, 20)], calibration())["rates"]
    assert [(rate["passes_when"], rate["raw"]["total"]) for rate in rates] == [
        ("not_detected", 100),
        ("detected", 50),
    ]


def test_each_harm_category_has_its_rate_where_there_are_several() -> None:
    results = [
        *attacks(30, 10, harm_category=HarmCategory.JAILBREAK),
        *attacks(20, 20, harm_category="leak"),
        *attacks(10, 10),
    ]
    rates = corrections(results, calibration())["rates"]
    assert [(rate["scope"], rate["harm_category"], rate["raw"]["total"]) for rate in rates] == [
        ("run", None, 100),
        ("harm_category", str(HarmCategory.JAILBREAK), 40),
        ("harm_category", "leak", 40),
        ("harm_category", None, 20),
    ]
    assert rates[1]["corrected"]["rate"] > rates[2]["corrected"]["rate"]


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        pytest.param(result(UNDETERMINED, EvalOutcome.UNDETERMINED), "undetermined", id="judge-undetermined"),
        pytest.param(result(UNDETERMINED, NOT_DETECTED), "undetermined", id="not-delivered"),
        pytest.param(result(ERROR, None), "errors", id="error"),
        pytest.param(result(ERROR, None, judge=None), "errors", id="error-of-nobody"),
        pytest.param(result(SAFE, NOT_DETECTED, judge=None), "no_single_judge", id="no-judge"),
        pytest.param(result(SAFE, NOT_DETECTED, judge="tiny"), "no_single_judge", id="odd-metadata"),
        pytest.param(result(SAFE, NOT_DETECTED, judge={"model": 1}), "no_single_judge", id="odd-judge"),
        pytest.param(result(SAFE, None), "no_single_judge", id="no-evaluation"),
        pytest.param(result(SAFE, EvalOutcome.UNDETERMINED), "no_single_judge", id="overruled"),
        pytest.param(
            result(UNSAFE, DETECTED, turns=[_stop_check()]), "several_answers", id="asked-after-each-turn"
        ),
        pytest.param(
            result(SAFE, NOT_DETECTED, attempts=[_attempt(), _attempt()]), "several_answers", id="attempts"
        ),
        pytest.param(
            result(SAFE, NOT_DETECTED, judge=OURS | {"instructions": "other"}),
            "other_judge",
            id="other-instructions",
        ),
        pytest.param(
            result(SAFE, NOT_DETECTED, judge=OURS | {"model": "big"}), "other_judge", id="other-model"
        ),
    ],
)
def test_what_is_left_out_is_counted(one: Result, reason: str) -> None:
    found = corrections([one, *attacks(6, 4)], calibration())
    [rate] = found["rates"]
    assert rate["raw"]["total"] == 10
    assert {key: count for key, count in found["left_out"].items() if count} == {reason: 1}


def test_one_judged_attempt_among_others_is_one_answer() -> None:
    attempts = [_attempt(), _attempt(judged=False)]
    found = corrections([result(SAFE, NOT_DETECTED, attempts=attempts)], calibration())
    assert found["rates"][0]["raw"]["total"] == 1


def test_other_judges_are_named() -> None:
    found = corrections(attacks(1, 1, judge=OURS | {"model": "big"}), calibration())
    assert found["rates"] == []
    assert found["other_judges"] == ["big"]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(calibration(30, 30), id="coin"),
        pytest.param(calibration(0, 48, positives=0), id="nothing-to-detect"),
        pytest.param(calibration(54, 0, negatives=0), id="nothing-to-clear"),
    ],
)
def test_a_judge_that_tells_nothing_corrects_nothing(given: Calibration) -> None:
    [rate] = corrections(attacks(60, 40), given)["rates"]
    assert rate["corrected"] is None
    assert rate["not_corrected_because"] == UNINFORMATIVE
    assert rate["raw"]["rate"] == 0.6


def test_verdicts_that_the_measured_errors_cannot_give_are_not_corrected() -> None:
    [rate] = corrections(attacks(200, 0), calibration(54, 20))["rates"]
    assert rate["corrected"] is None
    assert rate["not_corrected_because"] == CONTRADICTED


def test_looking_at_a_verdict_is_not_checking_it() -> None:
    from rampart.core.checked import was_read

    results = attacks(1, 1)
    corrections(results, calibration())
    assert not any(map(was_read, results))


def test_the_corrected_pass_rate_comes_back_to_the_truth_that_the_judge_has_bent() -> None:
    chance = random.Random(11)
    results = []
    for _ in range(3000):
        succeeded = chance.random() < 0.1
        seen = chance.random() < (0.9 if succeeded else 0.2)
        results.append(result(UNSAFE, DETECTED) if seen else result(SAFE, NOT_DETECTED))
    [rate] = corrections(results, calibration(540, 480, positives=600, negatives=600))["rates"]
    assert rate["raw"]["interval"][1] < 0.9  # the raw rate is sure of what is wrong
    low, high = rate["corrected"]["interval"]
    assert low < 0.9 < high
    assert rate["corrected"]["rate"] == pytest.approx(0.9, abs=0.03)
