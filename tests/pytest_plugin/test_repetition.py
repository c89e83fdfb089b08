"""Repetition: one item, one outcome, n fresh runs of the test."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest


def test_s73_the_body_runs_n_times_with_fresh_fixtures_in_one_item(project: Any) -> None:
    project.write(
        """
        seen, instances, made_wide = [], [], []

        @pytest.fixture(scope="module", autouse=True)
        def wide():
            made_wide.append("up")
            yield
            assert made_wide == ["up"]
            assert len(seen) == len(set(seen)) == 10

        @pytest.fixture
        async def fresh(tmp_path):
            token = object()
            seen.append(token)
            yield token
            assert seen[-1] is token

        @pytest.mark.trial(n=10)
        async def test_it(fresh, tmp_path, monkeypatch, capsys, request):
            assert fresh is seen[-1]
            assert not list(tmp_path.iterdir())
            (tmp_path / "mine").touch()
            monkeypatch.setenv("RAMPART_SEEN", str(len(seen)))
            print("said", len(seen))
            assert capsys.readouterr().out == f"said {len(seen)}\\n"
            assert request.getfixturevalue("fresh") is fresh
            assert await one(SAFE)

        class TestC:
            def setup_method(self):
                self.count = 0
                instances.append(self)

            @pytest.mark.trial(n=4)
            def test_method(self, request):
                assert self is instances[-1] is request.instance
                assert len(set(map(id, instances))) == len(instances)
                assert self.count == 0
                self.count += 1
                assert one_now(SAFE)

        def test_end():
            assert len(instances) == 4
        """
    )
    result = project.run("-v")
    result.assert_outcomes(passed=3)
    dump = project.dump
    assert dump["totals"] == [14, 14, 0, 0, 0]
    assert [result["index"] for result in dump["results"] if result["name"] == "test_it"] == list(range(10))
    members = [result["population"] for result in dump["results"] if result["name"] == "test_it"]
    assert [member[1:] for member in members] == [[index, 10, 1.0] for index in range(10)]
    assert len({member[0] for member in members}) == 1
    assert [(p["size"], p["executed"], p["status"]) for p in dump["populations"]] == [
        (4, 4, "safe"),
        (10, 10, "safe"),
    ]


def test_s66_parametrize_times_trial(project: Any) -> None:
    project.write(
        """
        @pytest.mark.parametrize("city", ["rome", "oslo", "bonn"])
        @pytest.mark.trial(n=2, threshold=1.0)
        async def test_it(city):
            result = await one(UNSAFE if city == "oslo" else SAFE)
            assert result, result.summary
        """
    )
    result = project.run()
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*FAILED test_it.py::test_it[[]oslo[]]*0/2 trials safe*"])
    dump = project.dump
    assert len(dump["results"]) == 6
    assert {(p["pytest_nodeid"], p["safe_count"], p["status"]) for p in dump["populations"]} == {
        ("test_it.py::test_it[rome]", 2, "safe"),
        ("test_it.py::test_it[oslo]", 0, "unsafe"),
        ("test_it.py::test_it[bonn]", 2, "safe"),
    }


def test_s67_a_wide_adapter_opens_one_session_a_trial(project: Any) -> None:
    project.write(
        """
        from rampart import Probes
        from rampart.evaluators import ResponseContains, ResponseScope

        made = []

        @pytest.fixture(scope="module")
        def adapter():
            made.append(agent())
            yield made[0]
            assert (made[0].opened, made[0].closed) == (4, 4)
            open("checked", "w").close()

        @pytest.mark.trial(n=4)
        async def test_it(adapter):
            evaluator = ResponseContains("ok", scope=ResponseScope.ALL_TURNS)
            assert await Probes.behavior(prompt="x", evaluator=evaluator).execute_async(adapter=adapter)
            assert len(made) == 1
        """
    )
    project.run().assert_outcomes(passed=1)
    assert (project.path / "checked").exists()


def test_the_threshold_decides_and_the_first_failure_is_shown(project: Any) -> None:
    project.write(
        """
        count = 0

        @pytest.mark.trial(n=4, threshold=0.5)
        async def test_tolerated():
            global count
            count += 1
            assert await one(SAFE if count > 2 else UNSAFE)

        @pytest.mark.trial(n=4, threshold=0.8)
        async def test_shown():
            global count
            count += 1
            result = await one(UNSAFE if count == 6 else SAFE)
            assert result, "what the assertion says"

        @pytest.mark.trial(n=2)
        async def test_nothing_raised():
            await one(UNDETERMINED, "cannot tell")
            await one(SAFE)

        @pytest.mark.trial(n=3, threshold=0.0)
        def test_no_results(): pass
        """
    )
    result = project.run()
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        [
            "3/4 trials safe (75.0% pass rate, 95% interval: 30.1%-95.4%, threshold: 80.0%); status: unsafe",
            "first failing repetition: 1",
            "*what the assertion says*",
            "0/2 trials safe (0.0% pass rate, *: 0.0%-65.8%, threshold: 100.0%); status: undetermined",
            "first failing repetition: 0",
            "undetermined: cannot tell",
            "0/3 trials safe*threshold: 0.0%*; status: undetermined",
            "first failing repetition: 0",
            "no result was recorded",
        ]
    )
    assert "_repetition.py" not in result.stdout.str()


def test_s53_the_failure_text_tells_rate_and_threshold_apart(project: Any) -> None:
    project.write(
        """
        count = 0

        marked = [pytest.param(t, marks=pytest.mark.trial(3, t)) for t in (0.67, 2/3, 0.66)]

        @pytest.mark.parametrize("threshold", marked)
        async def test_it(threshold):
            global count
            count += 1
            assert await one(UNSAFE if count % 3 == 0 else SAFE)
        """
    )
    result = project.run()
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["2/3 trials safe (66.7% pass rate, *, threshold: 67.0%); status: unsafe"])


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        pytest.param("raise KeyError('boom')", "KeyError: 'boom'", id="another-exception"),
        pytest.param("assert await one(SAFE); assert 1 == 2", "assert 1 == 2", id="assertion-beside-safe"),
        pytest.param("assert 1 == 2", "assert 1 == 2", id="assertion-without-results"),
        pytest.param("pytest.fail('stop')", "Failed: stop", id="fail-without-results"),
        pytest.param(
            "await many([SAFE, UNSAFE], 0.5); assert 1 == 2",
            "assert 1 == 2",
            id="assertion-beside-a-tolerant-population",
        ),
    ],
)
def test_what_is_no_outcome_of_a_trial_fails_the_item_at_once(project: Any, body: str, shown: str) -> None:
    project.write(
        f"""
        runs = []

        @pytest.mark.trial(n=3, threshold=0.0)
        async def test_it():
            runs.append(1)
            if len(runs) == 2:
                {body}
            assert await one(SAFE)

        def test_after():
            assert len(runs) == 2
        """
    )
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"*{shown}*"])
    assert [p["status"] for p in project.dump["populations"] if p["size"] == 3] == [None]


def test_fail_beside_a_bad_verdict_is_an_outcome_and_an_inner_population_counts_with_its_verdict(
    project: Any,
) -> None:
    project.write(
        """
        count = 0

        @pytest.mark.trial(n=4, threshold=0.5)
        async def test_it():
            global count
            count += 1
            if count == 1:
                await one(UNSAFE)
                pytest.fail("seen")
            if count == 2:
                assert await many([SAFE, UNSAFE, UNSAFE], 0.9)
            if count == 3:
                assert await many([SAFE, SAFE, UNSAFE], 0.6)
            if count == 4:
                assert await one(SAFE)
        """
    )
    result = project.run("-W", "ignore::rampart.pytest_plugin.TrialMismatchWarning")
    result.assert_outcomes(passed=1)
    outer = [p for p in project.dump["populations"] if p["size"] == 4]
    assert [(p["executed"], p["safe_count"], p["status"]) for p in outer] == [(4, 2, "safe")]
    inner = sorted((p["threshold"], p["status"]) for p in project.dump["populations"] if p["size"] == 3)
    assert inner == [(0.6, "safe"), (0.9, "unsafe")]


@pytest.mark.parametrize(
    ("when", "shown"),
    [("before", "*E * OSError: no set-up*"), ("after", "*E * OSError: no tear-down*")],
    ids=["set-up", "tear-down"],
)
def test_errors_of_fixtures_between_repetitions_belong_to_the_call(
    project: Any, when: str, shown: str
) -> None:
    project.write(
        f"""
        runs = []

        @pytest.fixture
        def fragile():
            if runs and {when == "before"}:
                raise OSError("no set-up")
            runs.append(1)
            yield
            if {when == "after"} and len(runs) < 3:
                raise OSError("no tear-down")

        @pytest.mark.trial(n=3)
        def test_it(fragile):
            assert one_now(SAFE)

        def test_after():
            assert len(runs) == 1
        """
    )
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([shown])
    assert [(p["executed"], p["status"]) for p in project.dump["populations"]] == [(1, None)]


def test_errors_of_the_items_own_phases_are_errors(project: Any) -> None:
    project.write(
        """
        @pytest.fixture
        def no_setup(): raise OSError("no set-up")

        runs = []

        @pytest.fixture
        def no_teardown():
            yield
            if len(runs) == 2:
                raise OSError("no tear-down")

        @pytest.mark.trial(n=2)
        def test_a(no_setup): pass

        @pytest.mark.trial(n=2)
        def test_b(no_teardown):
            runs.append(1)
            assert one_now(SAFE)
        """
    )
    project.run().assert_outcomes(passed=1, errors=2)


def test_s68_skips_end_the_item_and_say_how_many_trials_ran(project: Any) -> None:
    project.write(
        """
        import unittest

        runs = []

        @pytest.mark.trial(n=5)
        async def test_first():
            pytest.skip("no key")
            await one(SAFE)

        @pytest.mark.trial(n=5)
        async def test_third():
            runs.append(1)
            if len(runs) == 3:
                pytest.skip("no key")
            assert await one(UNSAFE if len(runs) == 1 else SAFE)

        @pytest.mark.trial(n=5)
        async def test_factory(trial_config):
            made = []

            def factory():
                made.append(1)
                if len(made) == 3:
                    raise unittest.SkipTest("no key")
                return Fixed(SAFE)

            await execute_trials_async(
                execution_factory=factory, adapter=agent(), n=trial_config.n, concurrency=1
            )

        @pytest.mark.trial(n=5)
        async def test_inside(trial_config):
            given = iter([Fixed(SAFE), Fixed(SAFE), Fixed(pytest.skip.Exception("no key"))])
            await execute_trials_async(
                execution_factory=lambda: next(given), adapter=agent(), n=trial_config.n, concurrency=1
            )

        @pytest.fixture(scope="module")
        def no_key():
            pytest.skip("no key")

        @pytest.mark.trial(n=5)
        def test_fixture(no_key): pass

        @pytest.mark.trial(n=5)
        def test_fixture_again(no_key): pass

        def test_plain(no_key): pass
        """
    )
    result = project.run("-rs")
    assert result.ret == 0
    result.assert_outcomes(skipped=7)
    lines = [line for line in result.outlines if line.startswith("SKIPPED")]
    assert sum(line.count("no key (0 of 5 trials ran)") for line in lines) == 3
    assert sum(line.count("no key (2 of 5 trials ran)") for line in lines) == 3
    assert sum(line.endswith("no key") for line in lines) == 1
    assert all("test_it.py:" in line or "kit.py:" in line for line in lines), lines
    populations = {p["pytest_nodeid"].partition("::")[2]: p for p in project.dump["populations"]}
    assert sorted(populations) == ["test_factory", "test_inside", "test_third"]
    for population in populations.values():
        assert (population["status"], population["executed"], population["size"]) == (None, 2, 5)
        assert population["decided_early"] is False
    assert project.dump["totals"][:3] == [6, 5, 1]
    in_journal = [line["population"]["status"] for line in project.journal_lines() if "population" in line]
    assert in_journal == [None, None, None]


def test_s69_xfail(project: Any) -> None:
    project.write(
        """
        @pytest.mark.xfail(strict=True)
        @pytest.mark.trial(n=3)
        async def test_expected():
            assert await one(UNSAFE)

        @pytest.mark.xfail(raises=AssertionError, strict=True)
        @pytest.mark.trial(n=3)
        async def test_expected_kind():
            assert await one(UNSAFE)

        @pytest.mark.xfail(raises=OSError)
        @pytest.mark.trial(n=3)
        async def test_wrong_kind():
            assert await one(UNSAFE)

        @pytest.mark.xfail(strict=True)
        @pytest.mark.trial(n=3)
        async def test_too_good():
            assert await one(SAFE)

        runs = []

        @pytest.mark.trial(n=3)
        async def test_in_the_body():
            runs.append(1)
            await one(UNSAFE)
            if len(runs) == 2:
                pytest.xfail("known")
        """
    )
    result = project.run()
    result.assert_outcomes(xfailed=3, failed=2)
    result.stdout.fnmatch_lines(["*XPASS(strict)*"])
    counts = dict.fromkeys(("test_expected", "test_expected_kind", "test_wrong_kind", "test_too_good"), 0)
    for entry in project.dump["results"]:
        if entry["name"] in counts:
            counts[entry["name"]] += 1
            assert entry["status"] == ("safe" if entry["name"] == "test_too_good" else "unsafe")
    assert set(counts.values()) == {3}


def test_s69_an_expected_failure_alone_keeps_the_exit_status(project: Any) -> None:
    project.write(
        """
        @pytest.mark.xfail
        @pytest.mark.trial(n=3)
        async def test_expected():
            assert await one(UNSAFE)
        """
    )
    assert project.run().ret == 0


def test_s72_x_lets_the_group_finish_and_stops_after_it(project: Any) -> None:
    project.write(
        """
        @pytest.mark.trial(n=4, threshold=1.0)
        async def test_a():
            assert await one(UNSAFE)

        async def test_b():
            open("ran", "w").close()
        """
    )
    result = project.run("-x")
    assert result.ret == 1
    result.assert_outcomes(failed=1)
    assert project.statuses() == ["unsafe"] * 4
    assert project.dump["metadata"] == {}
    assert not (project.path / "ran").exists()
    assert project.run("--maxfail=1").ret == 1
    assert len(project.dump["results"]) == 4
    assert project.run("--sw").ret == pytest.ExitCode.INTERRUPTED
    assert len(project.dump["results"]) == 4
    assert project.dump["metadata"] == {}


def test_s71_last_failed_runs_all_trials_again_and_ids_are_stable(project: Any) -> None:
    project.write(
        """
        @pytest.mark.trial(n=3)
        async def test_bad():
            assert await one(UNSAFE)

        async def test_good():
            assert await one(SAFE)
        """
    )
    project.run().assert_outcomes(failed=1, passed=1)
    result = project.run("--lf")
    result.assert_outcomes(failed=1)
    assert [entry["name"] for entry in project.dump["results"]] == ["test_bad"] * 3
    listings = [project.run("--collect-only", "-q").outlines for _ in range(2)]
    assert listings[0][:2] == listings[1][:2] == ["test_it.py::test_bad", "test_it.py::test_good"]


def test_s70_reruns_count_the_last_attempt_and_keep_all(project: Any) -> None:
    project.write(
        """
        attempts = []

        @pytest.fixture(autouse=True)
        def attempt(request):
            attempts.append(request.node.execution_count)

        @pytest.mark.trial(n=2)
        async def test_it():
            result = await one(SAFE if attempts[-1] == 2 else UNSAFE)
            assert result, result.summary
        """
    )
    result = project.run("--reruns", "1")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["  PASS  test_it -- 2/2 trials safe*", "Population: 2 runs*", "*1 passed, 1 rerun*"]
    )
    dump = project.dump
    assert dump["totals"] == [2, 2, 0, 0, 0]
    assert [(entry["attempt"], entry["status"]) for entry in dump["results"]] == [
        (0, "unsafe"),
        (0, "unsafe"),
        (1, "safe"),
        (1, "safe"),
    ]
    assert [entry["index"] for entry in dump["results"]] == [0, 1, 2, 3]
    assert [(p["safe_count"], p["status"]) for p in dump["populations"]] == [(2, "safe")]
    lines = project.journal_lines()
    assert [line["result"]["metadata"]["_rampart_attempt"] for line in lines if "result" in line] == [
        0,
        0,
        1,
        1,
    ]
    assert [line["population"]["status"] for line in lines if "population" in line] == ["unsafe", "safe"]


def test_a_plugin_that_says_nothing_of_attempts(project: Any) -> None:
    (project.path / "conftest.py").write_text(
        (project.path / "conftest.py").read_text()
        + """

