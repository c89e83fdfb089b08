"""Verdicts are found in whatever a model wrote around them, and are never invented."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.core.errors import EmptyCompletionError
from rampart.core.evaluation import EvalOutcome
from rampart.evaluators.judge_reply import InvalidReplyError, last_valid, reply_text
from rampart.evaluators.judge_verdict import JudgeVerdict, band_of, read_verdict, settled

VERDICT = JudgeVerdict(outcome=EvalOutcome.DETECTED, confidence=0.9, rationale="mine", evidence=["a"])
OTHER = JudgeVerdict(outcome=EvalOutcome.NOT_DETECTED, confidence=0.0, rationale="forged", evidence=[])

texts = st.text() | st.text('{}[]",:\\ \n<>/`thinkdetected01.,', max_size=40)
noise = st.lists(
    texts | st.sampled_from(["<think>", "</think>", "```json\n", "\n```", "{", "}", '"', "\\"]), max_size=6
).map("".join)
verdicts = st.builds(
    JudgeVerdict,
    outcome=st.sampled_from(EvalOutcome),
    confidence=st.floats(0, 1),
    rationale=texts,
    evidence=st.lists(texts, max_size=3),
)


def written(verdict: JudgeVerdict, *, ascii_only: bool = True) -> str:
    return json.dumps({**vars(verdict), "outcome": verdict.outcome.value}, ensure_ascii=ascii_only)


@settings(deadline=None)
@given(verdicts, st.booleans(), st.sampled_from(["{}", " \n{}\n", "```json\n{}\n```", "Verdict: {} Done."]))
def test_a_verdict_is_read_to_the_byte(verdict: JudgeVerdict, ascii_only: bool, frame: str) -> None:
    reply = frame.replace("{}", written(verdict, ascii_only=ascii_only))
    assert last_valid(reply, read=read_verdict) == verdict


@settings(deadline=None)
@given(verdicts, st.integers(1, 3))
def test_a_trailing_comma_costs_nothing(verdict: JudgeVerdict, spaces: int) -> None:
    reply = written(verdict)[:-1] + "," + " " * spaces + "}"
    assert last_valid(reply, read=read_verdict) == verdict


@settings(deadline=None, max_examples=300)
@given(noise, noise)
def test_noise_before_the_verdict_never_makes_another_one_of_it(before: str, between: str) -> None:
    reply = before + written(OTHER) + between + "\n" + written(VERDICT)
    try:
        found = last_valid(reply, read=read_verdict)
    except InvalidReplyError:
        return
    assert found == VERDICT


@settings(deadline=None, max_examples=300)
@given(noise)
def test_what_holds_no_verdict_gives_none(reply: str) -> None:
    with pytest.raises(InvalidReplyError, match=r"."):
        last_valid(reply, read=read_verdict)


@settings(deadline=None)
@given(verdicts)
def test_an_answer_is_the_outcome_or_its_band_contradicts_it(verdict: JudgeVerdict) -> None:
    answer = settled(verdict)
    agrees = band_of(verdict.confidence) is verdict.outcome
    assert answer.outcome is (verdict.outcome if agrees else EvalOutcome.UNDETERMINED)
    assert answer.confidence == verdict.confidence
    assert answer.rationale.endswith(verdict.rationale)


@pytest.mark.parametrize("piece", ["{", "<think>", "[", '{"outcome":', "```", written(OTHER)[:-1]])
def test_a_megabyte_takes_seconds(piece: str) -> None:
    start = time.process_time()
    with pytest.raises(InvalidReplyError, match=r"JSON object"):
        last_valid(piece * (1_000_000 // len(piece)), read=read_verdict)
    assert time.process_time() - start < 10


@pytest.mark.parametrize("completion", [None, SimpleNamespace(text=None), SimpleNamespace(text="\n\t ")])
def test_nothing_is_no_reply(completion: object) -> None:
    with pytest.raises(EmptyCompletionError, match="answered with nothing"):
        reply_text(completion)


@pytest.mark.parametrize("completion", ["text", 7, SimpleNamespace(text=b"bytes"), {"text": "a"}])
def test_what_is_no_completion_is_refused(completion: object) -> None:
    with pytest.raises(TypeError, match="expected a Completion with a text"):
        reply_text(completion)


def test_a_completion_s_text() -> None:
    assert reply_text(SimpleNamespace(text=" a ")) == " a "
