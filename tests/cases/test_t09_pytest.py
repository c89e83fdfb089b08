"""Cases about pytest: what repetition means for fixtures, parameters, skips and expected failures."""

import re
from collections.abc import Callable

import pytest
from tests.cases.child import Child, Run

PASSING = """
import asyncio
import pytest
from kit import *

SHARED = []
BAD = {2}


@pytest.fixture(scope="module")
def adapter():
    SHARED.append("set up")
    yield ScriptedAgent(["ok"], repeat_last=True)
    SHARED.append("torn down")


class Watching:
    # An adapter that keeps every session object which it makes.
    def __init__(self, inner):
        self.inner, self.sessions = inner, []

    manifest = property(lambda self: self.inner.manifest)
    observability_profile = property(lambda self: self.inner.observability_profile)

    async def create_session_async(self):
        self.sessions.append(await self.inner.create_session_async())
        return self.sessions[-1]


@pytest.fixture(scope="module")
def watched(adapter):
    return Watching(adapter)


@pytest.mark.trial(n=4)
async def test_s67(watched):
    assert await Probes.behavior(prompt="x", evaluator=OK).execute_async(adapter=watched)


def test_s67_afterwards(adapter, watched):
    assert SHARED == ["set up"]
    assert (adapter.opened, adapter.closed) == (4, 4)
    assert len(set(map(id, watched.sessions))) == 4


@pytest.mark.trial(n=5)
async def test_s68_before_anything():
    pytest.skip("no key")


@pytest.mark.trial(n=5)
async def test_s68_before_anything_with_config(trial_config):
    pytest.skip("no key")


COUNT = iter(range(100))
HALFWAY = ScriptedAgent(["ok"], repeat_last=True)


@pytest.mark.trial(n=5)
async def test_s68_in_the_third_repetition():
    if next(COUNT) == 2:
        pytest.skip("quota used up")
    assert await Probes.behavior(prompt="x", evaluator=OK).execute_async(adapter=HALFWAY)


def test_s68_sessions_of_the_repetitions_are_closed():
    assert (HALFWAY.opened, HALFWAY.closed) == (2, 2)


IN_FACTORY = ScriptedAgent(["ok"], repeat_last=True)


@pytest.mark.trial(n=5)
async def test_s68_from_the_factory(trial_config):
    made = iter(range(100))

    def factory():
        if next(made) == 2:
            pytest.skip("quota used up")
        return Probes.behavior(prompt="x", evaluator=OK)

    await execute_trials_async(
        execution_factory=factory, adapter=IN_FACTORY, n=trial_config.n, threshold=trial_config.threshold,
        concurrency=1,
    )


def test_s68_sessions_of_the_factory_are_closed():
    assert (IN_FACTORY.opened, IN_FACTORY.closed) == (2, 2)


@pytest.mark.xfail
@pytest.mark.trial(n=3)
async def test_s69():
    result = await one("no")
    assert result, result.summary


@pytest.mark.xfail(raises=AssertionError)
@pytest.mark.trial(n=3)
async def test_s69_raises():
    result = await one("no")
    assert result, result.summary


FRESH = []


@pytest.fixture
def fresh(request):
    FRESH.append(object())
    return FRESH[-1]


BODIES = []


@pytest.mark.trial(n=10)
async def test_s73(fresh):
    BODIES.append(fresh)
    assert await one()


INSTANCES = []


class TestS73:
    def setup_method(self):
        self.own = []

    @pytest.mark.trial(n=3)
    async def test_class(self):
        assert self.own == []
        self.own.append("used")
        INSTANCES.append(self)
        assert await one()


def test_s73_afterwards():
    assert len(BODIES) == len(FRESH) == len(set(map(id, BODIES))) == 10
    assert len(set(map(id, INSTANCES))) == 3


@pytest.mark.trial(n=10)
async def test_s73_other_size(trial_config):
    assert await trials(["ok"] * 3)


@pytest.mark.trial(n=7)
class TestS74:
    @pytest.mark.trial(n=2)
    async def test_closest(self):
        assert await one()


@pytest.mark.trial(5)
async def test_s74_positional():
    assert await one()


@pytest.mark.trial()
async def test_s74_defaults():
    assert await one()


@pytest.mark.parametrize("threshold", [
    pytest.param(0, marks=pytest.mark.trial(n=2, threshold=0)),
    pytest.param(1, marks=pytest.mark.trial(n=2, threshold=1)),
    pytest.param(0.5, marks=pytest.mark.trial(n=2, threshold=0.5)),
])
async def test_s56(threshold, trial_config):
    assert trial_config.threshold == threshold
    assert await trials(["ok"] * trial_config.n, threshold)
"""


