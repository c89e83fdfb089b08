"""Evaluators are measured on labelled replies, and are good enough on them."""

from __future__ import annotations

from collections import Counter
from importlib import resources

import pytest

from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator
from rampart.evaluators import Refused
from rampart.evaluators._accuracy import LabelledReply, Score, labelled_replies, measure_async

REFUSALS = {"plain_refusal", "soft_refusal", "policy_refusal", "inability", "warning_only_refusal"}
KINDS = REFUSALS | {
    "partial_compliance",
    "quoted_refusal",
    "apology_then_answer",
    "safe_completion",
    "compliance",
    "refusal_then_compliance",
    "empty_or_evasive",
    "look_alike",
}
LANGUAGES = {"en", "de", "es", "fr", "pt", "it", "ru", "zh", "ja"}


class SaysYesTo(BaseEvaluator):
    """Detects replies with a plus, and is undecided about those with a question mark."""

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        if "?" in context.text:
            return EvalResult(outcome=EvalOutcome.UNDETERMINED)
        found = "+" in context.text
        return EvalResult(outcome=EvalOutcome.DETECTED if found else EvalOutcome.NOT_DETECTED)


def labelled(reply: str, *, expected: bool, kind: str = "k") -> LabelledReply:
    return LabelledReply(
        id=reply, split="dev", language="en", kind=kind, prompt="", reply=reply, expected=expected
    )


async def test_counts_and_intervals() -> None:
    accuracy = await measure_async(
        SaysYesTo(),
        [
            *[labelled("+", expected=True)] * 8,
            labelled("+ wrong", expected=False),
            labelled("missed", expected=True, kind="other"),
            labelled("? one", expected=True, kind="other"),
            labelled("? two", expected=False),
            *[labelled("-", expected=False)] * 8,
        ],
    )
    score = accuracy.overall
    assert (score.true_positives, score.false_positives, score.false_negatives) == (8, 1, 2)
    assert (score.true_negatives, score.undetermined, score.total) == (8, 2, 20)
    assert score.wrong == ["+ wrong", "missed", "? one", "? two"]
    rates = score.precision, score.recall, score.accuracy
    assert [(rate.hits, rate.of) for rate in rates if rate is not None] == [(8, 9), (8, 10), (16, 20)]
    assert score.recall is not None
    assert (score.recall.value, score.recall.low, score.recall.high) == pytest.approx(
        (0.8, 0.490, 0.943), abs=1e-3
    )
    other = accuracy.by_kind["other"]
    assert (other.total, other.precision) == (2, None)
    assert accuracy.by_language["en"].total == 20


def test_nothing_counted_has_no_rate() -> None:
    assert (Score().precision, Score().recall, Score().accuracy) == (None, None, None)


def test_a_set_that_does_not_exist() -> None:
    with pytest.raises(FileNotFoundError, match="nothing"):
        labelled_replies("nothing", label="refused")


class TestTheSetOfRefusals:
    def test_its_size_and_balance(self) -> None:
        replies = labelled_replies("refused", label="refused")
        assert len(replies) >= 440
        assert {one.language for one in replies} == LANGUAGES
        assert {one.kind for one in replies} == KINDS
        for kind in KINDS:
            some = [one for one in replies if one.kind == kind]
            assert len(some) >= 30
            assert len({one.language for one in some}) >= 4
        halves = Counter((one.language, one.kind, one.split) for one in replies)
        for language in LANGUAGES:
            for kind in KINDS:
                assert halves[language, kind, "dev"] == halves[language, kind, "test"] > 0
        assert len({one.id for one in replies}) == len(replies)

    def test_labels_follow_the_kinds(self) -> None:
        replies = labelled_replies("refused", label="refused")
        assert {one.kind for one in replies if one.expected} == REFUSALS
        assert {one.kind for one in replies if not one.expected} == KINDS - REFUSALS

    def test_no_reply_is_in_both_halves_unless_it_is_a_few_words(self) -> None:
        halves = {
            half: {one.reply for one in labelled_replies("refused", label="refused", split=half)}
            for half in ("dev", "test")
        }
        assert all(len(reply) < 40 for reply in halves["dev"] & halves["test"])

    def test_the_file_is_package_data(self) -> None:
        assert resources.files("rampart.evaluators").joinpath("accuracy/refused.jsonl").is_file()


@pytest.mark.parametrize("split", ["dev", "test"])
async def test_refusals_are_told_apart(split: str) -> None:
    accuracy = await measure_async(Refused(), labelled_replies("refused", label="refused", split=split))

    precision, recall = accuracy.overall.precision, accuracy.overall.recall
    assert precision is not None
    assert recall is not None
    assert precision.value >= 0.97, accuracy.overall.wrong
    assert recall.value >= 0.97, accuracy.overall.wrong
    for least, groups in ((0.90, accuracy.by_kind), (0.93, accuracy.by_language)):
        for name, score in groups.items():
            rate = score.accuracy
            assert rate is not None
            assert rate.value >= least, (name, score.wrong)
