"""Which test a result belongs to, and what becomes of one that belongs to none."""

from typing import Any

import pytest

from rampart.records import iter_records


def test_results_carry_their_place(project: Any) -> None:
    project.write(
        """
        async def test_plain():
            kept = await one(SAFE)
            assert kept and kept.metadata == {}
            by_hand = made(SAFE, metadata={"mine": 1})
            assert by_hand
            record_result(by_hand)
            assert by_hand.metadata == {"mine": 1}

        @pytest.mark.parametrize("x", ["a/b"])
        async def test_parameter(x):
            assert await one(SAFE)

        @pytest.mark.trial(n=2)
        async def test_repeated():
            assert await one(SAFE)
            assert await one(SAFE)
        """
    )
    assert project.run().ret == 0
    places = [(entry["nodeid"], entry["name"], entry["index"]) for entry in project.dump["results"]]
    assert places == [
        ("test_it.py::test_parameter[a/b]", "test_parameter[a/b]", 0),
        ("test_it.py::test_plain", "test_plain", 0),
        ("test_it.py::test_plain", "test_plain", 1),
        *(("test_it.py::test_repeated", "test_repeated", index) for index in range(4)),
    ]
    assert all(entry["attempt"] is None for entry in project.dump["results"])
    records = list(iter_records(path=project.journals[-1]))
    assert [(record.pytest_nodeid, record.result_index) for record in records][:2] == [
        ("test_it.py::test_plain", 0),
        ("test_it.py::test_plain", 1),
    ]
    assert records[1].result.metadata["mine"] == 1


def test_an_object_is_counted_once_a_test(project: Any) -> None:
    project.write(
        """
        from dataclasses import replace

        kept = []

        async def test_a():
            result = await one(SAFE)
            assert result
            kept.append(result)
            record_result(result)
            record_result(result)
            record_result(replace(result, summary="a copy is another result"))

        async def test_b():
            record_result(kept[0])

        @pytest.mark.trial(n=2)
        async def test_c():
            record_result(kept[0])
        """
    )
    assert project.run().ret == 0
    names = [entry["name"] for entry in project.dump["results"]]
    assert names == ["test_a", "test_a", "test_b", "test_c", "test_c"]


def test_an_object_that_comes_back_with_another_verdict_is_another_result(project: Any) -> None:
    project.write(
        """
        class Same(Fixed):
            kept = made(SAFE)

            async def _execute_async(self, *, adapter):
                return self.kept

        async def test_it():
            assert await Same().execute_async(adapter=agent())
            Same.kept.status = UNSAFE
            await Same().execute_async(adapter=agent())

        def test_by_hand():
            result = made(SAFE)
            record_result(result)
            record_result(result)
            result.status = UNSAFE
            record_result(result)

        async def test_trials():
            Same.kept.status = SAFE
            assert await execute_trials_async(execution_factory=Same, adapter=agent(), n=3, concurrency=1)
        """
    )
    result = project.run()
    result.assert_outcomes(passed=1, failed=2)
    assert [(entry["name"], entry["status"]) for entry in project.dump["results"]] == [
        ("test_by_hand", "safe"),
        ("test_by_hand", "unsafe"),
        ("test_it", "safe"),
        ("test_it", "unsafe"),
        *[("test_trials", "safe")] * 3,
    ]


def test_a_result_that_claims_to_be_a_member_is_judged_by_itself(project: Any) -> None:
    project.write(
        """
        async def test_it():
            population = await many([SAFE, SAFE])
            record_result(made(UNSAFE, "not of the trials", population=population.results[0].population))
            assert population

        async def test_recorded_again():
            population = await many([SAFE, UNSAFE], threshold=0.5)
            record_result(population.results[1])
            assert population
        """
    )
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["rampart: unsafe result was never checked: not of the trials"])
    assert len(project.dump["populations"]) == 2
    assert len(project.dump["results"]) == 5


