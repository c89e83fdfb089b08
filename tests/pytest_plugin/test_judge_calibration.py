"""Runs whose pass rates are corrected for the errors of their judge."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

COUNTS = {
    "labelled_detected": {"detected": 54, "not_detected": 6, "undetermined": 0, "error": 0},
    "labelled_not_detected": {"detected": 12, "not_detected": 48, "undetermined": 0, "error": 0},
}
CALIBRATION: dict[str, Any] = {
    "version": "rampart.judge_calibration.v1",
    "created": "2026-05-01T10:00:00+00:00",
    "judge": {"model": "tiny", "instructions": "abc"},
    "labels": {"name": "labels.jsonl", "sha256": "0", "count": 120},
    "counts": COUNTS,
    "sensitivity": {"count": 54, "total": 60, "rate": 0.9, "interval": [0.8, 0.95]},
    "specificity": {"count": 48, "total": 60, "rate": 0.8, "interval": [0.7, 0.9]},
}

ATTACKS = """
from rampart import EvalOutcome, EvalResult

def attack(status, instructions="abc", **fields):
    outcomes = {SAFE: EvalOutcome.NOT_DETECTED, UNSAFE: EvalOutcome.DETECTED}
    judge = {"model": "tiny", "instructions": instructions, "negated": False}
    outcome = outcomes.get(status, EvalOutcome.UNDETERMINED)
    return Fixed(
        status, final_trace_evaluation=EvalResult(outcome=outcome), metadata={"judge": judge}, **fields
    )

async def test_attacks():
    for status in [SAFE] * 60 + [UNSAFE] * 40 + [UNDETERMINED] * 2:
        bool(await attack(status).execute_async(adapter=agent()))

async def test_another_judge():
    bool(await attack(SAFE, instructions="other").execute_async(adapter=agent()))

async def test_no_judge():
    bool(await one(SAFE))
"""


@pytest.fixture
def calibration(project: Any) -> Path:
    path: Path = project.path / "calibration.json"
    path.write_text(json.dumps(CALIBRATION), encoding="utf-8")
    return path


def _shown(result: pytest.RunResult) -> list[str]:
    lines = result.outlines
    start = next(number for number, line in enumerate(lines) if line.startswith("Judge: "))
    return [line for line in lines[start : start + 4] if not line.startswith("=")]


@pytest.mark.usefixtures("calibration")
@pytest.mark.parametrize(
    "args",
    [
        pytest.param(("--rampart-judge-calibration=calibration.json",), id="option"),
        pytest.param(("--rampart-judge-calibration", "calibration.json"), id="option-apart"),
        pytest.param(("-o", "rampart_judge_calibration=calibration.json"), id="ini"),
        pytest.param(
            ("-o", "rampart_judge_calibration=none.json", "--rampart-judge-calibration=calibration.json"),
            id="option-before-ini",
        ),
    ],
)
def test_terminal_and_report_show_the_corrected_rate(project: Any, args: tuple[str, ...]) -> None:
    project.write(ATTACKS)
    result = project.run(*args)
    result.assert_outcomes(passed=3)
    assert _shown(result) == [
        (
            "Judge: tiny, sensitivity 54/60 (90.0%, 95% interval: 79.9%-95.3%), specificity 48/60 "
            "(80.0%, 95% interval: 68.2%-88.2%), measured on labels.jsonl (2026-05-01T10:00:00+00:00)"
        ),
        (
            "  corrected pass rate: 71.4% (95% interval: 54.6%-90.3%), raw 60/100 "
            "(60.0%, 95% interval: 50.2%-69.1%)"
        ),
        "  not corrected: 2 undetermined, 1 by another judge, 1 not by one judge alone",
        "  other judges (another model, or other instructions): tiny",
    ]
    found = project.dump["metadata"]["judge_calibration"]
    assert found["judge"] == {"model": "tiny", "instructions": "abc"}
    assert found["left_out"] == {
        "undetermined": 2,
        "errors": 0,
        "other_judge": 1,
        "no_single_judge": 1,
        "several_answers": 0,
    }
    [rate] = found["rates"]
    assert rate["corrected"]["rate"] == pytest.approx(1 - 0.2 / 0.7)


@pytest.mark.usefixtures("calibration")
def test_the_json_report_holds_it(project: Any) -> None:
    project.pytester.makeconftest(
        """
        from pathlib import Path
        from rampart.reporting import JsonFileReportSink

        def pytest_rampart_sinks(config):
            return [JsonFileReportSink(output_dir=Path("reports"))]
        """
    )
    project.write(ATTACKS)
    project.run("--rampart-judge-calibration=calibration.json")
    [report] = (project.path / "reports").iterdir()
    metadata = json.loads(report.read_text(encoding="utf-8"))["metadata"]
    assert metadata["judge_calibration"]["rates"][0]["raw"]["count"] == 60
    assert metadata["judge_calibration"]["rates"][0]["corrected"]["interval"][0] > 0.5


def test_without_a_file_nothing_is_said(project: Any) -> None:
    project.write(ATTACKS)
    result = project.run()
    assert "Judge" not in result.stdout.str()
    assert "judge_calibration" not in project.dump["metadata"]


@pytest.mark.usefixtures("calibration")
def test_a_run_without_verdicts_of_the_judge_says_so(project: Any) -> None:
    project.write("async def test_it(): assert await one(SAFE)")
    result = project.run("--rampart-judge-calibration=calibration.json")
    assert _shown(result)[1:] == [
        "  no verdict of this judge to correct",
        "  not corrected: 1 not by one judge alone",
    ]


@pytest.mark.parametrize("how", ["option", "ini"])
@pytest.mark.parametrize(
    ("content", "seen"),
    [
        pytest.param(None, "cannot be read: No such file", id="missing"),
        pytest.param("{}", "no calibration file: Object missing required field", id="other-json"),
        pytest.param(
            json.dumps(CALIBRATION | {"specificity": None}), "specificity does not follow", id="contradiction"
        ),
    ],
)
def test_a_useless_file_is_a_usage_error_before_any_test_runs(
    project: Any, how: str, content: str | None, seen: str
) -> None:
    path = project.path / "given.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    project.write("def test_it(): open('ran', 'w').close()")
    args: tuple[str, ...] = ("--rampart-judge-calibration=given.json",)
    if how == "ini":
        args = ("-o", "rampart_judge_calibration=given.json")
    result = project.run(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"rampart_judge_calibration: {path}: {seen}" in result.stderr.str()
    assert not (project.path / "ran").exists()


@pytest.mark.usefixtures("calibration")
def test_each_category_and_each_kind_of_check_is_shown(project: Any) -> None:
    project.write(
        ATTACKS
        + """
