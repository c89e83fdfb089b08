"""`rampart judge check` on the shipped set, in a process of its own, with a judge of known errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest
from tests.llm.chat_answers import completion, refused
from tests.llm.chat_server import ChatServer

from rampart.calibration.calibration_file import read_calibration
from rampart.calibration.labels import shipped_labels

if TYPE_CHECKING:
    from pathlib import Path

KNOWN_ERRORS = '''
import json
import os
import random

from rampart.calibration import shipped_labels
from rampart.core.evaluation import EvalOutcome
from rampart.core.llm import Completion
from rampart.core.types import Usage
from rampart.evaluators.judge_transcript import render_transcript

SENSITIVITY, SPECIFICITY = (float(os.environ[name]) for name in ("SENSITIVITY", "SPECIFICITY"))


class KnownErrors:
    """A model that recognises each transcript, and answers right with given probabilities."""

    model_name = "known-errors"

    def __init__(self):
        known = [(render_transcript(one.context()), one) for one in shipped_labels().transcripts]
        # The longest first: one conversation may be the beginning of another.
        self.known = sorted(known, key=lambda pair: -len(pair[0]))

    async def complete_async(self, *, messages, response_schema=None):
        text = "\\n".join(message.content for message in messages)
        one = next(one for shown, one in self.known if shown in text and one.objective in text)
        detected = one.label is EvalOutcome.DETECTED
        if random.Random(f"seed {one.id}").random() >= (SENSITIVITY if detected else SPECIFICITY):
            detected = not detected
        reply = {
            "outcome": "detected" if detected else "not_detected",
            "confidence": 1.0 if detected else 0.0,
            "rationale": "known",
            "evidence": [],
        }
        usage = Usage(input_tokens=10, output_tokens=1, requests=1, cost_usd=0.001)
        return Completion(text=json.dumps(reply), usage=usage)


model = KnownErrors()
'''


def _run(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    (folder / "known_errors.py").write_text(dedent(KNOWN_ERRORS), encoding="utf-8")
    command = [sys.executable, "-c", "from rampart.cli.main import main; main()", "judge", "check"]
    return subprocess.run(
        [*command, "--judge", "known_errors:model", *arguments],
        cwd=folder,
        env=os.environ | environ,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize(
    ("sensitivity", "specificity"),
    [
        pytest.param(0.95, 0.9, id="good"),
        pytest.param(0.75, 0.98, id="misses-much"),
        pytest.param(0.97, 0.7, id="cries-wolf"),
        pytest.param(1.0, 1.0, id="never-wrong"),
    ],
)
def test_known_error_rates_are_recovered_within_their_intervals(
    tmp_path: Path, sensitivity: float, specificity: float
) -> None:
    done = _run(
        tmp_path,
        *("--output", "calibration.json", "--format", "json"),
        SENSITIVITY=str(sensitivity),
        SPECIFICITY=str(specificity),
    )
    assert done.returncode == 0, done.stderr
    shown: dict[str, Any] = json.loads(done.stdout)
    for name, truth in (("sensitivity", sensitivity), ("specificity", specificity)):
        low, high = shown[name]["interval"]
        assert low <= truth <= high
        assert high - low < 0.25  # else it would hold anything
    total = len(shipped_labels().transcripts)
    assert total >= 120
    assert shown["labels"]["count"] == shown["accuracy"]["total"] == total
    assert len(shown["by_language"]) >= 5
    # `requests` may be more than one a transcript for a judge that asks again.
    assert shown["usage"]["cost_usd"] == pytest.approx(0.001 * shown["usage"]["requests"])
    calibration = read_calibration(tmp_path / "calibration.json")
    assert calibration.judge.model == "known-errors"
    assert calibration.confusion.total == total


def test_another_sensitivity_is_told_apart(tmp_path: Path) -> None:
    done = _run(tmp_path, "--format", "json", SENSITIVITY="0.6", SPECIFICITY="0.9")
    low, high = json.loads(done.stdout)["sensitivity"]["interval"]
    assert not low <= 0.95 <= high


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_people_see_how_far_it_is(tmp_path: Path) -> None:
    (tmp_path / "known_errors.py").write_text(dedent(KNOWN_ERRORS), encoding="utf-8")
    ours, its = os.openpty()
    try:
        done = subprocess.run(
            [
                *(sys.executable, "-c", "from rampart.cli.main import main; main()", "judge", "check"),
                *("--judge", "known_errors:model", "--limit", "3"),
            ],
            cwd=tmp_path,
            env=os.environ | {"SENSITIVITY": "1", "SPECIFICITY": "1"},
            stdout=subprocess.PIPE,
            stderr=its,
            timeout=100,
            check=False,
        )
        assert os.read(ours, 1000).decode().startswith("...")
    finally:
        os.close(ours)
        os.close(its)
    assert done.returncode == 0


KEY = "sk-0123456789abcdef"


def _ask_service(folder: Path, server: ChatServer, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from rampart.cli.main import main; main()", "judge", "check"]
    return subprocess.run(
        [*command, "--model", "small-model", "--endpoint", server.url, "--limit", "4", *arguments],
        cwd=folder,
        env=os.environ | {"OPENAI_API_KEY": KEY},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )


def test_a_service_is_asked_with_the_key_of_the_environment(tmp_path: Path) -> None:
    verdict = {"outcome": "detected", "confidence": 1.0, "rationale": "seen", "evidence": []}
    with ChatServer(default=completion(json.dumps(verdict))) as server:
        done = _ask_service(tmp_path, server, "--output", "calibration.json")
    assert done.returncode == 0, done.stderr
    assert "Judge: small-model (instructions " in done.stdout
    assert len(server.calls) == 4
    assert {body["model"] for body in server.bodies} == {"small-model"}
    assert all(KEY in str(call.headers) for call in server.calls)
    assert read_calibration(tmp_path / "calibration.json").judge.model == "small-model"
    assert KEY not in done.stdout + done.stderr


def test_a_service_that_refuses_the_key_is_named_and_the_key_is_not(tmp_path: Path) -> None:
    with ChatServer(default=refused(401, f"Incorrect API key provided: {KEY}")) as server:
        done = _ask_service(tmp_path, server, "--max-retries", "0", "--output", "calibration.json")
    assert done.returncode in {1, 2}
    assert "401" in done.stderr
    assert "Traceback" not in done.stderr
    assert KEY not in done.stdout + done.stderr
    assert not (tmp_path / "calibration.json").exists()
