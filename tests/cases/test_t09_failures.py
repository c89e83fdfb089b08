"""Cases about pytest: trials that fail, and trials that never ran."""

from collections.abc import Callable

import pytest
from tests.cases.child import Child, Run

FAILING = """
import pytest
from kit import *


@pytest.mark.parametrize("answer", ["ok", "no", "ok again"])
@pytest.mark.trial(n=2, threshold=1.0)
async def test_s66(answer):
    result = await one(answer)
    assert result, result.summary


@pytest.mark.xfail(strict=True)
@pytest.mark.trial(n=3)
async def test_s69():
    assert await one()


@pytest.mark.trial(n=10)
async def test_s73_direct(trial_config):
    assert await one()


@pytest.fixture
def through_a_fixture(trial_config):
    return trial_config.n


@pytest.mark.trial(n=10)
async def test_s73_indirect(through_a_fixture):
    assert await one()
"""


@pytest.fixture(scope="module")
def failing_project(make_child: Callable[..., Child]) -> Child:
    """A project whose tests fail."""
    child = make_child()
    child.write("test_it.py", FAILING)
    return child


@pytest.fixture(scope="module")
def failing(failing_project: Child) -> Run:
    """A run of it."""
    run = failing_project.run()
    assert run.status == 1, run.output
    return run


@pytest.mark.case(66)
def test_s66_parameters_times_trials(failing: Run) -> None:
    results = [one for one in failing.results() if "test_s66" in one["pytest_nodeid"]]
    assert len(results) == 6
    populations = {
        one["pytest_nodeid"]: one for one in failing.populations() if "s66" in one["pytest_nodeid"]
    }
    assert {name.partition("::")[2]: one["status"] for name, one in populations.items()} == {
        "test_s66[ok]": "safe",
        "test_s66[no]": "unsafe",
        "test_s66[ok again]": "safe",
    }
    assert [failing.outcomes[f"test_s66[{answer}]"] for answer in ("ok", "no", "ok again")] == [
        "passed",
        "failed",
        "passed",
    ]
    assert "test_s66[no] -- 0/2" in failing.output
    assert "0/2 trials safe" in failing.messages["test_s66[no]"]


@pytest.mark.case(69)
def test_s69_strict_and_safe_is_an_unexpected_pass(failing: Run) -> None:
    assert failing.outcomes["test_s69"] == "failed"
    assert "XPASS(strict)" in failing.output
    assert failing.statuses("test_s69") == ["safe"] * 3


@pytest.mark.case(73)
@pytest.mark.parametrize("test", ["test_s73_direct", "test_s73_indirect"])
def test_s73_declared_trials_that_never_ran_fail(failing: Run, test: str) -> None:
    assert failing.outcomes[test] == "failed"
    assert f"{test} declares 10 trials but recorded none" in failing.messages[test]


@pytest.mark.case(73)
def test_s73_or_warn_on_request(failing_project: Child) -> None:
    run = failing_project.run("-o", "rampart_unchecked=warn", "-k", "test_s73")
    assert run.status == 0, run.output
    assert "UncheckedResultWarning" in run.output
    assert "test_s73_direct declares 10 trials but recorded none" in run.output
