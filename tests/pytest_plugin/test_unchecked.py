"""Tests that never look at a verdict."""

from typing import Any

import pytest

UNCHECKED = """
    async def test_result():
        await one(UNSAFE, "it did harm")
        await one(SAFE)
        await one(ERROR, "line one\\nline two")

    async def test_population():
        await many([SAFE, UNDETERMINED], 0.9)

    @pytest.mark.harm("jailbreak")
    def test_harm(): pass

    @pytest.mark.trial(n=4)
    def test_trial(trial_config): pass
"""
REMEDY = "pass trial_config.n to execute_trials_async, or drop trial_config"
MESSAGES = [
    "rampart: unsafe result was never checked: it did harm",
    r"rampart: error result was never checked: line one\nline two",
    "rampart: undetermined population was never checked: 1/2 trials safe (*; status: undetermined",
    "Test test_it.py::test_harm is marked @harm but recorded no results",
    f"*::test_trial declares 4 trials but recorded none; it recorded no result at all: {REMEDY}",
]


def test_unchecked_verdicts_fail_by_default(project: Any) -> None:
    project.write(UNCHECKED)
    result = project.run("-p", "no:warnings")
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines([line.replace("[", "[[]") for line in MESSAGES])
    assert "this is safe" not in "".join(line for line in result.outlines if "never checked" in line)


def test_unchecked_verdicts_warn_or_are_ignored_where_that_is_asked_for(project: Any) -> None:
    project.write(UNCHECKED)
    result = project.run("-o", "rampart_unchecked=warn")
    result.assert_outcomes(passed=4, warnings=5)
    result.stdout.fnmatch_lines([f"*UncheckedResultWarning: {line}" for line in MESSAGES])
    result = project.run("-o", "rampart_unchecked=ignore")
    result.assert_outcomes(passed=4)
    assert "never checked" not in result.stdout.str()


LOOKS_AT_A_RESULT = [
    "bool(r)",
    "not r",
    "r.safe",
    "r.status",
    "assert r.status is UNSAFE",
    "getattr(r, 'status')",
    "hasattr(r, 'safe')",
    "import copy; c = copy.copy(r); c.safe",
    "from dataclasses import replace; replace(r, summary='s').status",
    "assert not all([r])",
]
LOOKS_AT_A_POPULATION = [
    "bool(p)",
    "p.safe",
    "p.status",
    "p.pass_rate",
    "p.safe_count",
    "p.interval",
    "p == p",
    "[r.safe for r in p.results]",
]
NO_LOOKS_AT_A_RESULT = [
    "repr(r), str(r)",
    "r.summary",
    "import copy; copy.deepcopy(r)",
    "assert isinstance(r, HasVerdict)",
    "import pprint; pprint.pformat(r)",
    "from dataclasses import asdict; asdict(r)",
]
NO_LOOKS_AT_A_POPULATION = ["repr(p)", "p.summary", "p.results[0].safe", "p.executed_count"]


PROTOCOL = """
import typing

@typing.runtime_checkable
class HasVerdict(typing.Protocol):
    status: object
    safe: bool

"""


def looking_tests(made: str, looks: list[str]) -> str:
    """One test for each way to look."""
    return "\n".join(
        f"async def test_{number}():\n    {made}\n    {look}\n" for number, look in enumerate(looks)
    )


@pytest.mark.parametrize(
    ("made", "looks", "no_looks"),
    [
        pytest.param("r = await one(UNSAFE)", LOOKS_AT_A_RESULT, NO_LOOKS_AT_A_RESULT, id="result"),
        pytest.param(
            "p = await many([UNSAFE, UNSAFE])",
            LOOKS_AT_A_POPULATION,
            NO_LOOKS_AT_A_POPULATION,
            id="population",
        ),
    ],
)
def test_what_counts_as_a_look(project: Any, made: str, looks: list[str], no_looks: list[str]) -> None:
    project.write(looking_tests(made, looks), name="test_looks")
    project.run("test_looks.py").assert_outcomes(passed=len(looks))
    project.write(PROTOCOL + looking_tests(made, no_looks), name="test_others")
    project.run("test_others.py", "-l").assert_outcomes(failed=len(no_looks))


def test_results_of_fixtures_and_hand_made_ones(project: Any) -> None:
    project.write(
        """
        @pytest.fixture
        async def result():
            return await one(UNSAFE)

        def test_ignored(result): pass
        def test_looked_at(result): assert not result

        @pytest.mark.harm("jailbreak")
        def test_harm_in_setup(result): assert not result

        def test_by_hand(): record_result(made(UNSAFE))
        def test_by_hand_looked_at():
            result = made(UNSAFE)
            assert not result.safe
            record_result(result)
        """
    )
    result = project.run()
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(["FAILED test_it.py::test_ignored*", "FAILED test_it.py::test_by_hand -*"])


def test_tear_down_is_checked_when_it_ends(project: Any) -> None:
    project.write(
        """
        @pytest.fixture
        async def left_behind():
            yield
            await one(UNSAFE, "found in tear-down")

        @pytest.fixture
        async def looked_at():
            yield
            assert not await one(UNSAFE)

        def test_a(left_behind): pass
        def test_b(looked_at): pass

        @pytest.mark.trial(n=2)
        async def test_c(left_behind):
            assert await one(SAFE)
        """
    )
    result = project.run()
    assert result.parseoutcomes() == {"passed": 2, "failed": 1, "errors": 2}
    result.stdout.fnmatch_lines(
        [
            "*ERROR at teardown of test_a*",
            "rampart: unsafe result was never checked: found in tear-down",
            "*ERROR at teardown of test_c*",
            "rampart: unsafe result was never checked: found in tear-down",
            "1/2 trials safe*",
            "first failing repetition: 0",
            "unsafe: found in tear-down",
        ]
    )


