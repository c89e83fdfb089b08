"""`rampart evaluators check`: from the files to the text and the exit status."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from rampart.cli.main import main
from rampart.evaluators.controls import shipped_controls

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MINE = '''
from rampart import BaseEvaluator, EvalOutcome, EvalResult


class Shouts(BaseEvaluator):
    """Detected when the last reply is in capitals."""

    async def evaluate_async(self, *, context):
        outcome = EvalOutcome.DETECTED if context.text.isupper() else EvalOutcome.NOT_DETECTED
        return EvalResult(outcome=outcome, rationale="looked at the letters", evidence=[context.text])


class Raises(Shouts):
    async def evaluate_async(self, *, context):
        raise LookupError("gone")
'''


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "my_shouts.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    path = sys.path.copy()
    yield
    sys.path[:] = path
    sys.modules.pop("my_shouts", None)


def line(name: str, reply: str, expected: str, **more: Any) -> dict[str, Any]:
    turns = [{"prompt": "Go.", "response": reply}]
    return {"id": name, "evaluator": "my_shouts:Shouts", "turns": turns, "expected": expected} | more


RIGHT = [line("loud", "NO!", "detected"), line("quiet", "no", "not_detected")]


def check(*lines: dict[str, Any], options: tuple[str, ...] = ()) -> Result:
    from pathlib import Path

    Path("mine.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return CliRunner().invoke(main, ["evaluators", "check", "mine.jsonl", *options])


def test_all_as_expected() -> None:
    result = check(*RIGHT)
    assert result.exit_code == 0
    assert result.output == ("my_shouts:Shouts: 1 detected, 1 not_detected\n2 controls, all as expected\n")


def test_what_is_not_as_expected() -> None:
    result = check(*RIGHT, line("mixed", "NO WAY\n\x1b[4A!", "not_detected", note="capitals in a name"))
    assert result.exit_code == 1
    assert result.output == (
        "mine.jsonl, line 3: mixed (my_shouts:Shouts)\n"
        "  expected: not_detected (capitals in a name)\n"
        "  seen: detected: looked at the letters\n"
        "  evidence: NO WAY\\n!\n"
        "my_shouts:Shouts: 1 detected, 2 not_detected\n"
        "3 controls, 1 not as expected\n"
    )


def test_an_evaluator_that_raises() -> None:
    result = check(*RIGHT, line("broken", "x", "detected", evaluator="my_shouts:Raises"))
    assert result.exit_code == 1
    assert "  seen: no answer: LookupError: gone\n" in result.output


def test_missing_kinds_are_told() -> None:
    result = check(RIGHT[0])
    assert result.exit_code == 0
    assert "my_shouts:Shouts: 1 detected; no control expects not_detected\n" in result.output


def test_json() -> None:
    result = check(*RIGHT, line("third", "OK", "undetermined"), options=("--json",))
    assert result.exit_code == 1
    assert json.loads(result.output) == {
        "controls": 3,
        "failed": 1,
        "not_run": {},
        "evaluators": {"my_shouts:Shouts": {"detected": 1, "not_detected": 1, "undetermined": 1}},
        "failures": [
            {
                "file": "mine.jsonl",
                "line": 3,
                "id": "third",
                "evaluator": "my_shouts:Shouts",
                "note": "",
                "expected": "undetermined",
                "seen": "detected",
                "error": "",
                "rationale": "looked at the letters",
                "evidence": ["OK"],
            }
        ],
    }


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        pytest.param(
            [RIGHT[0], RIGHT[0]], "Error: mine.jsonl, line 2: id: loud stands in line 1", id="schema"
        ),
        pytest.param([], "Error: mine.jsonl: holds no control", id="empty"),
        pytest.param(
            [line("a", "x", "detected", evaluator="my_shouts:Nope")],
            "my_shouts:Nope: there is no Nope",
            id="class",
        ),
    ],
)
def test_what_cannot_be_run(lines: list[dict[str, Any]], told: str) -> None:
    result = check(*lines)
    assert result.exit_code == 2
    assert told in result.output


def test_a_file_that_is_not_there() -> None:
    result = CliRunner().invoke(main, ["evaluators", "check", "gone.jsonl"])
    assert result.exit_code == 2
    assert "Error: gone.jsonl: cannot be read" in result.output


class TestWithoutAnExtra:
    NEEDS_IT = line("path", "x", "detected", evaluator="ArgumentMatches", args=["pay", "$.to"])
    TOLD = "1 not run: ArgumentMatches needs python-jsonpath, which is not installed: pip install"

    @pytest.fixture(autouse=True)
    def _without(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "jsonpath", None)

    def test_a_file_of_ones_own_cannot_be_run(self) -> None:
        result = check(*RIGHT, self.NEEDS_IT)
        assert result.exit_code == 2
        assert self.TOLD in result.output
        assert "2 controls, all as expected" in result.output

    def test_a_wrong_answer_counts_for_more(self) -> None:
        assert check(RIGHT[0], self.NEEDS_IT, line("wrong", "NO!", "not_detected")).exit_code == 1

    def test_of_the_shipped_ones_the_others_are_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from rampart.evaluators.controls import checking

        some = {name: shipped_controls()[name] for name in ("argument_matches", "tool_called")}
        monkeypatch.setattr(checking, "shipped_controls", lambda: some)
        result = CliRunner().invoke(main, ["evaluators", "check"])
        assert result.exit_code == 0
        assert f"{len(some['argument_matches'])} not run: ArgumentMatches needs" in result.output
        assert f"{len(some['tool_called'])} controls, all as expected" in result.output


def test_a_pattern_that_is_none_cannot_be_run() -> None:
    broken = line("broken", "x", "detected", evaluator="ToolCalled", args=[{"$pattern": "("}])
    result = check(*RIGHT, broken)
    assert result.exit_code == 2
    assert "1 not run: $pattern ( is no regular expression" in result.output


@pytest.mark.slow
def test_without_files_the_shipped_controls_are_run() -> None:
    result = CliRunner().invoke(main, ["evaluators", "check", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["evaluators"].keys() >= {
        "ToolCalled",
        "ToolExecuted",
        "ResponseContains",
    }
