"""Every evaluator answers its controls rightly, and every evaluator has some."""

from __future__ import annotations

import re
from collections import Counter
from importlib import import_module, resources
from typing import TYPE_CHECKING

import pytest

from rampart.core.evaluation import EvalOutcome
from rampart.core.evaluator import BaseEvaluator, channels_of
from rampart.evaluators.controls import read_controls, run_control_async, shipped_controls
from rampart.evaluators.controls.control_run import make_evaluator
from rampart.evaluators.judge_panel import JudgePanel
from rampart.evaluators.model_graded import ModelGraded

if TYPE_CHECKING:
    from rampart.evaluators.controls import Control

FOLDER = resources.files("rampart.evaluators").joinpath("controls")

NEVER_UNDETERMINED: dict[str, str] = {
    "MentionsAny": "a reply can always be searched for words",
    "SimilarTo": "two vectors have a cosine; vectors that have none are an error",
}
"""Evaluators that always know, and why."""

LEAST = {EvalOutcome.DETECTED: 6, EvalOutcome.NOT_DETECTED: 6, EvalOutcome.UNDETERMINED: 2}


def exported_evaluators() -> dict[str, type[BaseEvaluator]]:
    package = import_module("rampart.evaluators")
    values = {name: getattr(package, name) for name in package.__all__}
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, type) and issubclass(value, BaseEvaluator)
    }


def needs_a_model(evaluator: type[BaseEvaluator]) -> bool:
    """Judges, and panels of them, answer as their models do: labelled transcripts measure them instead."""
    return issubclass(evaluator, ModelGraded | JudgePanel)


def file_name(evaluator: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", evaluator).lower()


CONTROLS = shipped_controls()
EVALUATORS = exported_evaluators()
WITH_CONTROLS = [name for name, evaluator in EVALUATORS.items() if not needs_a_model(evaluator)]


@pytest.mark.filterwarnings("ignore:tool .* is not declared:UserWarning")
@pytest.mark.filterwarnings("ignore:argument .* is not a parameter:UserWarning")
@pytest.mark.parametrize(
    "control",
    [
        pytest.param(control, id=f"{name}-{control.id}")
        for name, controls in CONTROLS.items()
        for control in controls
    ],
)
async def test_the_answer_is_the_right_one(control: Control) -> None:
    outcome = await run_control_async(control)
    seen = None if outcome.result is None else outcome.result.outcome
    text = outcome.error or repr(outcome.result)
    assert seen is control.expected, f"{control.place}: {control.note}: {text}"


@pytest.mark.parametrize("evaluator", WITH_CONTROLS)
class TestEachEvaluator:
    def test_has_controls_of_every_kind(self, evaluator: str) -> None:
        kinds = Counter(control.expected for control in CONTROLS.get(file_name(evaluator), ()))
        missing = {
            outcome.value: least - kinds[outcome]
            for outcome, least in LEAST.items()
            if kinds[outcome] < least
            and not (outcome is EvalOutcome.UNDETERMINED and evaluator in NEVER_UNDETERMINED)
        }
        assert not missing, f"{file_name(evaluator)}.jsonl lacks controls: {missing}"

    def test_has_a_file_of_its_own(self, evaluator: str) -> None:
        named = {control.evaluator for control in CONTROLS.get(file_name(evaluator), ())}
        assert named == {evaluator}

    def test_says_what_it_needs(self, evaluator: str) -> None:
        for control in CONTROLS[file_name(evaluator)]:
            assert channels_of(make_evaluator(control)), control.place


@pytest.mark.parametrize("name", CONTROLS)
class TestEachFile:
    def test_belongs_to_an_evaluator(self, name: str) -> None:
        assert name in map(file_name, EVALUATORS)

    def test_says_why_the_answers_are_right(self, name: str) -> None:
        assert [control.place for control in CONTROLS[name] if not control.note.strip()] == []

    def test_has_no_trace_twice(self, name: str) -> None:
        asked = Counter(
            repr((one.args, one.kwargs, one.turns, one.level, one.manifest)) for one in CONTROLS[name]
        )
        assert [text for text, count in asked.items() if count > 1] == []


def test_judges_are_the_only_ones_exempt() -> None:
    exempt = {name for name, evaluator in EVALUATORS.items() if needs_a_model(evaluator)}
    assert exempt == {"JudgePanel", "LLMJudge", "Rubric"}


def test_the_shipped_files_are_read_as_any_other() -> None:
    with resources.as_file(FOLDER / "tool_called.jsonl") as path:
        assert [one.id for one in read_controls(path)] == [one.id for one in CONTROLS["tool_called"]]
