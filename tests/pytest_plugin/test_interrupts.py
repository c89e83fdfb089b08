"""Ctrl-C and SIGTERM, for real: processes that are signalled while executions run."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX systems")

SLOW = """
import pathlib, time

class Slow(Fixed):
    async def _execute_async(self, *, adapter):
        try:
            started.append(1)
            if len(started) == 3:
                pathlib.Path("ready").touch()
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.05)
            with open("cleaned", "a") as file:
                print("execution", file=file)

started = []

@pytest.fixture(scope="module")
async def wide():
    yield
    with open("cleaned", "a") as file:
        print("fixture", file=file)

async def test_before():
    assert await one(SAFE, "recorded before")

@pytest.mark.trial(n=4)
async def test_it(wide, trial_config):
    given = iter([Fixed(SAFE, "done in time"), Slow(), Slow(), Slow()])
    assert await execute_trials_async(
        execution_factory=lambda: next(given), adapter=agent(), n=4
    )

async def test_after():
    pathlib.Path("went-on").touch()
"""


def wait_for(path: Path, process: "subprocess.Popen[str]") -> None:
    """Wait until the child says where it is."""
    deadline = time.monotonic() + 30
    while not path.exists():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline, "the child never came that far"
        time.sleep(0.02)


def ended(process: "subprocess.Popen[str]") -> str:
    """The child's output, once it has ended by itself."""
    try:
        return process.communicate(timeout=30)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return pytest.fail(f"the child did not end:\n{process.communicate()[0]}")


def heed_sigint() -> None:
    """As a job in the foreground does; these tests may themselves run in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def ignore_sigint() -> None:
    """What a shell does to a job that it starts in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.mark.parametrize(
    ("number", "times", "prepare"),
    [
        pytest.param(signal.SIGINT, 1, heed_sigint, id="ctrl-c"),
        pytest.param(signal.SIGTERM, 1, heed_sigint, id="sigterm"),
        pytest.param(signal.SIGTERM, 3, heed_sigint, id="sigterm-again-and-again"),
        pytest.param(signal.SIGTERM, 1, ignore_sigint, id="sigterm-in-a-background-job"),
    ],
)
def test_a_stop_signal_ends_the_run_in_order(
    project: Any, number: int, times: int, prepare: Callable[[], None]
) -> None:
    project.write(SLOW)
    process = project.start(preexec_fn=prepare)
    wait_for(project.path / "ready", process)
    for _ in range(times):
        os.kill(process.pid, number)
        time.sleep(0.03)
    output = ended(process)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert (project.path / "cleaned").read_text().split() == ["execution"] * 3 + ["fixture"]
    assert not (project.path / "went-on").exists()
    dump = project.dump
    assert dump["metadata"] == {"incomplete": True, "incomplete_reasons": ["the run was interrupted"]}
    assert [entry["summary"] for entry in dump["results"] if entry["status"] == "safe"] == [
        "recorded before",
        "done in time",
    ]
    assert dump["totals"] == [5, 2, 0, 0, 3]
    assert [(p["status"], p["executed"], p["size"]) for p in dump["populations"]] == [(None, 4, 4)]
    kinds = ["result" if "result" in line else "population" for line in project.journal_lines()]
    assert kinds == ["result"] * 5 + ["population"]
    assert "= rampart: incomplete run =" in output
    assert "  - the run was interrupted" in output
    assert "Traceback" not in output, output


SWALLOWS = """
import pathlib, time

def test_before(): assert one_now(SAFE)

def test_swallows():
    for number in range({swallowed}):
        try:
            pathlib.Path(f"ready-{{number}}").touch()
            time.sleep(30)
        except BaseException:
            pass
    {rest}
"""


@pytest.mark.parametrize(
    "more", ["", "def test_after(): open('went-on', 'w').close()"], ids=["last", "not-last"]
)
def test_a_swallowed_sigterm_ends_the_run_after_the_test(project: Any, more: str) -> None:
    project.write(SWALLOWS.format(swallowed=1, rest="pass") + more)
    process = project.start(preexec_fn=heed_sigint)
    wait_for(project.path / "ready-0", process)
    process.send_signal(signal.SIGTERM)
    output = ended(process)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert not (project.path / "went-on").exists()
    assert project.dump["metadata"]["incomplete_reasons"] == ["the run was interrupted"]


def test_sigterm_interrupts_again_what_has_swallowed_the_first_one(project: Any) -> None:
    project.write(SWALLOWS.format(swallowed=2, rest="pathlib.Path('ready').touch(); time.sleep(30)"))
    process = project.start(preexec_fn=heed_sigint)
    for name in ("ready-0", "ready-1", "ready"):
        wait_for(project.path / name, process)
        time.sleep(0.6)  # signals that follow at once count as one
        process.send_signal(signal.SIGTERM)
    output = ended(process)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert project.statuses() == ["safe"]