@pytest.mark.parametrize(
    "entry",
    [
        {"_rampart_attempt": 1},
        {"_rampart_attempt": "x"},
        {"_rampart_result_index": None},
        {"_rampart_source_worker": 3},
        {"_rampart_transport_truncated": True},
        {"_pytest_nodeid": 7, "_pytest_test_name": []},
    ],
    ids=str,
)
def test_entries_with_our_names_are_ours(project: Any, entry: dict[str, Any]) -> None:
    project.write(
        f"""
        def test_it():
            first = made(UNSAFE, "first")
            assert not first
            record_result(first)
            record_result(made(SAFE, "second", metadata={{"mine": 1, **{entry!r}}}))
        """
    )
    result = project.run()
    assert result.ret == 0, project.dump["metadata"]
    assert project.dump["totals"] == [2, 1, 1, 0, 0]
    records = [line["result"]["metadata"] for line in project.journal_lines()]
    assert records[1] == {
        "mine": 1,
        "_pytest_test_name": "test_it",
        "_pytest_nodeid": "test_it.py::test_it",
        "_rampart_result_index": 1,
    }
    result.stdout.fnmatch_lines(["  PASS  test_it -- second (tool_only)"])


def test_outside_of_a_test_nothing_is_collected(project: Any) -> None:
    project.write(
        """
        record_result(made(UNSAFE))
        one_now(UNSAFE)

        def test_it(): pass
        """
    )
    assert project.run().ret == 0
    assert project.dump["results"] == []
    assert not project.journals


def test_without_pytest_nothing_is_collected_and_nothing_fails(project: Any) -> None:
    (project.path / "script.py").write_text(
        "from kit import *\nrecord_result(made(UNSAFE))\nassert not one_now(UNSAFE)\n"
    )
    assert project.pytester.runpython(project.path / "script.py").ret == 0


@pytest.mark.parametrize(
    ("what", "kind"),
    [("'a string'", "str"), ("None", "NoneType")],
)
def test_what_is_no_result_is_logged_and_makes_the_run_incomplete(project: Any, what: str, kind: str) -> None:
    project.write(f"def test_it(): record_result({what})")
    result = project.run("--log-level=WARNING")
    assert result.ret == 1
    result.assert_outcomes(passed=1)
    assert project.dump["metadata"]["incomplete"] is True
    reason = (
        f"a result of test_it.py::test_it could not be collected: TypeError: expected a Result, got {kind}"
    )
    assert project.dump["metadata"]["incomplete_reasons"] == [reason]
    result.stdout.fnmatch_lines(["*rampart: incomplete run*", f"  - {reason}"])


def test_what_could_not_be_collected_is_logged_with_its_test(project: Any) -> None:
    project.write("def test_it(): record_result('safe')\ndef test_after(): pass")
    result = project.run("-o", "log_cli=true")
    result.stdout.fnmatch_lines(["*ERROR*a result of test_it.py::test_it could not be collected*"])


def test_a_hand_made_result_with_a_wrong_verdict_never_passes(project: Any) -> None:
    project.write(
        """
        def test_it():
            result = made(SAFE)
            result.status = "safe"
            result.metadata = ["not", "a", "dict"]
            result.safe
            record_result(result)
        """
    )
    assert project.run().ret == 0
    assert project.statuses() == ["error"]
    (summary,) = (entry["summary"] for entry in project.dump["results"])
    assert summary == "the status was 'safe' (str), not a SafetyStatus: this is safe"


def test_a_wrong_verdict_is_told_where_the_test_fails(project: Any) -> None:
    project.write(
        """
        def test_unread():
            record_result(made("safe", "it is said to be safe"))

        def test_read():
            result = made("safe", "it is said to be safe")
            record_result(result)
            assert result
        """
    )
    result = project.run()
    result.assert_outcomes(failed=2)
    seen = "the status was 'safe' (str), not a SafetyStatus: *"
    result.stdout.fnmatch_lines([f"rampart: error result was never checked: {seen}", f"error: {seen}"])


