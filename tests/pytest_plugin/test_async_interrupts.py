"""Async tests that are stopped from outside, and pytest runs inside of running event loops."""

from __future__ import annotations

import sys

import pytest

# Not needed here, and slow to load; and verdicts are no subject of these tests.
LIGHT = ("-pno:inline_snapshot", "-pno:hypothesispytest", "-pno:rerunfailures", "-pno:asyncio", "-pno:anyio")
SETTINGS = ("-orampart_unchecked=ignore", "-orampart_journal=off", "-pno:cacheprovider", *LIGHT)
SUITE = """
import asyncio
import os
import signal
import pytest

SIGNAL, WHERE = getattr(signal, os.environ["SIGNAL_NAME"]), os.environ["WHERE"]

async def stop_if(where):
    if where == WHERE:
        asyncio.get_running_loop().call_later(0.01, os.kill, os.getpid(), SIGNAL)
        try:
            await asyncio.sleep(20)
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
            print("\\nCLEANED UP")
            raise

@pytest.fixture(scope="session")
async def wide():
    async with asyncio.TaskGroup() as group:
        task = group.create_task(asyncio.sleep(60))
        yield
        task.cancel()
    print("\\nWIDE DOWN")

@pytest.fixture
async def narrow(wide):
    await stop_if("set-up")
    try:
        yield
        await stop_if("tear-down")
    finally:
        await asyncio.sleep(0)
        print("\\nNARROW DOWN")

async def test_interrupted(narrow):
    await stop_if("test")

async def test_after_it(narrow):
    print("\\nNEXT TEST RUNS")
"""


@pytest.mark.parametrize(
    ("where", "number"),
    [
        pytest.param("test", "SIGINT", id="ctrl-c-in-test"),
        pytest.param("set-up", "SIGINT", id="ctrl-c-in-set-up"),
        pytest.param("tear-down", "SIGINT", id="ctrl-c-in-tear-down"),
        pytest.param("test", "SIGTERM", id="sigterm-in-test"),
    ],
)
def test_a_signal_ends_the_run_with_all_cleanup(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, where: str, number: str
) -> None:
    monkeypatch.setenv("SIGNAL_NAME", number)
    monkeypatch.setenv("WHERE", where)
    # A job in the background of a shell inherits that SIGINT is ignored.
    pytester.makeconftest("import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)")
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_subprocess("-s", *SETTINGS, timeout=60)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    ends = [line for line in result.outlines if line in {"CLEANED UP", "NARROW DOWN", "WIDE DOWN"}]
    assert ends == ["CLEANED UP", *(["NARROW DOWN"] if where != "set-up" else []), "WIDE DOWN"]
    result.stdout.no_fnmatch_line("*NEXT TEST RUNS*")
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    result.stdout.no_fnmatch_line("*never*awaited*")
    result.stdout.fnmatch_lines(["*asyncio*tasks.py:*: KeyboardInterrupt"])  # where it was waiting


def test_second_ctrl_c_ends_a_test_that_does_not_give_way(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)")
    pytester.makepyfile(
        """
        import asyncio
        import os
        import signal
        import pytest

        @pytest.fixture
        async def fixture():
            yield

        async def test_stubborn(fixture):
            loop = asyncio.get_running_loop()
            for delay in (0.01, 0.05):
                loop.call_later(delay, os.kill, os.getpid(), signal.SIGINT)
            while True:
                try:
                    await asyncio.sleep(20)
                except asyncio.CancelledError:
                    print("NO")
        """
    )
    result = pytester.runpytest_subprocess("-s", *SETTINGS, timeout=60)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.no_fnmatch_line("*INTERNALERROR*")


def test_timeout_by_a_signal_of_another_plugin(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_timeout")
    pytester.makepyfile(
        """
        import asyncio
        import pytest

        @pytest.fixture
        async def fixture():
            async with asyncio.TaskGroup() as group:
                task = group.create_task(asyncio.sleep(60))
                yield
                task.cancel()
            print("FIXTURE DOWN")

        @pytest.mark.timeout(0.2, method="signal")
        async def test_hangs(fixture):
            try:
                await asyncio.sleep(20)
            finally:
                await asyncio.sleep(0)
                print("TEST CLEANED UP")

        async def test_next(fixture):
            await asyncio.sleep(0.01)
        """
    )
    result = pytester.runpytest_subprocess("-s", *SETTINGS, timeout=60)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*TEST CLEANED UP*", "*FIXTURE DOWN*", "*FIXTURE DOWN*", "*Timeout*"])


INNER = """
import asyncio
import threading
import pytest

@pytest.fixture(scope="session")
async def wide():
    async with asyncio.TaskGroup() as group:
        task = group.create_task(asyncio.sleep(60))
        yield asyncio.get_running_loop()
        task.cancel()

@pytest.fixture
async def late():
    return 1

async def test_one_loop(wide):
    assert wide is asyncio.get_running_loop()
    assert threading.current_thread() is not threading.main_thread()

async def test_refused_not_hanging(request):
    with pytest.raises(RuntimeError, match="cannot wait for another one"):
        request.getfixturevalue("late")

async def test_failing(wide):
    await asyncio.sleep(0)
    assert not wide
"""


def test_pytest_main_inside_a_running_loop(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_inner=INNER)
    script = pytester.makepyfile(
        script="""
        import asyncio
        import sys
        import threading
        import pytest

        async def main():
            code = pytest.main(sys.argv[1:])
            await asyncio.sleep(0)  # the outer loop is alive
            return code, [thread.name for thread in threading.enumerate()]

        code, threads = asyncio.run(main())
        print("EXIT", int(code), "THREADS", *threads)
        """
    )
    result = pytester.run(sys.executable, script, *SETTINGS, "test_inner.py", timeout=60)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["EXIT 1 THREADS MainThread"])


def test_pytest_main_inside_one_of_our_async_tests(pytester: pytest.Pytester) -> None:
    pytester.mkdir("inner").joinpath("inner_suite.py").write_text(INNER, encoding="utf-8")
    pytester.makepyfile(
        f"""
        import asyncio
        import pytest

        @pytest.fixture
        async def fixture():
            yield asyncio.current_task()

        async def test_outer(fixture):
            arguments = {list(SETTINGS)!r}
            code = pytest.main([*arguments, "--rootdir=inner", "inner/inner_suite.py", "-knot failing"])
            assert code == 0
            await asyncio.sleep(0)
            assert fixture is asyncio.current_task()

        async def test_outer_again(fixture):
            await asyncio.sleep(0)
        """
    )
    result = pytester.runpytest_subprocess(*SETTINGS, timeout=60)
    result.stdout.fnmatch_lines(["*2 passed in*"])
    assert result.ret == 0
