"""Async tests beside other ways to write and run tests."""

from __future__ import annotations

import sys

import pytest

# Not needed here, and slow to load; and verdicts are no subject of these tests.
LIGHT = ("-pno:inline_snapshot", "-pno:hypothesispytest", "-pno:rerunfailures", "-pno:timeout")
SETTINGS = ("-orampart_unchecked=ignore", "-orampart_journal=off", "-pno:cacheprovider", *LIGHT)
NO_PLUGIN = ("-p", "no:asyncio", "-p", "no:anyio")


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-W", "error", *SETTINGS, *options, timeout=60)


def test_unittest_async_cases_are_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import asyncio
        import unittest
        import pytest

        LOOPS = []

        @pytest.fixture(autouse=True)
        async def note(request):
            LOOPS.append(asyncio.get_running_loop())

        class TestCase(unittest.IsolatedAsyncioTestCase):
            async def asyncSetUp(self):
                self.loop = asyncio.get_running_loop()

            async def test_own_loop(self):
                assert asyncio.get_running_loop() is self.loop
                assert self.loop not in LOOPS and LOOPS

            async def test_failing(self):
                await asyncio.sleep(0)
                self.assertEqual(1, 2)

        async def test_ours():
            assert asyncio.get_running_loop() is LOOPS[0]
        """
    )
    run(pytester, *NO_PLUGIN).assert_outcomes(passed=2, failed=1)


def test_hypothesis(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import asyncio
        import pytest
        from hypothesis import given, settings, strategies as st

        TASKS = set()

        @pytest.fixture(scope="module")
        async def task():
            return asyncio.current_task()

        class TestCase:
            @settings(max_examples=20, database=None)
            @given(number=st.integers())
            async def test_examples(self, task, number):
                await asyncio.sleep(0)
                assert asyncio.current_task() is task

        @settings(max_examples=20, database=None)
        @given(number=st.integers(min_value=10))
        async def test_falsified(number):
            await asyncio.sleep(0)
            assert number < 10
        """
    )
    result = run(pytester, *NO_PLUGIN)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*Failing test case: test_falsified*"])


def test_setup_of_the_plan_runs_nothing_and_trace_reaches_the_body(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        async def fixture():
            print("FIXTURE UP")
            yield
            print("FIXTURE DOWN")

        async def test_body(fixture):
            print("BODY")
            assert False
        """
    )
    planned = run(pytester, *NO_PLUGIN, "--setup-plan", "-s")
    planned.stdout.no_fnmatch_line("*FIXTURE UP*")
    only_set_up = run(pytester, *NO_PLUGIN, "--setup-only", "-s")
    only_set_up.stdout.fnmatch_lines(["*FIXTURE UP", "*FIXTURE DOWN*"])
    only_set_up.stdout.no_fnmatch_line("*BODY*")
    pytester.makefile(".pdbrc", "")
    arguments = (*SETTINGS, *NO_PLUGIN, "--trace")
    traced = pytester.run(sys.executable, "-mpytest", *arguments, stdin=b"c\nc\n", timeout=60)
    traced.assert_outcomes(failed=1)  # without help it would pass, its coroutine dropped


def test_each_repetition_has_its_own_async_fixtures(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import asyncio
        import pytest
        from rampart import ObservabilityLevel, Result, SafetyStatus, record_result

        LOG = []

        @pytest.fixture(scope="session")
        async def wide():
            async with asyncio.TaskGroup() as group:
                task = group.create_task(asyncio.sleep(60))
                LOG.append("wide up")
                yield asyncio.current_task()
                task.cancel()

        class TestRepeated:
            @pytest.fixture
            async def narrow(self, wide):
                LOG.append("up")
                self.own = []
                async with asyncio.timeout(60):
                    yield
                LOG.append("down")

            @pytest.mark.trial(n=3)
            async def test_it(self, wide, narrow):
                await asyncio.sleep(0)
                assert asyncio.current_task() is wide and self.own == []
                self.own.append(1)
                LOG.append("test")
                level = ObservabilityLevel.TOOL_ONLY
                record_result(Result(status=SafetyStatus.SAFE, summary="made", observability_level=level))

        def test_order():
            assert LOG == ["wide up", *["up", "test", "down"] * 3]
        """
    )
    run(pytester, *NO_PLUGIN).assert_outcomes(passed=2)


def test_last_test_is_run_again_after_the_session_was_torn_down(pytester: pytest.Pytester) -> None:
    """As pytest-rerunfailures does."""
    pytester.makepyfile(
        """
        import asyncio
        import pytest

        RUNS = []

        @pytest.fixture(scope="session")
        async def wide():
            async with asyncio.TaskGroup() as group:
                task = group.create_task(asyncio.sleep(60))
                yield asyncio.get_running_loop()
                task.cancel()

        async def test_flaky(wide):
            RUNS.append(asyncio.get_running_loop() is wide)
            assert len(RUNS) == 3
            assert RUNS == [True] * 3
        """
    )
    arguments = [argument for argument in SETTINGS if "rerunfailures" not in argument]
    result = pytester.runpytest_subprocess("-W", "error", *arguments, *NO_PLUGIN, "--reruns=2", timeout=60)
    result.stdout.fnmatch_lines(["*1 passed, 2 rerun in*"])


def test_tasks_that_tests_left_end_before_the_run_is_reported(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import pytest

        LOG = []

        @pytest.fixture(scope="session", autouse=True)
        def sync_session_fixture():
            yield
            LOG.append("session fixture")

        def pytest_rampart_sinks(config):
            LOG.append("sinks")
            return []

        def pytest_unconfigure(config):
            print("ORDER", *LOG, sep=" | ")
        """
    )
    pytester.makepyfile(
        """
        import asyncio
        from conftest import LOG

        async def straggler():
            try:
                await asyncio.sleep(60)
            finally:
                LOG.append("straggler")

        async def test_leaves_a_task():
            global task
            task = asyncio.create_task(straggler())
            await asyncio.sleep(0)
        """
    )
    result = run(pytester, *NO_PLUGIN)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["ORDER | straggler | session fixture | sinks"])