def pytest_runtest_protocol(item, nextitem):
    from _pytest.runner import runtestprotocol

    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for log in (False, True):
        runtestprotocol(item, nextitem=nextitem, log=log)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
"""
    )
    project.write(
        """
        runs = []

        async def test_it():
            runs.append(1)
            assert await one(UNSAFE if len(runs) == 1 else SAFE)
        """
    )
    assert project.run().ret == 0
    assert [(entry["attempt"], entry["status"]) for entry in project.dump["results"]] == [
        (0, "unsafe"),
        (1, "safe"),
    ]
    assert project.dump["totals"] == [1, 1, 0, 0, 0]


def test_each_repetition_has_its_own_output_section(project: Any) -> None:
    project.write(
        """
        import sys

        runs = []

        @pytest.fixture(autouse=True)
        def talk():
            print("set-up", len(runs))
            yield
            print("tear-down", len(runs))

        @pytest.mark.trial(n=3)
        def test_it():
            runs.append(1)
            print("body", len(runs))
            print("error", len(runs), file=sys.stderr)
            assert one_now(UNSAFE)
        """
    )
    result = project.run("--junitxml=j.xml", "-p", "no:logging")
    result.stdout.fnmatch_lines(
        [
            "*Captured stdout setup*",
            "set-up 0",
            "*Captured stdout (repetition 0) call*",
            "body 1",
            "*Captured stderr (repetition 0) call*",
            "error 1",
            "*Captured stdout (repetition 1) call*",
            "tear-down 1",
            "set-up 1",
            "body 2",
            "*Captured stdout (repetition 2) call*",
            "body 3",
            "*Captured stdout teardown*",
            "tear-down 3",
        ]
    )
    cases = ET.parse(project.path / "j.xml").getroot().findall(".//testcase")
    assert len(cases) == 1


@pytest.mark.parametrize(
    "flags",
    [("-s",), ("-p", "no:capture"), ("-p", "no:logging"), ("-p", "no:cacheprovider"), ("-p", "no:terminal")],
    ids=lambda flags: "-".join(flags),
)
def test_repetition_without_plugins_of_pytest(project: Any, flags: tuple[str, ...]) -> None:
    project.write(
        """
        @pytest.mark.trial(n=3, threshold=0.5)
        async def test_it(tmp_path):
            print("said")
            assert await one(SAFE)
        """
    )
    result = project.run_apart(*flags)
    assert result.ret == 0, result.stderr.str()
    assert project.statuses() == ["safe"] * 3


def test_logs_start_afresh_and_reports_reach_the_usual_recipe(project: Any) -> None:
    (project.path / "conftest.py").write_text(
        (project.path / "conftest.py").read_text()
        + """

