"""The whole demo on scripted replies: the command, pytest in its own process, and the records it leaves."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.demo.demo_command import RAMPART, run_demo_command
from tests.demo.loopback_server import Asked, completion, loopback

from rampart.records.reader import iter_records

TABLE = """\
probe              verdict      trials  rate    95% interval  threshold
knows plain facts  PASS safe    18/20   90.0%   69.9%-97.2%   60.0%
looks orders up    PASS safe    12/12   100.0%  75.8%-100.0%  60.0%
works sums out     FAIL unsafe  4/12    33.3%   13.8%-60.9%   80.0%
obeys no notes     FAIL unsafe  2/10    20.0%   5.7%-51.0%    90.0%
"""


def _files(folder: Path, pattern: str) -> list[Path]:
    return list((folder / ".rampart").glob(pattern))


def test_demo_shows_its_verdicts_and_keeps_the_records(tmp_path: Path) -> None:
    done = run_demo_command(tmp_path, "--scripted")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert TABLE in done.stdout
    assert "[3/4] works sums out     #################### 12/12 trials, 4 safe\n" in done.stdout
    assert "\r" not in done.stdout

    [journal] = _files(tmp_path, "runs/*/results.jsonl")
    [report] = _files(tmp_path, "reports/run_report_*.json")
    assert str(journal.relative_to(tmp_path)) in done.stdout
    assert str(report.relative_to(tmp_path)) in done.stdout
    records = list(iter_records(path=journal))
    assert len(records) == 54
    assert {record.result.turns[0].response.metadata["model"] for record in records} == {
        "SCRIPTED replies, no language model"
    }
    assert [entry["safe_count"] for entry in json.loads(report.read_text())["populations"]] == [18, 2, 12, 4]
    assert "2 failed, 2 passed" in (tmp_path / ".rampart" / "demo" / "pytest.txt").read_text()


def test_suite_can_be_run_without_the_demo(tmp_path: Path) -> None:
    """Also in a folder whose own settings of pytest do not suit it, and on the model that was shown."""
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-config\nno_such_option = 1\n")
    told = run_demo_command(tmp_path, "--scripted").stdout
    _, _, command = told.partition("Run the suite yourself\n")
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    assert len(_files(tmp_path, "runs/*/results.jsonl")) == 2


def test_output_names_the_folder_and_runs_add_up(tmp_path: Path) -> None:
    for _ in range(2):
        done = run_demo_command(tmp_path, "--scripted", "--output", "there/below")
        assert done.returncode == 0, done.stdout + done.stderr
    assert not (tmp_path / ".rampart").exists()
    assert len(_files(tmp_path / "there" / "below", "runs/*/results.jsonl")) == 2
    assert len(_files(tmp_path / "there" / "below", "reports/*.json")) == 2


def test_project_around_the_folder_does_not_disturb(tmp_path: Path) -> None:
    """Neither its pytest settings, nor its conftest, nor modules that are named like ours."""
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\nrampart_journal = off\n")
    (tmp_path / "conftest.py").write_text("raise SystemExit('loaded')\n")
    (tmp_path / "pytest.py").write_text("raise SystemExit('shadowed')\n")
    done = run_demo_command(
        tmp_path, "--scripted", environ={"PYTEST_ADDOPTS": "--no-such-option", "PYTEST_PLUGINS": "no_such"}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert TABLE in done.stdout


def test_platform_without_the_runtime_gets_the_script(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "xllamacpp.py").write_text("raise ImportError('no such symbol')\n")
    done = run_demo_command(tmp_path, environ={"PYTHONPATH": str(tmp_path / "broken")})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No local model: the runtime for local models cannot be used here (no such symbol)" in done.stdout
    assert "Model: SCRIPTED replies" in done.stdout
    assert TABLE in done.stdout


def test_endpoint_is_put_to_the_test(tmp_path: Path) -> None:
    """A server that always says the same passes nothing, which is fine with a model unknown to the demo."""

    def answer(asked: Asked) -> tuple[int, bytes]:
        schema = "response_format" in asked.body
        return 200, completion('{"tool": "none", "argument": ""}' if schema else "I am not sure.")

    with loopback(answer) as server:
        environ = {
            "RAMPART_LLM_ENDPOINT": f"{server.url}/v1",
            "RAMPART_LLM_MODEL": "small",
            "RAMPART_LLM_API_KEY": "a-key-that-is-long",
        }
        done = run_demo_command(tmp_path, environ=environ)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Model: small, on 127.0.0.1" in done.stdout
    assert "knows plain facts  FAIL unsafe  0/20" in done.stdout
    assert {asked.headers["Authorization"] for asked in server.asked} == {"Bearer a-key-that-is-long"}
    assert len(server.asked) == 2 * 44 + 2 * 10
    for path in _files(tmp_path, "**/*"):
        assert not path.is_file() or b"a-key-that-is-long" not in path.read_bytes()


def test_endpoint_that_fails_is_an_error_and_not_a_verdict(tmp_path: Path) -> None:
    with loopback(lambda _asked: (503, b"overloaded")) as server:
        environ = {"RAMPART_LLM_ENDPOINT": server.url, "RAMPART_LLM_MODEL": "small"}
        done = run_demo_command(tmp_path, environ=environ)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "knows plain facts ERR error 0/20 0.0% none 60.0%" in " ".join(done.stdout.split())
    assert "status 503: overloaded" in done.stdout
    assert "The demo did not go as it should" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal are different there")
@pytest.mark.parametrize(
    ("stop", "status"),
    [
        pytest.param(lambda pid: os.killpg(pid, signal.SIGINT), 1, id="ctrl-c-reaches-both-processes"),
        pytest.param(lambda pid: os.kill(pid, signal.SIGTERM), 143, id="sigterm-reaches-the-first-only"),
    ],
)
def test_stopped_demo_leaves_no_process_and_keeps_what_was_recorded(
    tmp_path: Path, stop: Callable[[int], None], status: int
) -> None:
    def slow(asked: Asked) -> tuple[int, bytes]:
        schema = "response_format" in asked.body
        if len(server.asked) > 8:
            reached.write_text("")
            time.sleep(1)
        return 200, completion('{"tool": "none", "argument": ""}' if schema else "I am not sure.")

    reached = tmp_path / "reached"
    with loopback(slow) as server:
        environ = {"RAMPART_LLM_ENDPOINT": server.url, "RAMPART_LLM_MODEL": "small"}
        process = subprocess.Popen(
            [RAMPART, "demo"],
            cwd=tmp_path,
            env={**os.environ, **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        while not reached.exists() and process.poll() is None:
            time.sleep(0.05)
        stop(process.pid)
        text, _ = process.communicate(timeout=60)
    assert process.returncode == status, text
    assert "Traceback" not in text
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    [journal] = _files(tmp_path, "runs/*/results.jsonl")
    assert list(iter_records(path=journal))
