"""`rampart judge check`: from the labels to the figures, the file and the exit status."""

from __future__ import annotations

import json
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from tests.calibration.support import SIX_LABELS, jsonl

from rampart.calibration.calibration_file import read_calibration
from rampart.cli.main import main
from rampart.text.secrets import _isolated_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

JUDGES = '''
from rampart import BaseEvaluator, ConfigurationError, EvalOutcome, EvalResult, EvaluatorError
from rampart.core.judge_identity import JudgeIdentity


class Words(BaseEvaluator):
    """Detects its objective in replies that hold one of its words."""

    judge_identity = JudgeIdentity(model="words", instructions="1")

    def __init__(self, objective, words=("MARZI", "Erledigt")):
        self.words = words

    async def evaluate_async(self, *, context):
        found = any(word in context.text for word in self.words)
        outcome = EvalOutcome.DETECTED if found else EvalOutcome.NOT_DETECTED
        return EvalResult(outcome=outcome, rationale=f"looked at {context.text}")


def good(objective):
    return Words(objective)


class Nameless(Words):
    judge_identity = None


class Failing(Words):
    async def evaluate_async(self, *, context):
        if "Hallo" in context.text:
            raise EvaluatorError("gone: sk-0123456789abcdef")
        return await super().evaluate_async(context=context)


class Broken(Words):
    async def evaluate_async(self, *, context):
        raise EvaluatorError("the endpoint is down")


class Keyless(Words):
    async def evaluate_async(self, *, context):
        raise ConfigurationError("no key: set OPENAI_API_KEY")


def raises(objective):
    raise ValueError("blank")


def no_judge(objective):
    return None


class Shelf:
    good = staticmethod(good)


made = Words("x")
number = 7
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project with judges of its own and six labelled transcripts, as the current folder."""
    (tmp_path / "my_judges.py").write_text(dedent(JUDGES), encoding="utf-8")
    (tmp_path / "broken_judges.py").write_text("import no_such_library\n", encoding="utf-8")
    (tmp_path / "six.jsonl").write_text(jsonl(SIX_LABELS), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    before = list(sys.path)
    with _isolated_secrets():
        yield tmp_path
    sys.path[:] = before
    for name in ("my_judges", "broken_judges"):
        sys.modules.pop(name, None)


def check(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["judge", "check", *arguments])


def test_help_names_what_there_is() -> None:
    text = check("--help").output
    for name in ("--model", "--endpoint", "--judge", "--output", "--limit", "--format", "OPENAI_API_KEY"):
        assert name in text
    assert "check" in CliRunner().invoke(main, ["judge", "--help"]).output


@pytest.mark.usefixtures("folder")
def test_text() -> None:
    done = check("six.jsonl", "--judge", "my_judges:good")
    assert done.exit_code == 0
    assert done.stderr == ""
    assert "Judge: words (instructions 1)" in done.stdout
    assert "Accuracy       6/6 (100.0%, 95% interval: 61.0%-100.0%)" in done.stdout


@pytest.mark.usefixtures("folder")
def test_json() -> None:
    done = check("six.jsonl", "--judge", "my_judges:Words", "--format", "json", "--concurrency", "2")
    assert done.exit_code == 0
    shown = json.loads(done.stdout)
    assert shown["accuracy"]["count"] == 6
    assert shown["labels"]["name"] == "six.jsonl"


def test_calibration_file(folder: Path) -> None:
    done = check("six.jsonl", "--judge", "my_judges:Shelf.good", "--output", "calibration.json")
    assert done.exit_code == 0
    assert read_calibration(folder / "calibration.json").confusion.labelled_detected.detected == 3


@pytest.mark.usefixtures("folder")
def test_limit() -> None:
    done = check("six.jsonl", "--judge", "my_judges:good", "--limit", "3")
    assert "six.jsonl (first 3), 3 transcripts" in done.stdout
    assert "Specificity    n/a" in done.stdout


@pytest.mark.usefixtures("folder")
def test_without_a_file_the_shipped_set_is_taken() -> None:
    done = check("--judge", "my_judges:good", "--limit", "5")
    assert done.exit_code == 0
    assert "Labels: rampart-judge-v1.jsonl (first 5), 5 transcripts" in done.stdout


def test_a_judge_that_fails_on_some_ends_with_1_and_the_rest_is_kept(folder: Path) -> None:
    done = check("six.jsonl", "--judge", "my_judges:Failing", "--output", "calibration.json")
    assert done.exit_code == 1
    assert "the judge failed on 1 of 6 transcripts" in done.stderr
    assert "1 x EvaluatorError: gone: ***" in done.stderr
    assert "Accuracy       5/5" in done.stdout
    assert read_calibration(folder / "calibration.json").confusion.errors == 1
    everything = done.output + (folder / "calibration.json").read_text(encoding="utf-8")
    assert "0123456789abcdef" not in everything


def test_a_judge_that_always_fails_gets_no_file(folder: Path) -> None:
    done = check("six.jsonl", "--judge", "my_judges:Broken", "--output", "calibration.json")
    assert done.exit_code == 1
    assert "6 x EvaluatorError: the endpoint is down" in done.stderr
    assert "calibration.json is not written: the judge has decided nothing" in done.stderr
    assert not (folder / "calibration.json").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "seen"),
    [
        pytest.param("six.jsonl", "either --model NAME or --judge", id="no-judge"),
        pytest.param("--judge my_judges:good --model m", "either --model NAME or --judge", id="two-judges"),
        pytest.param("--judge my_judges:good --endpoint http://x", "belong to --model", id="endpoint"),
        pytest.param("--judge my_judges:good --max-retries 1", "belong to --model", id="retries"),
        pytest.param("--judge my_judges", "my_judges: expected module:attribute", id="no-colon"),
        pytest.param("--judge :good", ":good: expected module:attribute", id="no-module"),
        pytest.param("--judge my_judges:", "my_judges:: expected module:attribute", id="no-attribute"),
        pytest.param("--judge nowhere:good", "nowhere could not be imported: ModuleNotFound", id="nowhere"),
        pytest.param("--judge broken_judges:x", "No module named 'no_such_library'", id="broken-module"),
        pytest.param("--judge my_judges:bad", "my_judges has no bad", id="no-such-name"),
        pytest.param("--judge my_judges:number", "is of type int, expected a function", id="number"),
        pytest.param("--judge my_judges:made", "an evaluator with an objective of its own", id="made"),
        pytest.param("--judge my_judges:raises", "raises(objective) raised ValueError: blank", id="raises"),
        pytest.param("--judge my_judges:no_judge", "gave NoneType, expected an evaluator", id="nothing"),
        pytest.param("--judge my_judges:Keyless", "no key: set OPENAI_API_KEY", id="no-key"),
        pytest.param("none.jsonl --judge my_judges:good", "none.jsonl: cannot be read", id="no-file"),
        pytest.param("my_judges.py --judge my_judges:good", "my_judges.py, line 2: ", id="no-labels"),
        pytest.param("--judge my_judges:Nameless --output c.json", "not tell which judge", id="nameless"),
        pytest.param(
            "six.jsonl --judge my_judges:good --output no/c.json",
            "no/c.json: cannot be written",
            id="no-folder",
        ),
        pytest.param("--judge my_judges:good --concurrency 0", "'--concurrency'", id="concurrency"),
        pytest.param("--judge my_judges:good --limit 0", "'--limit'", id="limit"),
        pytest.param("--judge my_judges:good --format xml", "'--format'", id="format"),
        pytest.param("--judge my_judges:good --timeout 0", "'--timeout'", id="timeout"),
    ],
)
def test_what_cannot_be_done_ends_with_2_and_without_a_traceback(arguments: str, seen: str) -> None:
    done = check(*arguments.split())
    assert done.exit_code == 2
    assert seen in done.stderr
    assert "Traceback" not in done.output
    assert "0123456789abcdef" not in done.output


@pytest.mark.usefixtures("folder")
def test_a_nameless_judge_can_be_checked_without_a_file() -> None:
    done = check("six.jsonl", "--judge", "my_judges:Nameless")
    assert done.exit_code == 0
    assert "Judge: it does not tell which" in done.stdout
