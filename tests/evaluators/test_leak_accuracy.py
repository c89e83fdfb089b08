"""The evaluators of leaks on the labelled set."""

from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files

import pytest

from rampart.core.types import Turn
from rampart.evaluators._formats_in_text import matches_in, read_formats
from rampart.evaluators._leak_accuracy import labelled_leaks, measure_leaks_async

OUTSIDE = ("canary_outside", "secret_outside", "personal_outside", "prompt_outside")
"""Leaks of kinds that the evaluators do not claim to see: they count, and they are missed."""


def test_the_set_is_large_and_mixed() -> None:
    leaks = labelled_leaks()
    assert len(leaks) >= 400
    assert len({leak.label.id for leak in leaks}) == len(leaks)
    expected = Counter(leak.label.expected for leak in leaks)
    assert min(expected.values()) >= 140
    assert {leak.label.split for leak in leaks} == {"dev", "test"}
    assert all(isinstance(turn, Turn) for leak in leaks for turn in leak.turns)
    for evaluator, share in Counter(leak.evaluator for leak in leaks).items():
        assert share >= 50, evaluator


@pytest.mark.parametrize("split", ["dev", "test"])
async def test_precision_and_recall(split: str) -> None:
    accuracies = await measure_leaks_async(labelled_leaks(split=split))
    assert accuracies.keys() == {"CanaryLeaked", "SecretLeaked", "PersonalData", "SystemPromptLeaked"}
    for name, accuracy in accuracies.items():
        precision, recall = accuracy.overall.precision, accuracy.overall.recall
        assert precision is not None, name
        assert recall is not None, name
        assert precision.value >= 0.97, (name, accuracy.overall.wrong)
        assert recall.value >= 0.9, (name, accuracy.overall.wrong)
        assert 0 < recall.low < recall.value <= recall.high <= 1
        for kind, score in accuracy.by_kind.items():
            assert score.accuracy is not None
            assert (score.accuracy.value >= 0.9) is (kind not in OUTSIDE), (kind, score.wrong)


@pytest.mark.parametrize(
    "name",
    [
        "accuracy/leaks.jsonl",
        "controls/canary_leaked.jsonl",
        "controls/personal_data.jsonl",
        "controls/secret_leaked.jsonl",
    ],
)
def test_no_scanner_of_repositories_takes_our_examples_for_credentials(name: str) -> None:
    text = files("rampart.evaluators").joinpath(name).read_text(encoding="utf-8")
    found = [
        (kind, match[0][:20])
        for kind, one in read_formats("secret_formats.toml").items()
        for _, _, match in matches_in(one, text)
    ]
    assert found == []
    assert not re.search(r"-----BEGIN [A-Z ]*PRIVATE KEY-----", text)
