"""Populations that tests run themselves, as report, terminal, journal and exit status show them."""

from typing import Any

import pytest

STATUSES = ["safe", "unsafe", "undetermined", "error"]


def test_s58_all_trials_errored(project: Any) -> None:
    project.write(
        """
        @pytest.mark.parametrize("threshold", [1.0, 0.0])
        async def test_it(threshold):
            population = await many([OSError("down")] * 3, threshold)
            assert not population
            assert population.status is ERROR
        """
    )
    result = project.run()
    assert result.ret == 0
    assert project.dump["totals"] == [6, 0, 0, 0, 6]
    assert project.dump["rates"] == [None, None]
    assert [(p["status"], p["interval"]) for p in project.dump["populations"]] == [("error", None)] * 2
    result.stdout.fnmatch_lines(
        ["Population: 6 runs - 0 unsafe (n/a attack success rate), 0 undetermined, 6 errors"]
    )


def test_s59_one_error_sinks_a_population(project: Any) -> None:
    project.write(
        """
        async def test_it():
            population = await many([SAFE] * 4 + [OSError("down")], 0.8)
            assert not population and population.status is ERROR
            assert population.pass_rate == 0.8
        """
    )
    result = project.run()
    assert result.ret == 0
    assert project.dump["totals"] == [5, 4, 0, 0, 1]
    assert project.dump["rates"] == [0.0, 1.0]
    result.stdout.fnmatch_lines(
        [
            "  ERR   test_it -- 4/5 trials safe (80.0% pass rate,*",
            "  ERR   test_it[[]4[]] -- OSError: down*",
            "Population: 5 runs - 0 unsafe (0.0% attack success rate), 0 undetermined, 1 errors",
        ]
    )


@pytest.mark.parametrize(("threshold", "passes"), [(0.8, True), (0.81, False)])
def test_s61_all_views_of_a_verdict_agree(project: Any, threshold: float, passes: bool) -> None:
    project.write(
        f"""
        async def test_function():
            population = await many([SAFE] * 4 + [UNSAFE], {threshold})
            assert population, population.summary

        count = 0

        @pytest.mark.trial(n=5, threshold={threshold})
        async def test_marker():
            global count
            count += 1
            assert await one(UNSAFE if count == 3 else SAFE)

        @pytest.mark.trial(n=5, threshold={threshold})
        async def test_declared(trial_config):
            assert await many([UNSAFE] + [SAFE] * 4, trial_config.threshold)
        """
    )
    result = project.run()
    status, label = ("safe", "PASS") if passes else ("unsafe", "FAIL")
    result.assert_outcomes(**{"passed" if passes else "failed": 3})
    assert result.ret == (0 if passes else 1)
    assert [p["status"] for p in project.dump["populations"]] == [status] * 3
    lines = [line["population"] for line in project.journal_lines() if "population" in line]
    assert [line["status"] for line in lines] == [status] * 3
    assert sorted(lines, key=str) == sorted(project.dump["populations"], key=str)
    for name in ("test_function", "test_marker", "test_declared"):
        result.stdout.fnmatch_lines([f"  {label}  {name} -- 4/5 trials safe*; status: {status}"])


def test_s63_an_unsafe_member_of_a_passing_population_is_listed(project: Any) -> None:
    project.write(
        """
        count = 0

        @pytest.mark.trial(n=10, threshold=0.8)
        async def test_marker():
            global count
            count += 1
            assert await one(UNSAFE if count == 10 else SAFE)

        async def test_function():
            assert await many([UNSAFE] + [SAFE] * 9, 0.8)
        """
    )
    result = project.run()
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "UNCATEGORIZED (20 results)",
            "  PASS  test_function -- 9/10 trials safe (90.0% pass rate, *; status: safe",
            "  FAIL  test_function[[]0[]] -- this is unsafe (tool_only)",
            "  PASS  test_marker -- 9/10 trials safe*",
            "  FAIL  test_marker[[]9[]] -- this is unsafe (tool_only)",
        ]
    )
    assert [p["status"] for p in project.dump["populations"]] == ["safe", "safe"]


def test_s60_counts_agree_in_all_views(project: Any) -> None:
    project.write(
        """
        import asyncio

        @pytest.mark.harm("jailbreak")
        async def test_a():
            for status in (SAFE, UNSAFE, ERROR):
                (await one(status)).safe

        @pytest.mark.harm("data_leakage")
        async def test_b():
            for status in (UNDETERMINED, ERROR):
                (await one(status)).safe
        """
    )
    result = project.run()
    assert result.ret == 0
    dump = project.dump
    assert dump["totals"] == [5, 1, 1, 1, 2]
    by_harm = [(entry["harm"], entry["status"]) for entry in dump["results"]]
    assert sorted(by_harm) == sorted(
        [
            ("jailbreak", "safe"),
            ("jailbreak", "unsafe"),
            ("jailbreak", "error"),
            ("data_leakage", "undetermined"),
            ("data_leakage", "error"),
        ]
    )
    result.stdout.fnmatch_lines(
        [
            "JAILBREAK (3 results)",
            "  FAIL  test_a -- *",
            "  ERR   test_a -- *",
            "  PASS  test_a -- *",
            "DATA_LEAKAGE (2 results)",
            "  ERR   test_b -- *",
            "  WARN  test_b -- *",
            "Population: 5 runs - 1 unsafe (33.3% attack success rate), 1 undetermined, 2 errors",
        ]
    )


def test_populations_are_listed_in_the_order_of_the_report(project: Any) -> None:
    project.write(
        """
        async def test_b():
            await asyncio.gather(many([SAFE] * 2), many([SAFE] * 3))

        async def test_a():
            assert await many([SAFE])
            p = await many([SAFE, SAFE, UNSAFE, SAFE], 0.9, concurrency=1, stop_when_decided=True)
            assert not p
        """
    )
    assert project.run().ret == 0
    figures = [
        (p["pytest_nodeid"], p["size"], p["executed"], p["decided_early"])
        for p in project.dump["populations"]
    ]
    assert figures[:2] == [("test_it.py::test_a", 1, 1, False), ("test_it.py::test_a", 4, 3, True)]
    assert sorted(figures[2:]) == [("test_it.py::test_b", 2, 2, False), ("test_it.py::test_b", 3, 3, False)]


def test_an_interrupted_call_leaves_its_population_without_a_verdict(project: Any) -> None:
    project.write(
        """
        class Slow(Fixed):
            async def _execute_async(self, *, adapter):
                await asyncio.sleep(60)

        async def test_it():
            given = iter([Fixed(SAFE), Slow()])
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await execute_trials_async(
                        execution_factory=lambda: next(given), adapter=agent(), n=2, concurrency=1
                    )
        """
    )
    assert project.run().ret == 0
    assert [(p["executed"], p["safe_count"], p["status"]) for p in project.dump["populations"]] == [
        (2, 1, None)
    ]
