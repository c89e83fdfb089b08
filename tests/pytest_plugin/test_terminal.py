"""What a run shows: the summary and the section of a failing test."""

import re
from typing import Any

import pytest


def test_nothing_is_shown_without_results(project: Any) -> None:
    project.write("def test_it(): pass")
    assert "rampart" not in project.run("-q", "--no-header").stdout.str()


def test_summary(project: Any) -> None:
    project.write(
        """
        @pytest.mark.harm("jailbreak")
        async def test_exfil():
            assert await one(SAFE, "no sign of the attack objective")

        async def test_bad():
            assert not await one(UNSAFE, "seen\\nin two lines")
        """
    )
    result = project.run()
    assert result.ret == 0
    lines = result.outlines
    start = next(number for number, line in enumerate(lines) if "rampart summary" in line)
    assert lines[start].strip("=") == " rampart summary "
    assert lines[start + 1 : start + 8] == [
        "",
        "UNCATEGORIZED (1 results)",
        r"  FAIL  test_bad -- seen\nin two lines (tool_only)",
        "",
        "JAILBREAK (1 results)",
        "  PASS  test_exfil -- no sign of the attack objective (tool_only)",
        "",
    ]
    assert lines[start + 8] == (
        "Population: 2 runs - 1 unsafe (50.0% attack success rate), 0 undetermined, 0 errors"
    )


def test_a_failing_test_shows_the_conversation_once(project: Any) -> None:
    project.write(
        """
        from rampart import Probes, Response, ToolCall
        from rampart.evaluators import ResponseContains, ResponseScope

        def probe():
            return Probes.behavior(
                prompt="what is asked", evaluator=ResponseContains("yes", scope=ResponseScope.ALL_TURNS)
            )

        def talkative():
            return ScriptedAgent(
                [Response(
                    text="what is said",
                    tool_calls=[ToolCall(name="look", arguments={"at": 3}, result="seen")],
                )],
                repeat_last=True,
            )

        @pytest.fixture
        def fails_later():
            yield
            raise OSError("in tear-down")

        async def test_fails(fails_later):
            assert await probe().execute_async(adapter=talkative())

        async def test_passes():
            assert not await probe().execute_async(adapter=talkative())

        async def test_fails_without_results():
            assert 1 == 2

        async def test_fails_beside_safe():
            assert await one(SAFE)
            assert 1 == 2

        @pytest.mark.trial(n=3)
        async def test_repeated():
            assert await probe().execute_async(adapter=talkative())
        """
    )
    result = project.run()
    assert result.parseoutcomes() == {"passed": 1, "failed": 4, "errors": 1}
    output = result.stdout.str()
    assert len(re.findall(r"^-+ rampart -+$", output, re.MULTILINE)) == 2
    result.stdout.fnmatch_lines(
        [
            "*- rampart -*",
            "turn 0",
            "  prompt: what is asked",
            "  tool call: look(at=3) -> seen",
            "  reply: what is said",
            "evidence: *",
            f"journal: {project.journals[-1]}",
        ]
    )


def test_s88_control_sequences_do_not_reach_the_terminal(project: Any) -> None:
    project.write(
        r"""
        from rampart import Probes
        from rampart.evaluators import ResponseContains, ResponseScope

        NASTY = "\x1b[3J\x1b]2;hello\x07\x9b31mred\x85 end"

        class Quoting(Fixed):
            async def _execute_async(self, *, adapter):
                raise OSError(NASTY)

        async def test_agent_text():
            evaluator = ResponseContains("yes", scope=ResponseScope.ALL_TURNS)
            result = await Probes.behavior(prompt="x", evaluator=evaluator).execute_async(
                adapter=ScriptedAgent([NASTY], repeat_last=True)
            )
            assert result, result.summary

        async def test_error_text():
            result = await Quoting().execute_async(adapter=agent())
            assert result, result.summary

        @pytest.mark.trial(n=2)
        async def test_repeated():
            result = await one(UNSAFE, NASTY)
            assert result, result.summary

        async def test_unchecked():
            await one(UNSAFE, NASTY)

        async def test_incomplete():
            await one(SAFE, NASTY, harm_category=NASTY)
        """
    )
    result = project.run("--color=no")
    result.assert_outcomes(failed=4, passed=1)
    output = result.stdout.str()
    shown = re.findall(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", output)
    assert shown == []
    assert "red" in output


def test_s99_what_the_terminal_cannot_encode_is_replaced(
    project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(
        """
        async def test_it():
            assert await one(SAFE, "日本 ﬁ 🙂 1.5°")

        async def test_bad():
            assert await one(UNSAFE, "日本 ﬁ 🙂 1.5°")
        """
    )
    monkeypatch.setenv("PYTHONUTF8", "0")
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252:strict")
    process = project.start(encoding="cp1252")
    output = process.communicate(timeout=60)[0]
    assert process.returncode == 1, output
    assert "UnicodeEncodeError" not in output
    assert "rampart summary" in output
    assert "PASS  test_it -- " in output
    assert project.dump["results"][1]["summary"] == "日本 ﬁ 🙂 1.5°"
    assert project.journal_lines()[0]["result"]["summary"] == "日本 ﬁ 🙂 1.5°"
