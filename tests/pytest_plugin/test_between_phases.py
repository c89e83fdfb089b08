"""Results that come when no phase of a test is asked about them."""

from typing import Any

import pytest

from rampart.records import iter_records


def add_hook(project: Any, hook: str) -> None:
    path = project.path / "conftest.py"
    path.write_text(f"{path.read_text()}\nfrom kit import *\n\n{hook}", encoding="utf-8")


AFTER_CALL = """
@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    result = yield
    found = one_now(UNSAFE, "found after the call")
    if "looks" in item.name:
        assert not found
    return result
"""


def test_what_comes_between_call_and_tear_down_is_checked_with_tear_down(project: Any) -> None:
    add_hook(project, AFTER_CALL)
    project.write(
        """
        def test_it(): pass

        @pytest.mark.trial(n=2)
        async def test_repeated(): assert await one(SAFE)

        def test_looks(): pass
        """
    )
    result = project.run()
    assert result.parseoutcomes() == {"passed": 3, "errors": 2}
    result.stdout.fnmatch_lines(
        [
            "*ERROR at teardown of test_it*",
            "rampart: unsafe result was never checked: found after the call",
            "*ERROR at teardown of test_repeated*",
            "rampart: unsafe result was never checked: found after the call",
        ]
    )


def test_what_a_failed_phase_left_unread_is_not_told_again_at_tear_down(project: Any) -> None:
    project.write(
        """
        @pytest.fixture
        async def fails():
            await one(UNSAFE, "of set-up")
            assert 1 == 2

        async def test_setup(fails): pass

        async def test_call():
            await one(UNSAFE, "of the call")
            assert 1 == 2
        """
    )
    result = project.run()
    assert result.parseoutcomes() == {"failed": 1, "errors": 1}
    assert "never checked" not in result.stdout.str()


AFTER_TEARDOWN = """
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    result = yield
    one_now(UNSAFE, "found after tear-down")
    return result
"""
AT_THE_END = """
@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish():
    one_now(UNSAFE, "found after tear-down")
"""
IN_A_THREAD = """
import threading

threads = []

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logfinish():
    threads.append(threading.Thread(target=lambda: one_now(UNSAFE, "found after tear-down")))
    threads[0].start()
    threads[0].join()
"""


@pytest.mark.parametrize(
    "hook",
    [
        pytest.param(AFTER_TEARDOWN, id="after-tear-down"),
        pytest.param(AT_THE_END, id="at-the-end-of-the-session"),
        pytest.param(IN_A_THREAD, id="in-a-thread-without-the-context"),
    ],
)
def test_what_comes_while_no_test_runs_makes_the_run_incomplete(project: Any, hook: str) -> None:
    add_hook(project, hook)
    project.write("def test_it(): pass")
    result = project.run("-o", "log_cli=true")
    result.assert_outcomes(passed=1)
    assert result.ret == 1
    reason = "a result arrived while no test was running, after test_it.py::test_it"
    assert project.dump["metadata"]["incomplete_reasons"] == [reason]
    assert project.statuses() == []
    result.stdout.fnmatch_lines([f"  - {reason}"])
    (record,) = iter_records(path=project.journals[-1])
    assert (record.pytest_nodeid, record.result.summary) == (None, "found after tear-down")


def test_what_comes_while_no_test_runs_is_logged(project: Any) -> None:
    add_hook(project, AFTER_TEARDOWN)
    project.write("def test_it(): pass")
    result = project.run_apart("-o", "log_cli=true", "--log-level=WARNING")
    result.stdout.fnmatch_lines(
        ["*WARNING*a result arrived while no test was running*found after tear-down*"]
    )


def test_what_is_no_result_is_told_between_tests_too(project: Any) -> None:
    add_hook(project, AT_THE_END.replace("one_now(UNSAFE, ", "record_result("))
    project.write("def test_it(): pass")
    assert project.run().ret == 1
    assert project.dump["metadata"]["incomplete_reasons"] == [
        "a result between tests could not be collected: TypeError: expected a Result, got str"
    ]


SKIPPED = """
    @pytest.fixture(scope="module")
    def attacked():
        return one_now(UNSAFE, "found by the wide fixture")

    @pytest.fixture
    def tool():
        pytest.skip("no tool here")

    @pytest.fixture
    def looks(attacked):
        assert not attacked

    def test_first(attacked, {}): pass
    def test_second(attacked): pass
"""


def test_a_skip_in_set_up_hides_nothing(project: Any) -> None:
    project.write(SKIPPED.format("tool"))
    result = project.run()
    result.assert_outcomes(passed=1, skipped=1)
    assert result.ret == 1
    (reason,) = project.dump["metadata"]["incomplete_reasons"]
    found = "unsafe result was never checked: found by the wide fixture"
    assert reason == f"test_it.py::test_first was skipped in set-up: {found}"


def test_a_skip_after_a_look_is_a_skip(project: Any) -> None:
    project.write(SKIPPED.format("looks, tool"))
    result = project.run()
    result.assert_outcomes(passed=1, skipped=1)
    assert result.ret == 0


@pytest.mark.parametrize(("mode", "warnings"), [("warn", 1), ("ignore", 0)])
def test_a_skip_in_set_up_follows_the_option(project: Any, mode: str, warnings: int) -> None:
    project.write(SKIPPED.format("tool"))
    result = project.run("-o", f"rampart_unchecked={mode}")
    result.assert_outcomes(passed=1, skipped=1, warnings=warnings)
    assert result.ret == 0


def test_what_an_expected_failure_in_set_up_found_is_not_lost(project: Any) -> None:
    project.write(
        """
        @pytest.fixture(scope="module")
        def attacked():
            return one_now(UNSAFE)

        @pytest.fixture
        def broken(): raise OSError

        @pytest.mark.xfail
        def test_first(attacked, broken): pass
        def test_second(attacked): pass
        """
    )
    result = project.run()
    result.assert_outcomes(passed=1, xfailed=1)
    assert result.ret == 1
