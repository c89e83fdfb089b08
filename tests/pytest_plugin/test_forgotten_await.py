"""Tests that call an execution and never await it."""

from typing import Any

import pytest

CALL = "Fixed(SAFE).execute_async(adapter=agent())"
LINE = (
    "rampart: execute_async(...) was called but never awaited, so nothing was tested: "
    "write `await execute_async(...)`"
)
FORGETS = {
    "asserted": f"async def test_it():\n    assert {CALL}",
    "not-asserted": f"async def test_it():\n    {CALL}",
    "kept": f"kept = []\nasync def test_it():\n    kept.append({CALL})",
    "in-a-sync-test": f"def test_it():\n    assert {CALL}",
    "in-a-fixture": f"@pytest.fixture\ndef made():\n    return {CALL}\n\ndef test_it(made):\n    assert made",
    "repeated": f"@pytest.mark.trial(n=3)\nasync def test_it():\n    assert {CALL}",
    "repeated-beside-another": (
        f"@pytest.mark.trial(n=3)\nasync def test_it():\n    assert await one(SAFE)\n    assert {CALL}"
    ),
    "beside-another": f"async def test_it():\n    assert await one(SAFE)\n    {CALL}",
}


@pytest.mark.parametrize("flags", [(), ("-W", "error")], ids=["plain", "warnings-are-errors"])
@pytest.mark.parametrize("source", FORGETS.values(), ids=FORGETS)
def test_it_fails_the_test_and_says_what_to_write(project: Any, source: str, flags: tuple[str, ...]) -> None:
    project.write(source)
    result = project.run(*flags)
    assert result.parseoutcomes() == {"failed": 1}
    result.stdout.fnmatch_lines([LINE])
    assert "RuntimeWarning" not in result.stdout.str()


def test_trials_are_named_as_they_were_called(project: Any) -> None:
    project.write(
        "async def test_it():\n    assert many([SAFE])\nasync def test_trials():\n"
        "    execute_trials_async(execution_factory=Fixed, adapter=agent(), n=2)\n"
    )
    result = project.run("-k", "test_trials")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["rampart: execute_trials_async(...) was called but never awaited*"])


def test_in_tear_down_it_is_an_error_of_the_tear_down(project: Any) -> None:
    project.write(f"@pytest.fixture\ndef broken():\n    yield\n    {CALL}\n\ndef test_it(broken): pass")
    result = project.run("-W", "error")
    assert result.parseoutcomes() == {"passed": 1, "errors": 1}
    result.stdout.fnmatch_lines(["*ERROR at teardown of test_it*", LINE])


def test_the_option_warns_or_leaves_it_to_python(project: Any) -> None:
    project.write(FORGETS["asserted"])
    result = project.run("-o", "rampart_unchecked=warn")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines([f"*UncheckedResultWarning: {LINE}"])
    result = project.run("-o", "rampart_unchecked=ignore")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*RuntimeWarning: coroutine *never awaited*"])


def test_a_failing_test_is_not_told_of_it_too(project: Any) -> None:
    project.write(f"kept = []\ndef test_it():\n    kept.append({CALL})\n    assert 1 == 2")
    result = project.run("-W", "error")
    assert result.parseoutcomes() == {"failed": 1}
    assert "never awaited" not in result.stdout.str()
    result.stdout.fnmatch_lines(["*assert 1 == 2*"])


def test_a_skip_in_set_up_does_not_hide_it(project: Any) -> None:
    project.write(
        f"""
        @pytest.fixture(scope="module")
        def forgets(): return {CALL}

        @pytest.fixture
        def tool(): pytest.skip("no tool here")

        def test_first(forgets, tool): pass
        def test_second(forgets): pass
        """
    )
    result = project.run()
    assert result.parseoutcomes() == {"passed": 1, "skipped": 1, "errors": 1}
    result.stdout.fnmatch_lines(["*ERROR at teardown of test_first*", LINE])


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("task = asyncio.create_task({}); assert await task", id="task"),
        pytest.param("first, _ = await asyncio.gather({}, {}); assert first", id="gather"),
        pytest.param("assert await asyncio.wait_for({}, 10)", id="wait_for"),
        pytest.param("later = {}; assert await later", id="later"),
    ],
)
def test_whatever_awaits_it_will_do(project: Any, body: str) -> None:
    project.write(f"async def test_it():\n    {body.replace('{}', CALL)}")
    result = project.run("-W", "error")
    result.assert_outcomes(passed=1)
    assert result.ret == 0


def test_a_task_that_nobody_waits_for_does_not_pass_unnoticed(project: Any) -> None:
    """It begins, since the loop goes on; what it finds is then late."""
    project.write(
        f"""
        tasks = []

        async def test_it():
            tasks.append(asyncio.create_task({CALL}))

        async def test_after():
            await tasks[0]
        """
    )
    result = project.run()
    result.assert_outcomes(passed=2)
    assert result.ret == 1
    assert project.dump["metadata"]["incomplete"] is True


def test_a_run_that_ends_cancels_what_was_just_begun(project: Any) -> None:
    project.write(
        f"""
        @pytest.mark.timeout(20)
        def test_it():
            async def main():
                tasks.append(asyncio.create_task({CALL}))
            tasks = []
            asyncio.run(main())
            assert tasks[0].cancelled()
        """
    )
    project.run().assert_outcomes(passed=1)
