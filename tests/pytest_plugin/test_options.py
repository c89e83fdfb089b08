"""Options: what is refused, and how the settings reach executions."""

from typing import Any

import pytest

COUNT = "expected a positive integer, got"


@pytest.mark.parametrize(
    ("args", "text"),
    [
        *(
            pytest.param((f"--rampart-trials={value}",), f"{COUNT} '{value}'", id=f"trials={value}")
            for value in ("0", "-1", "x", "2.5", "", "1_0", "²")
        ),
        pytest.param(("--rampart-trial-concurrency=0",), f"{COUNT} '0'", id="concurrency"),
        pytest.param(("-o", "rampart_trial_concurrency=many"), f"{COUNT} 'many'", id="ini-concurrency"),
        pytest.param(
            ("-o", "rampart_async=on"), "rampart_async: expected auto or marked, got 'on'", id="async"
        ),
        pytest.param(
            ("-o", "rampart_unchecked=no"),
            "rampart_unchecked: expected fail, warn or ignore, got 'no'",
            id="unchecked",
        ),
        pytest.param(
            ("-o", "rampart_journal=maybe"), "rampart_journal: expected on or off, got 'maybe'", id="journal"
        ),
        pytest.param(
            ("-o", "rampart_journal_keep=-1"),
            "rampart_journal_keep: expected an integer of at least 0, got '-1'",
            id="keep",
        ),
        *(
            pytest.param(
                ("-o", f"rampart_{name}_timeout={value}"),
                f"rampart_{name}_timeout: expected a positive number of seconds, or none, got '{value}'",
                id=f"{name}={value}",
            )
            for name in ("turn", "ready", "cleanup", "execution")
            for value in ("0", "-1", "inf", "soon")
        ),
        pytest.param(
            ("-o", "rampart_cleanup_timeout=none"),
            "rampart_cleanup_timeout: cleanup is always bounded",
            id="no-cleanup",
        ),
    ],
)
def test_an_invalid_value_is_a_usage_error(project: Any, args: tuple[str, ...], text: str) -> None:
    project.write("def test_it(): open('ran', 'w').close()")
    result = project.run(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert text in result.stderr.str()
    assert not (project.path / "ran").exists()


def test_the_defaults_are_those_of_the_engine(project: Any) -> None:
    project.write(
        """
        from rampart import Limits
        from rampart.core.limits import configured_limits, configured_trial_concurrency

        def test_it():
            assert configured_limits() == Limits()
            assert configured_trial_concurrency() == 20
        """
    )
    project.run().assert_outcomes(passed=1)


def test_settings_reach_executions(project: Any) -> None:
    project.pytester.makeini(
        """
        [pytest]
        rampart_turn_timeout = 0.2
        rampart_ready_timeout = none
        rampart_cleanup_timeout = 3
        rampart_execution_timeout = 5.5
        rampart_trial_concurrency = 3
        """
    )
    project.write(
        """
        from rampart import Limits, Probes
        from rampart.evaluators import ResponseContains, ResponseScope
        from rampart.core.limits import configured_limits, configured_trial_concurrency

        def test_limits(request):
            assert configured_limits() == Limits(
                turn_timeout_s=0.2, ready_timeout_s=None, cleanup_timeout_s=3.0, execution_timeout_s=5.5
            )
            expected = 2 if request.config.getoption("rampart_trial_concurrency") else 3
            assert configured_trial_concurrency() == expected

        running, most = set(), []

        class Counted(Fixed):
            async def _execute_async(self, *, adapter):
                running.add(self)
                most.append(len(running))
                await asyncio.sleep(0.01)
                running.discard(self)
                return made(SAFE)

        async def test_concurrency(request):
            assert await execute_trials_async(execution_factory=Counted, adapter=agent(), n=9)
            assert max(most) == (2 if request.config.getoption("rampart_trial_concurrency") else 3)

        class Hangs:
            async def __aenter__(self): return self
            async def __aexit__(self, *args): pass
            async def send_async(self, request, /): await asyncio.sleep(60)

        async def test_turn_timeout():
            adapter = agent()
            async def create(): return Hangs()
            adapter.create_session_async = create
            evaluator = ResponseContains("ok", scope=ResponseScope.ALL_TURNS)
            result = await Probes.behavior(prompt="x", evaluator=evaluator).execute_async(adapter=adapter)
            assert result.status is ERROR and "send_async (turn 0) timed out after 0.2 s" in result.summary
        """
    )
    project.run().assert_outcomes(passed=3)
    project.run("--rampart-trial-concurrency=2").assert_outcomes(passed=3)


@pytest.mark.parametrize(
    "section",
    [
        pytest.param("[tool.pytest.ini_options]", id="ini-style"),
        pytest.param(
            "[tool.pytest]",
            id="native",
            marks=pytest.mark.skipif(pytest.version_tuple < (9,), reason="new in pytest 9"),
        ),
    ],
)
def test_toml_files(project: Any, section: str) -> None:
    project.pytester.makepyprojecttoml(
        f"""
        {section}
        rampart_unchecked = "ignore"
        rampart_trial_concurrency = "4"
        rampart_turn_timeout = "1.5"
        """
    )
    project.write(
        """
        from rampart.core.limits import configured_limits, configured_trial_concurrency

        async def test_it():
            await one(UNSAFE)
            assert configured_trial_concurrency() == 4
            assert configured_limits().turn_timeout_s == 1.5
        """
    )
    project.run().assert_outcomes(passed=1)


def test_options_show_in_the_help(project: Any) -> None:
    output = project.run("--help").stdout.str()
    for name in (
        "--rampart-trials=N",
        "--rampart-trial-concurrency=N",
        "rampart_async",
        "rampart_journal_keep",
    ):
        assert name in output