async def test_leak():
    for status in [SAFE] * 10 + [UNSAFE] * 10:
        bool(await attack(status, harm_category="leak").execute_async(adapter=agent()))

async def test_probe():
    judge = {"model": "tiny", "instructions": "abc", "negated": True}
    fields = {"metadata": {"judge": judge}, "harm_category": "leak"}
    evaluation = EvalResult(outcome=EvalOutcome.NOT_DETECTED)
    bool(await Fixed(SAFE, final_trace_evaluation=evaluation, **fields).execute_async(adapter=agent()))
"""
    )
    result = project.run("--rampart-judge-calibration=calibration.json")
    result.stdout.fnmatch_lines(
        [
            "Judge: tiny, *",
            "  corrected pass rate of what passes when the objective is not detected: *, raw 70/120 *",
            "    UNCATEGORIZED: *, raw 60/100 *",
            "    LEAK: *, raw 10/20 *",
            "  corrected pass rate of what passes when the objective is detected: *, raw 1/1 *",
            "  not corrected: *",
        ]
    )


REAL = """
import json
import subprocess
import sys

from rampart import LLMJudge, Probes
from rampart.testing import ScriptedChatModel


def verdict(messages):
    found = "MARZIPAN" in messages[-1].content
    outcome, confidence = ("detected", 1.0) if found else ("not_detected", 0.0)
    return json.dumps({"outcome": outcome, "confidence": confidence, "rationale": "r", "evidence": []})


model = ScriptedChatModel([verdict], repeat_last=True)
"""


def test_verdicts_of_a_real_judge_are_known_as_its_own(project: Any) -> None:
    """From the check of a judge on labels to the correction of a run with the same judge."""
    from tests.calibration.support import SIX_LABELS, jsonl

    (project.path / "judges.py").write_text(REAL, encoding="utf-8")
    (project.path / "six.jsonl").write_text(jsonl(SIX_LABELS), encoding="utf-8")
    project.write(
        """
        from judges import LLMJudge, Probes, model, ScriptedChatModel, verdict

        async def judged(evaluator):
            return await Probes.behavior(prompt="x", evaluator=evaluator).execute_async(adapter=agent())

        async def test_it():
            judge = LLMJudge(objective="the agent gives away the code word", llm=model)
            for _ in range(5):
                assert await judged(~judge)
            assert not await judged(judge)
            assert await judged(~judge & ~judge)
            other = type("Other", (ScriptedChatModel,), {})([verdict])
            assert await judged(~LLMJudge(objective="o", llm=other))
        """
    )
    command = [*(sys.executable, "-c", "from rampart.cli.main import main; main()"), "judge", "check"]
    checked = subprocess.run(
        [*command, "six.jsonl", "--judge", "judges:model", "--output", "c.json"],
        cwd=project.path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr
    result = project.run_apart("--rampart-judge-calibration=c.json", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
    found = project.dump["metadata"]["judge_calibration"]
    assert found["judge"]["model"] == "ScriptedChatModel"
    assert [(rate["passes_when"], rate["raw"]["count"], rate["raw"]["total"]) for rate in found["rates"]] == [
        ("not_detected", 5, 5),
        ("detected", 0, 1),
    ]
    assert found["left_out"]["no_single_judge"] == 1
    assert found["left_out"]["other_judge"] == 1
    assert found["other_judges"] == ["Other"]


@pytest.mark.usefixtures("calibration")
def test_workers_of_xdist_need_no_file(project: Any) -> None:
    project.write("async def test_it(): assert await one(SAFE)")
    # The main process reads it before workers start, and a worker looks for no file of its own.
    project.pytester.makeconftest(
        """
        from pathlib import Path

        def pytest_configure_node(node):
            Path("calibration.json").unlink(missing_ok=True)
        """
    )
    result = project.run_apart("-n1", "--rampart-judge-calibration=calibration.json")
    result.assert_outcomes(passed=1)
    assert not (project.path / "calibration.json").exists()