def test_an_interrupt_in_a_repetition_and_in_sync_code(project: Any) -> None:
    project.write(
        """
        import pathlib, time

        @pytest.mark.trial(n=3)
        def test_it(tmp_path):
            assert one_now(SAFE)
            if pathlib.Path("once").exists():
                pathlib.Path("ready").touch()
                time.sleep(60)
            pathlib.Path("once").touch()
        """
    )
    process = project.start()
    wait_for(project.path / "ready", process)
    process.send_signal(signal.SIGTERM)
    output = ended(process)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert project.statuses() == ["safe", "safe"]
    assert [(p["status"], p["executed"], p["size"]) for p in project.dump["populations"]] == [(None, 2, 3)]


def test_a_hanging_sink_can_be_stopped(project: Any) -> None:
    project.pytester.makeconftest(
        """
        import asyncio, pathlib

        class Hangs:
            async def emit_async(self, *, report):
                pathlib.Path("ready").touch()
                await asyncio.sleep(60)

        def pytest_rampart_sinks(config):
            return [Hangs()]
        """
    )
    project.write("async def test_it(): assert await one(SAFE)")
    process = project.start()
    wait_for(project.path / "ready", process)
    process.send_signal(signal.SIGTERM)
    output = ended(process)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert "  - the run was interrupted" in output
    assert "Traceback" not in output, output


def test_a_handler_of_others_is_left_alone(project: Any) -> None:
    project.pytester.makeconftest(
        """
        import os, signal, sys

        def mine(number, frame):
            print("mine was called", flush=True)
            os._exit(77)

        signal.signal(signal.SIGTERM, mine)
        """
    )
    project.write(
        """
        import os, signal, time

        def test_it():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        """
    )
    # conftest files of the root are imported before plugins are configured
    assert project.run_apart("-s").ret == 77


def test_sigterm_is_given_back(project: Any) -> None:
    project.write("def test_it(): pass")
    (project.path / "around.py").write_text(
        "import pytest, signal, threading\n"
        "assert pytest.main(['-q', '-p', 'no:hypothesispytest']) == 0\n"
        "assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL\n"
        "codes = []\n"
        "def run(): codes.append(pytest.main(['-q', '-p', 'no:hypothesispytest']))\n"
        "thread = threading.Thread(target=run)\n"
        "thread.start(); thread.join()\n"
        "assert codes == [0], codes\n"
    )
    result = project.pytester.runpython(project.path / "around.py")
    assert result.ret == 0, result.stdout.str() + result.stderr.str()


def test_kill_loses_only_what_was_in_flight(project: Any) -> None:
    project.write(
        """
        import itertools, os

        class Counted(Fixed):
            numbers = itertools.count()

            async def _execute_async(self, *, adapter):
                number = next(self.numbers)
                if number == 300:
                    os.kill(os.getpid(), 9)
                await asyncio.sleep(0)
                return made(SAFE, f"number {number}")

        async def test_it():
            await execute_trials_async(execution_factory=Counted, adapter=agent(), n=1000, concurrency=5)
        """
    )
    process = project.start()
    ended(process)
    assert process.returncode == -9
    numbers = sorted(int(line["result"]["summary"].split()[1]) for line in project.journal_lines())
    assert len(numbers) >= 290
    assert set(range(290)) <= set(numbers)


def test_pytest_exit_makes_only_a_run_with_results_incomplete(project: Any) -> None:
    project.write(
        """
        async def test_a():
            assert await one(SAFE)

        async def test_b():
            pytest.exit("enough", returncode=0)
        """
    )
    result = project.run()
    assert result.ret == 1
    assert project.dump["metadata"]["incomplete_reasons"] == ["the run was ended by pytest.exit: enough"]
    project.write("def test_it():\n    pytest.exit('enough', returncode=0)")
    assert project.run().ret == 0
    assert project.dump["metadata"] == {}


@pytest.mark.parametrize("how", ["pytest.exit('enough', 3)", "raise KeyboardInterrupt"])
def test_exit_inside_an_execution_keeps_its_meaning(project: Any, how: str) -> None:
    project.write(
        f"""
        class Exits(Fixed):
            async def _execute_async(self, *, adapter):
                await asyncio.sleep(0.05)
                {how}

        class Hangs(Fixed):
            async def _execute_async(self, *, adapter):
                await asyncio.sleep(60)

        async def test_it():
            given = iter([Fixed(SAFE), Hangs(), Exits()])
            await execute_trials_async(execution_factory=lambda: next(given), adapter=agent(), n=3)

        async def test_after(): open("went-on", "w").close()
        """
    )
    result = project.run_apart()
    assert result.ret == (3 if "exit" in how else pytest.ExitCode.INTERRUPTED)
    assert not (project.path / "went-on").exists()
    assert project.dump["metadata"]["incomplete"] is True
    assert project.statuses()[0] == "safe"
    assert [p["status"] for p in project.dump["populations"]] == [None]


def test_an_internal_error_of_pytest_makes_the_run_incomplete(project: Any) -> None:
    (project.path / "conftest.py").write_text(
        (project.path / "conftest.py").read_text() + "\ndef pytest_runtest_logreport(report):\n"
        "    if report.when == 'teardown':\n        raise OSError('plugin')\n"
    )
    project.write("async def test_it(): assert await one(SAFE)")
    result = project.run_apart()
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    assert project.dump["metadata"]["incomplete_reasons"] == ["pytest stopped with an internal error"]
    assert project.statuses() == ["safe"]