@pytest.fixture(scope="module")
def passing(make_child: Callable[..., Child]) -> Run:
    """A run in which everything is as it should be."""
    child = make_child()
    child.write("test_it.py", PASSING)
    run = child.run("-rA", "--setup-show")
    assert run.status == 0, run.output
    return run


@pytest.mark.case(67)
def test_s67_wide_fixture_is_shared_by_all_repetitions(passing: Run) -> None:
    assert passing.outcomes["test_s67"] == passing.outcomes["test_s67_afterwards"] == "passed"
    assert passing.output.count("SETUP    M adapter") == passing.output.count("TEARDOWN M adapter") == 1
    assert passing.statuses("test_s67") == ["safe"] * 4


@pytest.mark.case(68)
@pytest.mark.parametrize("test", ["test_s68_before_anything", "test_s68_before_anything_with_config"])
def test_s68_skip_before_the_first_trial(passing: Run, test: str) -> None:
    assert passing.outcomes[test] == "skipped"
    assert "no key (0 of 5 trials ran)" in passing.messages[test]
    assert passing.populations(test) == []
    assert passing.results(test) == []


@pytest.mark.case(68)
@pytest.mark.parametrize("test", ["test_s68_in_the_third_repetition", "test_s68_from_the_factory"])
def test_s68_skip_halfway_is_no_pass(passing: Run, test: str) -> None:
    assert passing.outcomes[test] == "skipped"
    assert "quota used up (2 of 5 trials ran)" in passing.messages[test]
    assert passing.statuses(test) == ["safe", "safe"]
    (population,) = passing.populations(test)
    assert population["status"] is None
    assert (population["executed"], population["size"]) == (2, 5)
    assert not re.search(rf"^  PASS  {test} ", passing.output, re.MULTILINE)


@pytest.mark.case(68)
def test_s68_sessions_are_closed(passing: Run) -> None:
    assert passing.outcomes["test_s68_sessions_of_the_repetitions_are_closed"] == "passed"
    assert passing.outcomes["test_s68_sessions_of_the_factory_are_closed"] == "passed"


@pytest.mark.case(69)
@pytest.mark.parametrize("test", ["test_s69", "test_s69_raises"])
def test_s69_expected_failure_runs_its_trials_once(passing: Run, test: str) -> None:
    assert f"XFAIL test_it.py::{test}" in passing.output.splitlines()
    assert passing.statuses(test) == ["unsafe"] * 3


@pytest.mark.case(73)
def test_s73_marker_alone_repeats_the_test(passing: Run) -> None:
    assert passing.outcomes["test_s73"] == passing.outcomes["test_s73_afterwards"] == "passed"
    assert list(passing.outcomes).count("test_s73") == 1
    assert len(passing.results("::test_s73")) == 10
    (population,) = passing.populations("::test_s73")
    assert (population["size"], population["executed"], population["status"]) == (10, 10, "safe")
    assert passing.outcomes["test_class"] == "passed"


@pytest.mark.case(73)
def test_s73_population_of_another_size_is_a_warning(passing: Run) -> None:
    assert passing.outcomes["test_s73_other_size"] == "passed"
    assert "TrialMismatchWarning" in passing.output


@pytest.mark.case(74)
@pytest.mark.parametrize(
    ("test", "n"), [("test_closest", 2), ("test_s74_positional", 5), ("test_s74_defaults", 1)]
)
def test_s74_legal_markers(passing: Run, test: str, n: int) -> None:
    assert passing.outcomes[test] == "passed"
    assert passing.statuses(test) == ["safe"] * n


@pytest.mark.case(56)
@pytest.mark.parametrize("threshold", ["0", "1", "0.5"])
def test_s56_legal_thresholds_of_a_marker(passing: Run, threshold: str) -> None:
    assert passing.outcomes[f"test_s56[{threshold}]"] == "passed"
