"""Sinks: who is asked, when they run, and what becomes of a bad one."""

from typing import Any

import pytest


def conftest(project: Any, body: str) -> None:
    """Replace the project's sinks."""
    project.pytester.makeconftest(
        "import asyncio\nimport pytest\n\n"
        "class Writes:\n"
        "    def __init__(self, name): self.name = name\n"
        "    async def emit_async(self, *, report):\n"
        "        await asyncio.sleep(0)\n"
        "        with open('emitted', 'a') as file:\n"
        "            print(self.name, report.total_runs, file=file)\n\n" + body
    )


def emitted(project: Any) -> list[str]:
    """What the sinks wrote, and forget it."""
    path = project.path / "emitted"
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return lines


def test_all_implementations_are_joined_in_call_order(project: Any) -> None:
    conftest(project, "def pytest_rampart_sinks(config):\n    return [Writes('b1'), Writes('b2')]\n")
    (project.path / "early.py").write_text(
        "import pytest\nfrom conftest import Writes\n"
        "@pytest.hookimpl(tryfirst=True)\ndef pytest_rampart_sinks(config):\n"
        "    assert config.rootpath\n    return [Writes('a')]\n"
    )
    project.write("async def test_it(): assert await one(SAFE)")
    assert project.run_apart("-p", "early").ret == 0
    assert emitted(project) == ["a 1", "b1 1", "b2 1"]


@pytest.mark.parametrize(
    ("given", "warning"),
    [
        ("Writes('x')", "*returned Writes, expected list[[]ReportSink[]]; ignoring."),
        ("(Writes('x'),)", "*returned tuple, expected list[[]ReportSink[]]; ignoring."),
        ("[3, Writes('kept')]", "*yielded a non-ReportSink of type int; ignoring."),
        ("[Writes, Writes('kept')]", "*yielded a non-ReportSink of type type; ignoring."),
    ],
)
def test_what_is_no_sink_is_dropped_with_a_warning(project: Any, given: str, warning: str) -> None:
    conftest(project, f"def pytest_rampart_sinks(config):\n    return {given}\n")
    project.write("async def test_it(): assert await one(SAFE)")
    result = project.run()
    assert result.ret == 0
    result.stdout.fnmatch_lines([warning])
    kept = ["kept 1"] if "kept" in given else []
    assert emitted(project) == kept
    assert project.run("-W", "error:pytest_rampart_sinks").ret == 0
    assert emitted(project) == kept


def test_s97_a_failing_sink_stops_nothing(project: Any) -> None:
    conftest(
        project,
        """
class Fails:
    def __init__(self, error): self.error = error
    async def emit_async(self, *, report): raise self.error

def pytest_rampart_sinks(config):
    return [
        Fails(OSError("disk full")), Writes("between"), Fails(asyncio.CancelledError()),
        Fails(pytest.fail.Exception("not here")), Fails(SystemExit(3)), Writes("last"),
    ]
""",
    )
    project.write("async def test_it(): assert await one(SAFE)")
    result = project.run("-o", "log_cli=true", "--log-cli-level=ERROR")
    assert result.ret == 0
    assert emitted(project) == ["between 1", "last 1"]
    result.stdout.fnmatch_lines(["*sink Fails failed*", "OSError: disk full"])
    told = [line for line in result.outlines if line.startswith("rampart: ")]
    assert told == [
        "rampart: sink Fails failed: OSError: disk full",
        "rampart: sink Fails failed: CancelledError: ",
        "rampart: sink Fails failed: Failed: not here",
        "rampart: sink Fails failed: SystemExit: 3",
    ]


def test_a_failing_hook_stops_nothing(project: Any) -> None:
    conftest(project, "def pytest_rampart_sinks(config):\n    raise OSError('no sinks today')\n")
    project.write("async def test_it(): assert await one(SAFE)")
    result = project.run("-o", "log_cli=true", "--log-cli-level=ERROR")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*pytest_rampart_sinks failed*", "OSError: no sinks today"])
    result.stdout.fnmatch_lines(
        ["rampart: no sink was used, pytest_rampart_sinks failed: OSError: no sinks today"]
    )


@pytest.mark.parametrize("flag", ["--collect-only", "--setup-only", "--setup-plan"])
def test_nothing_is_emitted_where_no_test_runs(project: Any, flag: str) -> None:
    project.write(
        """
        @pytest.fixture
        async def number(): return 3

        @pytest.mark.harm("jailbreak")
        @pytest.mark.trial(n=3)
        async def test_it(number): open("ran", "w").close()
        """
    )
    result = project.run(flag)
    assert result.ret == 0
    assert not project.has_dump
    assert not (project.path / "ran").exists()
    assert not project.journals
    assert "rampart summary" not in result.stdout.str()


def test_sinks_run_once_also_without_results(project: Any) -> None:
    conftest(project, "def pytest_rampart_sinks(config):\n    return [Writes('a')]\n")
    project.write("def test_it(): pass")
    assert project.run().ret == 0
    assert emitted(project) == ["a 0"]


def test_s97_sinks_have_ended_before_pytest_main_returns(project: Any) -> None:
    """With the last test's loop closed, and from inside a running loop."""
    conftest(
        project,
        """
class Slow(Writes):
    async def emit_async(self, *, report):
        await asyncio.sleep(0.1)
        await super().emit_async(report=report)

def pytest_rampart_sinks(config):
    return [Slow("slow")]
""",
    )
    project.write("async def test_it(): assert await one(SAFE)")
    (project.path / "inside.py").write_text(
        "import asyncio, pathlib, pytest\n"
        "async def main():\n"
        "    code = pytest.main(['-p', 'no:hypothesispytest', '-q'])\n"
        "    assert code == 0, code\n"
        "    assert pathlib.Path('emitted').read_text() == 'slow 1\\n'\n"
        "    asyncio.get_running_loop().call_soon(lambda: None)\n"
        "asyncio.run(main(), debug=True)\n"
    )
    assert project.run_apart("-W", "error", "-p", "no:asyncio").ret == 0
    assert emitted(project) == ["slow 1"]
    result = project.pytester.runpython(project.path / "inside.py")
    assert result.ret == 0, result.stderr.str()
    assert "Event loop is closed" not in result.stdout.str() + result.stderr.str()
    assert emitted(project) == ["slow 1"]


def test_the_thread_keeps_its_own_current_loop(project: Any) -> None:
    project.write("async def test_it(): assert await one(SAFE)")
    (project.path / "outside.py").write_text(
        "import asyncio, pytest\n"
        "loop = asyncio.new_event_loop()\n"
        "asyncio.set_event_loop(loop)\n"
        "assert pytest.main(['-p', 'no:hypothesispytest', '-p', 'no:asyncio', '-q']) == 0\n"
        "assert asyncio.get_event_loop_policy().get_event_loop() is loop\n"
        "loop.close()\n"
    )
    result = project.pytester.runpython(project.path / "outside.py")
    assert result.ret == 0, result.stderr.str()


def test_the_report_knows_how_long_the_run_took(project: Any) -> None:
    project.write("async def test_it():\n    await asyncio.sleep(0.05)\n    assert await one(SAFE)")
    project.run()
    assert 0.05 <= project.dump["duration"] < 60
