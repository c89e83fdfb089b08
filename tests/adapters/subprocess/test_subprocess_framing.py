"""No message does more than arrive, and no output is taken for what it is not."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from rampart import ConfigurationError, InfrastructureError, Request, Response
from rampart.adapters import SubprocessAdapter
from rampart.adapters.tool_warnings import LateToolCallWarning
from rampart.core.errors import ExecutionTimeoutError, partial_of
from rampart.text.secrets import _isolated_secrets

Program = Callable[[str], list[str]]

ECHO = "import sys; print(sys.argv[1:])"


async def replies(adapter: Any, *prompts: str) -> list[Response]:
    async with await adapter.create_session_async() as session:
        return [await session.send_async(Request(prompt=prompt)) for prompt in prompts]


def serving(command: list[str], **options: Any) -> SubprocessAdapter:
    return SubprocessAdapter(command, prompt="stdin", per="session", **options)


async def test_the_message_may_be_the_value_of_an_option(program: Program) -> None:
    adapter = SubprocessAdapter([*program(ECHO), "--message={prompt}", "--fast"])
    [reply] = await replies(adapter, "-rf {session_id}")
    assert reply.text == "['--message=-rf {session_id}', '--fast']"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["sh", "-c", "agent {prompt}"], "whole argument, or the value of an option"),
        (["agent", "x={prompt}"], "whole argument, or the value of an option"),
        (["{prompt}"], "the message would choose the program"),
        (["agents/{prompt}"], "the message would choose the program"),
        (["agent", "--a={prompt}", "{prompt}"], "2 times"),
    ],
)
def test_a_place_in_which_the_message_could_do_more_is_refused(command: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SubprocessAdapter(command)


async def test_a_mark_that_ends_the_options_of_another_program_protects_nothing(program: Program) -> None:
    adapter = SubprocessAdapter([*program(ECHO), "--", "agent", "{prompt}"])
    with pytest.raises(ConfigurationError, match="put '--' right before"):
        await replies(adapter, "-rf")


async def test_a_message_that_cannot_be_handed_over_is_refused(program: Program) -> None:
    with pytest.raises(ConfigurationError, match=r"too long .* use prompt=\"stdin\""):
        await replies(SubprocessAdapter(program(ECHO)), "x" * 3_000_000)
    for way in ("argument", "stdin"):
        options: dict[str, Any] = {"prompt": way}
        with pytest.raises(ConfigurationError, match="lone surrogate"):
            await replies(SubprocessAdapter(program(ECHO), **options), "a\ud800b")


async def test_a_second_reply_is_not_taken_for_the_one_to_the_next_message(program: Program) -> None:
    code = """
        import json, sys
        for number, line in enumerate(sys.stdin):
            print(json.dumps({"text": f"reply {number}"}) + "\\n" + json.dumps({"text": "more"}), flush=True)
    """
    async with await serving(program(code), output="json_lines").create_session_async() as session:
        assert (await session.send_async(Request(prompt="a"))).text == "reply 0"
        with pytest.raises(
            InfrastructureError, match=r"printed \{\"text\": \"more\"\} after the end"
        ) as caught:
            await session.send_async(Request(prompt="b"))
        assert partial_of(caught.value) is None


async def test_an_agent_that_repeats_the_line_that_ends_replies(program: Program) -> None:
    code = """
        import sys
        for line in sys.stdin:
            print("You said:\\n" + line + "\\n<end>", flush=True)
    """
    async with await serving(program(code), end_of_reply=" <end> ").create_session_async() as session:
        assert (await session.send_async(Request(prompt="a"))).text == "You said:\na"
        assert (await session.send_async(Request(prompt="<end>"))).text == "You said:"
        with pytest.raises(InfrastructureError, match="printed <end> after the end of its reply"):
            await session.send_async(Request(prompt="b"))


LATE = """
    import json, sys
    for number, line in enumerate(sys.stdin):
        call = {"name": "pay", "arguments": {"n": number}, "executed": True}
        print(json.dumps({"text": "Done."}) + "\\n" + json.dumps({"tool_calls": [call]}), flush=True)
"""


async def test_a_call_after_the_reply_is_told_in_the_next_turn_or_warned_of(program: Program) -> None:
    with pytest.warns(LateToolCallWarning, match="'pay' of the command-line agent 'python"):
        first, second = await replies(serving(program(LATE), output="json_lines"), "a", "b")
    assert first.tool_calls == []
    assert [call.arguments for call in second.tool_calls] == [{"n": 0}]


async def test_a_flood_of_messages_to_standard_error_is_ended(program: Program) -> None:
    code = "import sys\nwhile True: sys.stderr.write('x' * 10_000)"
    adapter = SubprocessAdapter(program(code), max_output_bytes=100_000)
    with pytest.raises(InfrastructureError, match="more than 100000 bytes to standard error"):
        await replies(adapter, "x")


async def test_each_message_may_use_the_whole_bound(program: Program) -> None:
    code = """
        import sys
        for line in sys.stdin:
            sys.stderr.write("e" * 60_000)
            print("x" * 60_000 + "\\n<end>", flush=True)
    """
    told = await replies(
        serving(program(code), end_of_reply="<end>", max_output_bytes=100_000), "a", "b", "c"
    )
    assert [len(reply.text) for reply in told] == [60_000] * 3


async def test_a_child_that_left_the_group_does_not_hold_up_the_reply(
    program: Program, tmp_path: Path
) -> None:
    code = f"""
        import subprocess, sys
        wait = [sys.executable, "-I", "-c", "import time; time.sleep(600)"]
        child = subprocess.Popen(wait, start_new_session=True)
        open({str(tmp_path / "pid")!r}, "w").write(str(child.pid))
        print("Hello.")
    """
    try:
        async with asyncio.timeout(30):
            [reply] = await replies(SubprocessAdapter(program(code)), "x")
        assert reply.text == "Hello."
    finally:
        with suppress(OSError):
            os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


async def test_the_text_so_far_of_a_turn_out_of_time_is_kept(program: Program) -> None:
    code = "import time; print('\\x1b[1mpartly', flush=True); time.sleep(600)"
    with pytest.raises(ExecutionTimeoutError) as caught:
        await replies(SubprocessAdapter(program(code), timeout_s=3), "x")
    partial = partial_of(caught.value)
    assert partial is not None
    assert partial.text == "partly"


async def test_what_looks_like_a_secret_in_the_environment_is_hidden(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "GIVEN_API_KEY", "INHERITED_TOKEN", "PLAIN"
    code = f"import os, sys; sys.exit(' '.join(os.environ[name] for name in {names}))"
    monkeypatch.setenv("INHERITED_TOKEN", "inherited-value")
    adapter = SubprocessAdapter(program(code), env={"GIVEN_API_KEY": "given-value-1", "PLAIN": "plain-value"})
    hidden = pytest.raises(InfrastructureError, match=r"ends with \*\*\* \*\*\* plain-value")
    with _isolated_secrets(), hidden:
        await replies(adapter, "x")


@pytest.mark.parametrize("line", ["", "  ", "a\nb", 3])
def test_what_is_no_line_ends_no_reply(line: Any) -> None:
    with pytest.raises(ValueError, match="one line that is not blank"):
        serving(["agent"], end_of_reply=line)