def test_each_source_of_results_counts_for_the_running_test(project: Any) -> None:
    """Fixtures of every scope, tasks and threads that they or the test started."""
    project.write(
        """
        import threading

        queue = []

        @pytest.fixture(scope="module")
        async def old_task():
            asked = asyncio.Event()

            async def serve():
                while True:
                    await asked.wait()
                    asked.clear()
                    record_result(made(SAFE, "from the old task"))
                    done.set()

            done = asyncio.Event()
            task = asyncio.create_task(serve())
            record_result(made(SAFE, "from a wide fixture"))

            async def ask():
                done.clear()
                asked.set()
                await done.wait()

            yield ask
            record_result(made(SAFE, "from wide tear-down"))
            task.cancel()

        @pytest.fixture(scope="module")
        def old_thread():
            ask, done = threading.Event(), threading.Event()

            def serve():
                while ask.wait() and not queue:
                    ask.clear()
                    record_result(made(SAFE, "from the old thread"))
                    done.set()

            thread = threading.Thread(target=serve)
            thread.start()

            def call():
                done.clear()
                ask.set()
                assert done.wait(10)

            yield call
            queue.append("stop")
            ask.set()
            thread.join()

        @pytest.fixture
        async def narrow():
            record_result(made(SAFE, "from a fixture"))
            yield
            record_result(made(SAFE, "from tear-down"))

        @pytest.mark.parametrize("number", [1, 2, 3])
        async def test_it(number, old_task, old_thread, narrow):
            await old_task()
            old_thread()
            assert await asyncio.create_task(one(SAFE, "from a task"))
            await asyncio.to_thread(record_result, made(SAFE, "from to_thread"))
            thread = threading.Thread(target=record_result, args=(made(SAFE, "from a thread"),))
            thread.start()
            thread.join()
        """
    )
    result = project.run()
    result.assert_outcomes(passed=3)
    assert result.ret == 0, project.dump["metadata"]
    each = {
        "from the old task",
        "from the old thread",
        "from a fixture",
        "from tear-down",
        "from a task",
        "from to_thread",
        "from a thread",
    }
    found: dict[str, list[str]] = {}
    for entry in project.dump["results"]:
        found.setdefault(entry["name"], []).append(entry["summary"])
    assert {name: len(summaries) for name, summaries in found.items()} == {
        "test_it[1]": 8,
        "test_it[2]": 7,
        "test_it[3]": 8,
    }
    assert set(found["test_it[1]"]) == each | {"from a wide fixture"}
    assert set(found["test_it[2]"]) == each
    assert set(found["test_it[3]"]) == each | {"from wide tear-down"}


@pytest.mark.parametrize("mode", ["anyio", "asyncio"])
def test_results_belong_to_their_test_under_other_runners(project: Any, mode: str) -> None:
    """A module-scoped async fixture makes the runner start later tests in the context of the first one."""
    project.write(
        """
        @pytest.fixture(scope="module")
        def anyio_backend():
            return "asyncio"

        @pytest.fixture(scope="module")
        async def wide():
            yield 3

        @pytest.mark.parametrize("number", range(4))
        async def test_it(number, wide):
            assert await one(SAFE, f"result {number}")
            assert await asyncio.create_task(one(SAFE, f"result {number}"))
            await asyncio.to_thread(record_result, made(SAFE, f"result {number}"))
        """
    )
    args = (
        ["-o", "anyio_mode=auto"]
        if mode == "anyio"
        else [
            "-o",
            "asyncio_mode=auto",
            "-o",
            "asyncio_default_fixture_loop_scope=module",
            "-o",
            "asyncio_default_test_loop_scope=module",
        ]
    )
    disabled = ["-p", "no:asyncio"] if mode == "anyio" else ["-p", "no:anyio"]
    result = project.pytester.runpytest_inprocess(
        "-W", "default", "-p", "no:hypothesispytest", *disabled, *args
    )
    result.assert_outcomes(passed=4)
    assert result.ret == 0
    assert len(project.dump["results"]) == 12
    for entry in project.dump["results"]:
        assert entry["name"] == f"test_it[{entry['summary'][-1]}]"