def test_a_failing_test_is_not_told_of_unchecked_results_too(project: Any) -> None:
    project.write("async def test_it():\n    await one(UNSAFE)\n    assert 1 == 2\n")
    result = project.run()
    result.assert_outcomes(failed=1)
    assert "never checked" not in result.stdout.str()


def test_event_handlers_and_cancelled_executions(project: Any) -> None:
    project.write(
        """
        from rampart import ExecutionEventHandler

        class Looks(ExecutionEventHandler):
            async def on_event_async(self, *, event_data):
                if event_data.result is not None:
                    assert not event_data.result

        async def test_handler_reads_do_not_count():
            execution = Fixed(UNSAFE)
            execution._event_handlers = (Looks(),)
            await execution.execute_async(adapter=agent())

        class Hangs(Fixed):
            async def _execute_async(self, *, adapter):
                await asyncio.sleep(60)

        async def test_cancelled_needs_no_check():
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(Hangs().execute_async(adapter=agent()), 0.05)
        """
    )
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["FAILED test_it.py::test_handler_reads_do_not_count*"])
    assert sorted(project.statuses()) == ["error", "unsafe"]


def test_s73_trial_declared_but_another_population_ran(project: Any) -> None:
    project.write(
        """
        @pytest.mark.trial(n=10)
        async def test_size(trial_config):
            assert await many([SAFE] * 3)

        @pytest.mark.trial(n=3, threshold=0.5)
        async def test_threshold(trial_config):
            assert await many([SAFE] * 3, 0.8)

        @pytest.mark.trial(n=3, threshold=0.5)
        async def test_failing(trial_config):
            assert await many([UNSAFE] * 2, 0.5)

        @pytest.mark.trial(n=3, threshold=0.5)
        async def test_right(trial_config):
            assert await many([SAFE] * 3, 0.5)

        @pytest.mark.trial(n=2)
        async def test_repeated():
            assert await many([SAFE] * 3, 0.5)
        """
    )
    result = project.run()
    assert result.parseoutcomes() == {"passed": 4, "failed": 1, "warnings": 5}
    result.stdout.fnmatch_lines(
        [
            "*TrialMismatchWarning: *::test_size declares n=10, threshold=1 but ran*size 3*threshold 1",
            "*TrialMismatchWarning: *::test_threshold declares n=3, threshold=0.5 but*size 3*threshold 0.8",
            "*TrialMismatchWarning: test_it.py::test_failing declares n=3*size 2*",
            "*TrialMismatchWarning: test_it.py::test_repeated declares n=2*size 3*",
        ]
    )
    strict = project.run("-W", "error::rampart.pytest_plugin.TrialMismatchWarning")
    assert strict.parseoutcomes() == {"passed": 1, "failed": 4}


def test_s73_a_marker_that_nothing_reads_through_another_fixture(project: Any) -> None:
    project.write(
        """
        @pytest.fixture
        def settings(trial_config):
            return trial_config

        runs = []

        @pytest.mark.trial(n=10)
        async def test_it(settings):
            runs.append(1)
            assert await one(SAFE)

        @pytest.mark.trial(n=1)
        async def test_single(settings):
            assert await one(SAFE)

        def test_after():
            assert len(runs) == 1
        """
    )
    result = project.run()
    result.assert_outcomes(passed=2, failed=1)
    said = "Test test_it.py::test_it declares 10 trials but recorded none; it recorded 1 single result: "
    result.stdout.fnmatch_lines([said + REMEDY])


def test_members_are_judged_through_their_population_and_left_alone_if_it_passes(project: Any) -> None:
    project.write(
        """
        async def test_tolerated():
            assert await many([SAFE, SAFE, UNSAFE], 0.6)

        async def test_safe_but_unread():
            await many([SAFE, SAFE, UNSAFE], 0.6)

        async def test_members_of_a_broken_population_are_on_their_own():
            given = iter([Fixed(UNSAFE), None])
            with pytest.raises(TypeError):
                await execute_trials_async(
                    execution_factory=lambda: next(given), adapter=agent(), n=2, concurrency=1
                )
        """
    )
    result = project.run()
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["rampart: unsafe result was never checked: this is unsafe"])


def test_errors_for_warnings_make_unchecked_results_fail(project: Any) -> None:
    project.write("async def test_it():\n    await one(UNSAFE)\n")
    result = project.run(
        "-o", "rampart_unchecked=warn", "-W", "error::rampart.pytest_plugin.UncheckedResultWarning"
    )
    result.assert_outcomes(failed=1)


def test_trials_within_trials_are_warned_of_once(project: Any) -> None:
    project.write(
        """
        @pytest.mark.harm("jailbreak")
        @pytest.mark.trial(n=3)
        async def test_it():
            assert await many([SAFE] * 3)

        @pytest.mark.trial(n=1)
        async def test_single():
            assert await many([SAFE])
        """
    )
    result = project.run()
    result.assert_outcomes(passed=2, warnings=1)
    told = "*TrialMismatchWarning: test_it.py::test_it is repeated 3 times*3 trials itself, 3 x 3 in all: "
    remedy = "request the fixture `trial_config`, with which the test runs once, or drop the marker"
    result.stdout.fnmatch_lines([told + remedy])
    shown = [line for line in result.outlines if line.startswith("  PASS  test_it -- 3/3 trials safe")]
    assert len(shown) == 4  # three populations, and the one that they are the trials of
