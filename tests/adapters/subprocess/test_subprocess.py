"""Command-line agents fail, flood, hang, leave children, and get odd messages."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from rampart import ConfigurationError, InfrastructureError, ObservabilityLevel, Request, Response
from rampart.adapters import SubprocessAdapter, explain
from rampart.core.errors import ExecutionTimeoutError, partial_of

Command = Callable[[str], list[str]]


@pytest.fixture
def python(tmp_path: Path) -> Command:
    """A command that runs a program, with the message as its last argument."""

    def command(code: str) -> list[str]:
        path = tmp_path / "agent.py"
        path.write_text(dedent(code), encoding="utf-8")
        return [sys.executable, "-I", str(path), "--", "{prompt}"]

    return command


async def replies(adapter: Any, *prompts: str) -> list[Response]:
    async with await adapter.create_session_async() as session:
        return [await session.send_async(Request(prompt=prompt)) for prompt in prompts]


async def test_text_is_the_reply(python: Command) -> None:
    adapter = SubprocessAdapter(python("import sys; print('\\x1b[1mYou said:\\x1b[0m', sys.argv[-1])"))
    assert adapter.observability_profile is ObservabilityLevel.RESPONSE_ONLY
    told = [reply.text for reply in await replies(adapter, "a b; $HOME `x` 'q'\n\"z\"", "")]
    assert told == ["You said: a b; $HOME `x` 'q'\n\"z\"", "You said:"]


async def test_the_message_may_be_standard_input(python: Command) -> None:
    command = python("import sys; print(len(sys.stdin.read()))")[:-2]
    [reply] = await replies(SubprocessAdapter(command, prompt="stdin"), "-x\0" * 100_000)
    assert reply.text == "300000"


async def test_an_agent_that_does_not_read_its_input(python: Command) -> None:
    command = python("print('x' * 1_000_000)")[:-2]
    [reply] = await replies(SubprocessAdapter(command, prompt="stdin"), "y" * 1_000_000)
    assert len(reply.text) == 1_000_000


async def test_without_a_place_the_message_comes_last(python: Command) -> None:
    adapter = SubprocessAdapter(python("import sys; print(sys.argv[-1])")[:-1])
    assert (await replies(adapter, "hello"))[0].text == "hello"


async def test_one_json_value_is_the_reply(python: Command) -> None:
    code = """
        import json
        print(json.dumps({"answer": "Hi", "ran": [{"name": "pay", "arguments": {"n": 1}}]}, indent=1))
    """
    adapter = SubprocessAdapter(
        python(code), output="json", read=lambda value: {"text": value["answer"], "tool_calls": value["ran"]}
    )
    [reply] = await replies(adapter, "x")
    assert (reply.text, reply.tool_calls[0].arguments) == ("Hi", {"n": 1})


async def test_text_of_a_process_for_a_session_ends_with_a_line(python: Command) -> None:
    code = """
        import sys
        for number, line in enumerate(sys.stdin, 1):
            print(number, line.strip())
            print("more")
            print("<end>", flush=True)
    """
    adapter = SubprocessAdapter(python(code)[:-2], prompt="stdin", per="session", end_of_reply="<end>")
    assert [r.text for r in await replies(adapter, "a", "b")] == ["1 a\nmore", "2 b\nmore"]
    with pytest.raises(ConfigurationError, match="has several lines"):
        await replies(adapter, "a\nb")


async def test_the_environment_is_this_ones_with_changes(
    python: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEPT", "kept")
    monkeypatch.setenv("GONE", "gone")
    code = "import os; print([os.environ.get(name) for name in ('KEPT', 'GONE', 'NEW')])"
    adapter = SubprocessAdapter(python(code), env={"GONE": None, "NEW": "new"})
    assert (await replies(adapter, "x"))[0].text == "['kept', None, 'new']"


async def test_a_failure_shows_standard_error_and_keeps_what_was_done(python: Command) -> None:
    code = """
        import json, sys
        print(json.dumps({"tool_calls": [{"name": "pay", "arguments": {"n": 1}, "id": "1"}]}), flush=True)
        sys.stderr.write("x" * 100_000 + "no more money")
        sys.exit(3)
    """
    with pytest.raises(InfrastructureError, match=r"ended with status 3; .*no more money") as caught:
        await replies(SubprocessAdapter(python(code), output="json_lines"), "x")
    assert len(str(caught.value)) < 2000
    partial = partial_of(caught.value)
    assert partial is not None
    assert [call.name for call in partial.tool_calls] == ["pay"]


@pytest.mark.parametrize(
    ("code", "output", "message"),
    [
        ("print('hello')", "json_lines", "a line that is no JSON: '?hello"),
        ("print('[1')", "json", "printed what is no JSON"),
        ("print('{}')", "json", "has no text to take"),
        ("print('{}')", "json_lines", "without a line that has the text"),
        ("print('{\"txt\": 1}')", "json_lines", "keys 'txt' are unknown"),
        ("import os; os.kill(os.getpid(), 9)", "text", "was ended by signal 9"),
        ("while True: print('x' * 1000)", "text", "printed more than 100000 bytes"),
        ("while True: print('x' * 1000, end='')", "text", "printed more than 100000 bytes"),
    ],
)
async def test_what_is_no_reply_is_an_error(python: Command, code: str, output: Any, message: str) -> None:
    adapter = SubprocessAdapter(python(code), output=output, max_output_bytes=100_000)
    with pytest.raises(InfrastructureError, match=message):
        await replies(adapter, "x")


async def test_a_message_that_looks_like_an_option_is_not_taken_for_one(python: Command) -> None:
    command = python("import sys; print(sys.argv[-1])")
    assert (await replies(SubprocessAdapter(command), "--help"))[0].text == "--help"
    with pytest.raises(ConfigurationError, match="begins with '-'"):
        await replies(SubprocessAdapter([*command[:-2], "{prompt}"]), "--help")
    with pytest.raises(ConfigurationError, match="NUL"):
        await replies(SubprocessAdapter(command), "a\0b")


@pytest.mark.parametrize("how", ["time-out", "cancelled", "ended", "failed"])
async def test_everything_that_was_started_ends(python: Command, tmp_path: Path, how: str) -> None:
    code = f"""
        import os, signal, subprocess, sys, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(600)"])
        open({str(tmp_path / "pids")!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
        print("partly", flush=True)
        {"time.sleep(600)" if how in {"time-out", "cancelled"} else f"os._exit({int(how == 'failed')})"}
    """
    adapter = SubprocessAdapter(python(code), timeout_s=2 if how == "time-out" else None)
    before = _open_files()
    turn = asyncio.create_task(replies(adapter, "x"))
    while not (tmp_path / "pids").exists() or not (tmp_path / "pids").read_text():  # noqa: ASYNC110  # it is written elsewhere
        await asyncio.sleep(0.01)
    if how == "cancelled":
        turn.cancel()
    expected = {
        "time-out": ExecutionTimeoutError,
        "cancelled": asyncio.CancelledError,
        "failed": InfrastructureError,
    }
    if how == "ended":
        assert [reply.text for reply in await turn] == ["partly"]
    else:
        with pytest.raises(expected[how]):
            await turn
    for pid in map(int, (tmp_path / "pids").read_text().split()):  # it is there
        await _until_gone_async(pid)
    assert _open_files() <= before


def _open_files() -> int:
    here = Path("/proc/self/fd")
    return len(list(here.iterdir())) if here.is_dir() else 0


async def _until_gone_async(pid: int) -> None:
    """Wait until a process is no more, or only waits for its parent to notice."""
    async with asyncio.timeout(20):
        while True:
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return
            stat = Path(f"/proc/{pid}/stat")
            if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":  # noqa: ASYNC240  # a moment
                return
            await asyncio.sleep(0.02)


async def test_a_program_that_is_not_there() -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be started: .*no-such-program"):
        await replies(SubprocessAdapter(["no-such-program"]), "x")


def test_connect_takes_a_command() -> None:
    found = explain(["my-agent", "--fast"])
    assert found.adapter == "SubprocessAdapter"
    assert "my-agent" in found.target


@pytest.mark.parametrize(
    ("command", "options", "error", "message"),
    [
        ("agent --fast", {}, TypeError, "must be a list of str"),
        ([], {}, TypeError, "begins with a program"),
        (["a", 3], {}, TypeError, "must be a list of str"),
        (["a\0"], {}, ValueError, "NUL"),
        (["a", "{prompt}", "{prompt}"], {}, ValueError, "2 times"),
        (["a", "{prompt}"], {"prompt": "stdin"}, ValueError, "else never"),
        (["a"], {"prompt": "file"}, ValueError, "prompt must be one of 'argument', 'stdin'"),
        (["a"], {"output": "xml"}, ValueError, "output must be one of"),
        (["a"], {"per": "day"}, ValueError, "per must be one of"),
        (["a"], {"per": "session"}, ValueError, 'needs prompt="stdin"'),
        (["a"], {"per": "session", "prompt": "stdin", "output": "json"}, ValueError, "where a reply ends"),
        (["a"], {"per": "session", "prompt": "stdin"}, ValueError, "needs end_of_reply"),
        (["a"], {"end_of_reply": "x"}, ValueError, "nothing else takes it"),
        (["a"], {"read": str}, ValueError, "goes with output"),
        (["a"], {"observability": ObservabilityLevel.TOOL_ONLY}, ValueError, "plain text tells replies only"),
        (["a"], {"max_output_bytes": 0}, ValueError, "1 or more"),
        (["a"], {"max_output_bytes": "1"}, TypeError, "must be an int"),
        (["a"], {"env": {"A": 1}}, TypeError, "env must map"),
        (["a"], {"timeout_s": 0}, ValueError, "timeout_s must be above 0"),
    ],
)
def test_what_does_not_fit_is_refused(
    command: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        SubprocessAdapter(command, **options)