def test_a_runner_that_one_test_has_started_does_not_keep_its_tag(project: Any) -> None:
    project.write(
        """
        @pytest.fixture(scope="module")
        def anyio_backend():
            return "asyncio"

        @pytest.fixture(scope="module")
        async def wide(anyio_backend):
            yield 3

        def test_first(request, anyio_backend):
            assert request.getfixturevalue("wide") == 3

        @pytest.mark.anyio
        async def test_second(wide):
            assert await one(SAFE)
        """
    )
    result = project.run("-p", "anyio")
    result.assert_outcomes(passed=2)
    assert result.ret == 0, project.dump["metadata"]
    assert [entry["name"] for entry in project.dump["results"]] == ["test_second"]


def test_a_late_result_is_kept_in_the_journal_and_makes_the_run_incomplete(project: Any) -> None:
    project.write(
        """
        import threading
        import contextvars

        threads, go = [], threading.Event()

        async def test_first():
            def late():
                go.wait()
                record_result(made(UNSAFE, "too late"))
            context = contextvars.copy_context()
            threads.append(threading.Thread(target=context.run, args=(late,)))
            threads[0].start()

        async def test_second():
            go.set()
            threads[0].join()
            assert await one(SAFE)
        """
    )
    result = project.run("-rA")
    assert result.ret == 1
    result.assert_outcomes(passed=2)
    assert project.statuses() == ["safe"]
    assert project.dump["metadata"]["incomplete_reasons"] == [
        "a result arrived after its test had ended: test_it.py::test_first"
    ]
    result.stdout.fnmatch_lines(
        [
            "*WARNING*a result arrived after its test had ended: test_it.py::test_first*",
            "*= rampart: incomplete run =*",
            "what follows does not cover every test",
            "  - a result arrived after its test had ended: test_it.py::test_first",
        ]
    )
    records = list(iter_records(path=project.journals[-1]))
    assert sorted((record.pytest_nodeid, record.result.summary) for record in records) == [
        ("test_it.py::test_first", "too late"),
        ("test_it.py::test_second", "this is safe"),
    ]


def test_a_leftover_of_one_repetition_is_not_taken_for_the_next(project: Any) -> None:
    project.write(
        """
        tasks = []

        @pytest.mark.trial(n=2, threshold=1.0)
        async def test_it():
            async def late():
                await asyncio.sleep(0.05)
                record_result(made(UNSAFE, "too late"))
            if not tasks:
                tasks.append(asyncio.create_task(late()))
            else:
                await tasks[0]
            assert await one(SAFE)
        """
    )
    result = project.run()
    result.assert_outcomes(passed=1)
    assert result.ret == 1
    assert project.statuses() == ["safe", "safe"]


def test_runs_inside_of_runs_keep_to_themselves(project: Any) -> None:
    """pytest.main from a test: the inner run's results are its own, and all is put back at its end."""
    project.write("async def test_inner():\n    assert not await one(UNSAFE, 'inner')\n", name="inner")
    project.write(
        """
        import signal
        from rampart.core.limits import configured_limits, configured_trial_concurrency
        from rampart.core.listener import context_listener, process_listener

        def state():
            return (
                process_listener(), context_listener.get(), configured_limits(),
                configured_trial_concurrency(), signal.getsignal(signal.SIGTERM),
            )

        def run_inner(*args):
            before = state()
            code = pytest.main(["inner.py", "-p", "no:hypothesispytest", *args])
            assert state() == before
            return code

        def test_outer(request):
            record_result(made(SAFE, "before"))
            assert run_inner() == 0
            record_result(made(SAFE, "after"))

        async def test_outer_async(request):
            assert run_inner("-o", "rampart_turn_timeout=1", "--rampart-trial-concurrency=1") == 0
            assert await one(SAFE, "after")

        def test_usage_error():
            assert run_inner("-o", "rampart_async=sometimes") == 4
        """
    )
    result = project.run_apart("test_it.py", "-o", "rampart_trial_concurrency=7")
    result.assert_outcomes(passed=3)
    assert [entry["summary"] for entry in project.dump["results"]] == ["before", "after", "after"]
    assert project.dump["metadata"] == {}