phase_report = pytest.StashKey()

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    item.stash.setdefault(phase_report, {})[report.when] = report.outcome
    return report

@pytest.fixture(autouse=True)
def ended(request):
    yield
    with open("ended", "a") as file:
        print(request.node.stash[phase_report]["call"], file=file)
"""
    )
    project.write(
        """
        import logging

        runs = []

        @pytest.mark.trial(n=3, threshold=0.3)
        def test_it(caplog):
            runs.append(1)
            logging.getLogger("mine").warning("run %d", len(runs))
            assert [record.getMessage() for record in caplog.records] == [f"run {len(runs)}"]
            assert one_now(UNSAFE if len(runs) == 1 else SAFE)
        """
    )
    project.run().assert_outcomes(passed=1)
    assert (project.path / "ended").read_text().split() == ["failed", "passed", "passed"]


def test_the_override_changes_n_and_never_the_threshold(project: Any) -> None:
    project.write(
        """
        @pytest.mark.trial(n=2, threshold=0.5)
        async def test_repeated():
            assert await one(SAFE)

        @pytest.mark.trial(n=2, threshold=0.5)
        async def test_declared(trial_config):
            assert (trial_config.n, trial_config.threshold) == (5, 0.5)
            assert await many([SAFE] * trial_config.n, trial_config.threshold)

        async def test_unmarked():
            assert await one(SAFE)
        """
    )
    project.run("--rampart-trials=5").assert_outcomes(passed=3)
    assert [(p["size"], p["threshold"]) for p in project.dump["populations"]] == [(5, 0.5), (5, 0.5)]
    assert project.dump["totals"][0] == 11


def test_repetition_under_pytest_asyncio_and_anyio(project: Any) -> None:
    project.write(
        """
        import pytest_asyncio

        loops = []

        @pytest_asyncio.fixture
        async def made():
            loops.append(asyncio.get_running_loop())
            yield 3

        @pytest.mark.asyncio
        @pytest.mark.trial(n=3, threshold=0.6)
        async def test_asyncio(made):
            assert asyncio.get_running_loop() is loops[-1]
            assert await one(SAFE if len(loops) > 1 else UNSAFE)

        @pytest.fixture
        def anyio_backend():
            return "asyncio"

        runs = []

        @pytest.mark.anyio
        @pytest.mark.trial(n=3, threshold=0.6)
        async def test_anyio(anyio_backend):
            runs.append(1)
            assert await one(SAFE if len(runs) > 1 else UNSAFE)

        def test_end():
            assert (len(loops), len(runs)) == (3, 3)
        """
    )
    scope = ("-o", "asyncio_default_fixture_loop_scope=function")
    result = project.pytester.runpytest_inprocess("-W", "default", "-p", "no:hypothesispytest", *scope)
    result.assert_outcomes(passed=3)
    assert project.dump["totals"] == [6, 4, 2, 0, 0]


def test_under_the_debugger_the_first_failure_itself_is_shown(project: Any) -> None:
    project.write(
        """
        runs = []

        @pytest.mark.trial(n=3)
        async def test_it():
            runs.append(1)
            result = await one(UNSAFE if len(runs) == 2 else SAFE)
            here = "where the test failed"
            assert result, f"in run {len(runs)}"
        """
    )
    # A debugger that only says where it is, so that no terminal is needed.
    (project.path / "debugger.py").write_text(
        "class Debugger:\n"
        "    quitting = False\n"
        "    def __init__(self, *args, **kwargs): pass\n"
        "    def reset(self): pass\n"
        "    def interaction(self, frame, traceback):\n"
        "        while getattr(traceback, 'tb_next', None): traceback = traceback.tb_next\n"
        "        frame = getattr(traceback, 'tb_frame', frame)\n"
        "        print('stopped in', frame and frame.f_code.co_name, type(traceback).__name__)\n"
    )
    result = project.run_apart("--pdb", "--pdbcls=debugger:Debugger")
    result.stdout.fnmatch_lines(["*AssertionError: in run 2*"])
    result.stdout.no_fnmatch_line("*first failing repetition*")
    assert result.ret == 1
    assert project.statuses() == ["safe", "unsafe", "safe"]


@pytest.mark.skipif(pytest.version_tuple < (9,), reason="subtests are new in pytest 9")
def test_subtests_and_hypothesis_in_a_repeated_test(project: Any) -> None:
    project.write(
        """
        from hypothesis import given, settings, strategies

        runs, examples = [], []

        @pytest.mark.trial(n=3)
        def test_subtests(subtests):
            for number in range(2):
                with subtests.test(number=number):
                    runs.append(number)
            assert one_now(SAFE)

        @pytest.mark.trial(n=2)
        @given(strategies.integers())
        @settings(max_examples=3)
        def test_examples(number):
            examples.append(number)
            record_result(made(SAFE))

        def test_end():
            assert runs == [0, 1] * 3
            assert len(examples) == 6
        """
    )
    result = project.pytester.runpytest_inprocess("-W", "default", "-p", "no:asyncio")
    assert result.ret == 0
    assert project.dump["totals"] == [9, 9, 0, 0, 0]
    assert [(p["size"], p["executed"]) for p in project.dump["populations"]] == [(2, 2), (3, 3)]


def test_what_cannot_be_shown_still_fails_as_it_should(project: Any) -> None:
    project.write(
        """
        class Nasty(AssertionError):
            def __str__(self): raise OSError("no text")

        @pytest.mark.trial(n=2)
        async def test_it():
            await one(UNSAFE)
            raise Nasty
        """
    )
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["0/2 trials safe*", "first failing repetition: 0"])


@pytest.mark.parametrize("mode", ["auto", "marked"])
def test_s96_rampart_tests_run_in_every_mode(project: Any, mode: str) -> None:
    project.write(
        """
        ran = []

        @pytest.fixture
        async def number(): return 3

        @pytest.mark.harm("jailbreak")
        async def test_harm(number):
            ran.append("harm")
            assert number == 3 and await one(SAFE)

        @pytest.mark.trial(n=2)
        async def test_trial(number):
            ran.append("trial")
            assert await one(SAFE)

        async def test_unmarked(number):
            ran.append("unmarked")
            assert await one(SAFE)

        def test_end():
            expected = ["harm", "trial", "trial"]
            assert ran in (expected, [*expected, "unmarked"])
        """
    )
    result = project.run("-o", f"rampart_async={mode}", "-p", "no:anyio")
    outcomes = result.parseoutcomes()
    assert outcomes.pop("passed") == (4 if mode == "auto" else 3)
    assert sum(outcomes.values()) == (
        0 if mode == "auto" else 1
    )  # an error or a failure, by pytest's version
    names = {entry["name"] for entry in project.dump["results"]}
    assert names == {"test_harm", "test_trial"} | ({"test_unmarked"} if mode == "auto" else set())
