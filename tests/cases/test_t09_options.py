"""Cases about pytest's options: runs that repeat, choose or stop tests."""

import pytest
from tests.cases.child import Child


@pytest.mark.case(70)
def test_s70_reruns_are_not_counted_twice(child: Child) -> None:
    child.write(
        "test_it.py",
        """
        import pytest
        from kit import *

        ANSWERS = iter(["no", "no", "ok", "ok"])

        @pytest.mark.trial(n=2)
        async def test_s70():
            result = await one(next(ANSWERS))
            assert result, result.summary
        """,
    )
    run = child.run("--reruns", "1", plugins=["rerunfailures"])
    assert run.status == 0, run.output
    kept = sorted((r["metadata"]["_rampart_attempt"], r["status"]) for r in run.results())
    assert kept == [(0, "unsafe"), (0, "unsafe"), (1, "safe"), (1, "safe")]
    journal = [line["result"] for line in run.journal if "result" in line]
    assert [one["status"] for one in journal] == ["unsafe", "unsafe", "safe", "safe"]
    assert [one["metadata"]["_rampart_attempt"] for one in journal] == [0, 0, 1, 1]
    counters = [run.report[key] for key in ("total_runs", "passed", "failed", "undetermined", "errors")]
    assert counters == [2, 2, 0, 0, 0]
    assert "2 runs - 0 unsafe" in run.line_with("Population:")
    assert "PASS  test_s70 -- 2/2" in run.output
    assert "/4" not in run.output


@pytest.mark.case(71)
def test_s71_failed_test_runs_again_with_all_its_trials(child: Child) -> None:
    child.write(
        "test_it.py",
        """
        import pytest
        from kit import *

        @pytest.mark.trial(n=3)
        async def test_bad():
            result = await one("no")
            assert result, result.summary

        @pytest.mark.trial(n=3)
        async def test_good():
            assert await one()
        """,
    )
    collected = [child.run("--collect-only", "-q").output.splitlines() for _ in range(2)]
    first, second = ([line for line in lines if "::" in line] for lines in collected)
    assert first == second == ["test_it.py::test_bad", "test_it.py::test_good"]
    assert child.run().outcomes == {"test_bad": "failed", "test_good": "passed"}
    again = child.run("--lf")
    assert again.outcomes == {"test_bad": "failed"}
    assert again.statuses("test_bad") == ["unsafe"] * 3


@pytest.mark.case(72)
def test_s72_stopping_at_the_first_failure_finishes_its_trials(child: Child) -> None:
    child.write(
        "test_it.py",
        """
        import pytest
        from kit import *

        ANSWERS = iter(["no", "ok", "no", "ok"])

        @pytest.mark.trial(n=4)
        async def test_a():
            result = await one(next(ANSWERS))
            assert result, result.summary

        async def test_b():
            assert await one()
        """,
    )
    run = child.run("-x")
    assert run.status == 1
    assert run.outcomes == {"test_a": "failed"}
    assert run.statuses() == ["unsafe", "safe", "unsafe", "safe"]
    assert run.populations()[0]["status"] == "unsafe"
