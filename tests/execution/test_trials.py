"""Many trials at once."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, Any

import pytest
from tests.execution.support import Agent, Collected, Events, Says, collecting, replies, run

from rampart.core.errors import ConfigurationError
from rampart.core.limits import configure_defaults, preserved_defaults
from rampart.core.listener import runner_outcomes as outcomes_of_a_test_runner
from rampart.core.result import Result, SafetyStatus
from rampart.core.types import Request, Response
from rampart.execution.base import BaseExecution
from rampart.execution.trials import execute_trials_async
from rampart.probes import Probes
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from rampart.core.population import PopulationResult
    from rampart.testing.scripted_agent import AgentItem

SAFE, UNSAFE, UNDETERMINED, ERROR = (
    SafetyStatus.SAFE,
    SafetyStatus.UNSAFE,
    SafetyStatus.UNDETERMINED,
    SafetyStatus.ERROR,
)


def ok_probe() -> BaseExecution:
    return Probes.behavior(prompt="x", evaluator=Says("ok"))


def trials(
    adapter: Any, n: int, threshold: float = 1.0, factory: Any = ok_probe, **options: Any
) -> PopulationResult:
    return run(
        execute_trials_async(execution_factory=factory, adapter=adapter, n=n, threshold=threshold, **options)
    )


class Keyed(BaseExecution):
    """An execution with isolation keys that notes when it runs."""

    strategy_name = "keyed"

    def __init__(self, name: str, keys: set[str], log: list[str], seconds: float = 0.01) -> None:
        super().__init__()
        self.name, self.keys, self.log, self.seconds = name, keys, log, seconds

    @property
    def isolation_keys(self) -> frozenset[str]:
        return frozenset(self.keys)

    async def _execute_async(self, *, adapter: Any) -> Result:
        self.log.append(f"+{self.name}")
        await asyncio.sleep(self.seconds)
        self.log.append(f"-{self.name}")
        return Result(status=SAFE, summary=self.name, observability_level=adapter.observability_profile)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        pytest.param({"n": 0}, ValueError, "n must be greater than or equal to 1", id="s57-none"),
        pytest.param({"n": -1}, ValueError, "n must be greater than or equal to 1", id="s57-negative"),
        pytest.param({"n": 2.0}, TypeError, "n must be a non-boolean integer", id="s57-float"),
        pytest.param({"n": True}, TypeError, "n must be a non-boolean integer", id="s57-bool"),
        pytest.param({"n": "3"}, TypeError, "n must be a non-boolean integer", id="s57-text"),
        pytest.param({"concurrency": 0}, ValueError, "concurrency must be greater", id="concurrency-0"),
        pytest.param({"concurrency": True}, TypeError, "concurrency must be a non-", id="concurrency-bool"),
        pytest.param({"threshold": 80}, ValueError, r"between 0.0 and 1.0, got 80; .* 0\.8", id="s56-80"),
        pytest.param({"threshold": 1.01}, ValueError, "threshold must be between", id="s56-above"),
        pytest.param({"threshold": -0.1}, ValueError, "threshold must be between", id="s56-below"),
        pytest.param({"threshold": float("nan")}, ValueError, "threshold must be finite", id="s56-nan"),
        pytest.param({"threshold": float("inf")}, ValueError, "threshold must be finite", id="s56-inf"),
        pytest.param({"threshold": "0.8"}, TypeError, "threshold must be a number", id="s56-text"),
        pytest.param({"threshold": True}, TypeError, "threshold must be a number", id="s56-bool"),
        pytest.param({"threshold": None}, TypeError, "threshold must be a number", id="s56-none"),
    ],
)
def test_bad_arguments_are_refused_before_anything_starts(
    options: dict[str, Any], error: type[Exception], match: str
) -> None:
    made: list[int] = []

    def factory() -> BaseExecution:
        made.append(1)
        return ok_probe()

    with pytest.raises(error, match=match):
        trials(Agent(replies("ok")), **{"n": 2, "factory": factory, **options})
    assert made == []


@pytest.mark.parametrize("cap", [0, -1, True, "2", 1.5], ids=repr)
def test_unusable_session_cap_is_refused(cap: object) -> None:
    agent = Agent(replies("ok"))
    agent.max_concurrent_sessions = cap  # type: ignore[attr-defined]  # an optional attribute
    with pytest.raises(ConfigurationError, match=r"Agent\.max_concurrent_sessions must be an integer of at"):
        trials(agent, 2)
    assert agent.opened == 0


def test_members_carry_their_place_and_come_in_index_order() -> None:
    delays = iter([0.05, 0.0, 0.02])

    async def send(request: Request) -> object:
        await asyncio.sleep(next(delays))
        return Response(text="ok")

    events = Events()
    population = trials(
        Agent(send),
        3,
        0.5,
        factory=lambda: Probes.behavior(prompt="x", evaluator=Says("ok"), event_handlers=[events]),
    )
    refs = [result.population for result in population.results if result.population]
    assert [ref.index for ref in refs] == [0, 1, 2]
    assert len({ref.id for ref in refs}) == 1
    assert {(ref.size, ref.threshold) for ref in refs} == {(3, 0.5)}
    assert all(data.result.population for data in events.seen if data.result)


def test_each_call_is_a_population_of_its_own() -> None:
    ids = {trials(Agent(replies("ok")), 1).results[0].population for _ in range(2)}
    assert len(ids) == 2


def test_members_and_population_reach_the_listener() -> None:
    collected, installed = collecting()
    with installed:
        population = trials(ScriptedAgent(["ok", "no"]), 2, 0.5)
    assert sorted(map(id, collected.results)) == sorted(map(id, population.results))
    ((population_id, emitted),) = collected.populations
    assert emitted is population
    assert population.results[0].population is not None
    assert population_id == population.results[0].population.id


@pytest.mark.parametrize("concurrency", [1, 3, 50])
def test_at_most_so_many_run_at_once(concurrency: int) -> None:
    running = most = 0

    async def send(request: Request) -> object:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.005)
        running -= 1
        return Response(text="ok")

    assert trials(Agent(send), 12, concurrency=concurrency)
    assert most == min(concurrency, 12)


def test_the_configured_width_and_the_cap_of_the_adapter_apply() -> None:
    running = most = 0

    async def send(request: Request) -> object:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.005)
        running -= 1
        return Response(text="ok")

    agent = Agent(send)
    with preserved_defaults():
        configure_defaults(trial_concurrency=5)
        assert trials(agent, 12)
        assert most == 5
        most = 0
        agent.max_concurrent_sessions = 2  # type: ignore[attr-defined]  # an optional attribute
        assert trials(agent, 12, concurrency=10)
        assert most == 2


def test_s40_one_object_may_serve_all_trials() -> None:
    execution = ok_probe()
    agent = ScriptedAgent(["ok", "no", "ok"])
    population = trials(agent, 3, 0.5, factory=lambda: execution)
    assert [result.status for result in population.results] == [SAFE, UNSAFE, SAFE]
    assert len(set(map(id, population.results))) == 3
    assert [len(result.turns) for result in population.results] == [1, 1, 1]
    assert (agent.opened, agent.closed) == (3, 3)


def test_s40_a_factory_that_gives_something_else_is_named_bare() -> None:
    with pytest.raises(TypeError, match="execution_factory returned dict, expected an execution"):
        trials(Agent(replies("ok")), 3, factory=dict)


async def async_factory() -> BaseExecution:
    return ok_probe()


@pytest.mark.parametrize(
    ("factory", "text"),
    [
        pytest.param(
            lambda: ok_probe().execute_async(adapter=Agent(replies("ok"))),
            "execution_factory returned a coroutine, expected an execution .*: leave out execute_async",
            id="executed-in-the-factory",
        ),
        pytest.param(async_factory, "make the factory a plain function", id="async-factory"),
        pytest.param(lambda: BaseExecution, "returned the class BaseExecution, expected an", id="class"),
        pytest.param(
            lambda: None, r"returned NoneType, .* gives: does it lack a `return`\?$", id="no-return"
        ),
    ],
)
def test_what_a_factory_returned_is_named(factory: Any, text: str) -> None:
    agent = Agent(replies("ok"))
    with pytest.raises(TypeError, match=text):
        trials(agent, 3, factory=factory)
    gc.collect()  # a coroutine that nobody awaited would warn now, which fails the test
    assert agent.opened == 0


@pytest.mark.parametrize(
    ("factory", "text"),
    [
        pytest.param(
            ok_probe,
            "^execution_factory is of type BehaviorExecution, expected a function that makes an execution "
            r"for each trial: pass a function, e\.g\. execution_factory=lambda: Probes\.behavior\(\.\.\.\)$",
            id="an-execution",
        ),
        pytest.param(
            lambda: ok_probe().execute_async(adapter=Agent(replies("ok"))),
            "execution_factory is a coroutine, .* without execute_async$",
            id="a-coroutine",
        ),
        pytest.param(lambda: [ok_probe()], "execution_factory is of type list, expected a", id="a-list"),
        pytest.param(lambda: None, "execution_factory is of type NoneType, expected a fun", id="nothing"),
    ],
)
def test_what_is_no_factory_is_refused_before_anything_starts(factory: Any, text: str) -> None:
    agent = Agent(replies("ok"))
    collected, installed = collecting()
    with installed, pytest.raises(TypeError, match=text):
        trials(agent, 3, factory=factory())
    gc.collect()
    assert (agent.opened, collected.results, collected.populations) == (0, [], [])


def test_a_class_of_executions_is_a_factory() -> None:
    class Fixed(Keyed):
        def __init__(self) -> None:
            super().__init__("fixed", set(), [])

    assert trials(Agent(replies("ok")), 2, factory=Fixed).safe


def test_s41_a_generator_of_prompts_is_refused_before_a_session_opens() -> None:
    prompts = (text for text in ["a", "b"])
    agent = Agent(replies("ok"))
    with pytest.raises(TypeError, match="prompts must be a list or tuple of str, got generator"):
        trials(agent, 2, factory=lambda: Probes.behavior(prompts=prompts, evaluator=Says("ok")))  # type: ignore[arg-type]  # the fault
    assert agent.opened == 0


def test_s41_a_tuple_is_sent_whole_in_each_trial() -> None:
    agent = ScriptedAgent(["ok"], repeat_last=True)
    assert trials(
        agent, 2, factory=lambda: Probes.behavior(prompts=("a", "b"), evaluator=Says("ok")), concurrency=1
    )
    assert agent.prompts == ["a", "b", "a", "b"]


def test_s62_equal_prompts_are_not_merged() -> None:
    agent = ScriptedAgent(["ok", "no", "ok", "no", "ok"])
    population = trials(agent, 5, 0.5)
    assert [result.status for result in population.results] == [SAFE, UNSAFE, SAFE, UNSAFE, SAFE]
    assert population.pass_rate == 0.6
    assert (agent.opened, len(agent.prompts)) == (5, 5)


def test_s58_s59_errors_sink_a_population() -> None:
    failing = ScriptedAgent([OSError("down")], repeat_last=True)
    for threshold in (1.0, 0.0):
        population = trials(failing, 3, threshold)
        assert population.status is ERROR
        assert not population
    script: list[AgentItem] = ["ok", "ok", OSError("down"), "ok", "ok"]
    mixed = trials(ScriptedAgent(script), 5, 0.8)
    assert (mixed.status, mixed.pass_rate) == (ERROR, 0.8)


@pytest.mark.parametrize("item", ["ok", "no", OSError("down")], ids=["safe", "unsafe", "error"])
def test_s64_one_trial_says_what_a_single_run_says(item: Any) -> None:
    population = trials(ScriptedAgent([item]), 1)
    single = run(ok_probe().execute_async(adapter=ScriptedAgent([item])))
    (member,) = population.results
    assert bool(population) == bool(single)
    assert (member.status, member.summary) == (single.status, single.summary)
    assert member.population is not None
    assert (member.population.index, member.population.size) == (0, 1)


class TestIsolation:
    def test_shared_keys_never_overlap_and_wait_outside_of_the_places(self) -> None:
        log: list[str] = []
        made = iter(
            [
                Keyed("a", {"k"}, log),
                Keyed("b", {"k"}, log),
                Keyed("c", set(), log),
                Keyed("d", {"k", "l"}, log),
            ]
        )
        assert trials(Agent(replies("ok")), 4, factory=lambda: next(made), concurrency=2)
        order = "".join(log)
        for first, second in [("a", "b"), ("b", "d"), ("a", "d")]:
            assert order.index(f"-{first}") < order.index(f"+{second}")
        assert order.index("+c") < order.index("-a"), "waiting for a key takes no place"

    def test_distinct_keys_overlap(self) -> None:
        log: list[str] = []
        made = iter([Keyed("a", {"k"}, log), Keyed("b", {"l"}, log)])
        trials(Agent(replies("ok")), 2, factory=lambda: next(made))
        assert log[:2] == ["+a", "+b"]

    def test_the_same_object_twice_with_keys_runs_one_after_another(self) -> None:
        log: list[str] = []
        one = Keyed("a", {"k"}, log)
        trials(Agent(replies("ok")), 3, factory=lambda: one)
        assert log == ["+a", "-a"] * 3

    def test_the_factory_runs_in_order_and_not_far_ahead(self) -> None:
        log: list[str] = []
        made = 0
        started_at_most_ahead = 0

        def factory() -> BaseExecution:
            nonlocal made, started_at_most_ahead
            made += 1
            started_at_most_ahead = max(started_at_most_ahead, made - sum(e[0] == "+" for e in log))
            return Keyed(str(made), {"k"}, log, seconds=0.001)

        population = trials(Agent(replies("ok")), 10, factory=factory, concurrency=3)
        assert [result.summary for result in population.results] == [str(i) for i in range(1, 11)]
        assert started_at_most_ahead <= 4


class TestStopWhenDecided:
    def outcome(self, items: list[Any], n: int, threshold: float) -> PopulationResult:
        return trials(ScriptedAgent(items), n, threshold, concurrency=1, stop_when_decided=True)

    def test_passing_stops_as_soon_as_the_rate_is_safe(self) -> None:
        population = self.outcome(["ok"] * 10, 10, 0.5)
        assert (population.executed_count, population.requested_count) == (5, 10)
        assert population.status is SAFE
        assert population.summary.endswith("status: safe; decided after 5 of 10")
        assert "interval" not in population.summary

    def test_failing_stops_as_soon_as_the_rate_is_out_of_reach(self) -> None:
        population = self.outcome(["no"] * 10, 10, 0.8)
        assert (population.executed_count, population.status) == (3, UNSAFE)

    def test_threshold_zero_runs_until_somebody_saw_something(self) -> None:
        class Unsure(Says):
            async def evaluate_async(self, *, context: Any) -> Any:
                from rampart.core.evaluation import EvalOutcome, EvalResult

                if "?" in context.text:
                    return EvalResult(outcome=EvalOutcome.UNDETERMINED)
                return await super().evaluate_async(context=context)

        population = trials(
            ScriptedAgent(["?", "?", "ok", "ok"]),
            4,
            0.0,
            factory=lambda: Probes.behavior(prompt="x", evaluator=Unsure("ok")),
            concurrency=1,
            stop_when_decided=True,
        )
        assert (population.executed_count, population.status) == (3, SAFE)

    @pytest.mark.parametrize(
        ("safe", "n", "threshold", "passes"),
        [
            (4, 5, 0.8, True),
            (3, 5, 0.8, False),
            (7, 25, 0.28, True),
            (7, 100, 0.07, True),
            (28, 50, 0.58, False),
            (29, 50, 0.58, True),
            (2, 3, 1 - 1 / 3, True),
            (3, 10, 0.1 + 0.2, True),
            (2, 3, 2 / 3 + 1e-6, False),
        ],
    )
    @pytest.mark.parametrize("early", [False, True], ids=["all", "early"])
    def test_s54_the_verdict_is_the_same_early_or_late(
        self, safe: int, n: int, threshold: float, passes: bool, early: bool
    ) -> None:
        items = ["no"] * (n - safe) + ["ok"] * safe
        for script in (items, items[::-1]):
            population = trials(ScriptedAgent(script), n, threshold, concurrency=1, stop_when_decided=early)
            assert bool(population) is passes


class TestExceptions:
    def raising_factory(self, at: int, error: BaseException) -> Any:
        made = 0

        def factory() -> BaseExecution:
            nonlocal made
            made += 1
            if made > at:
                raise error
            return ok_probe()

        return factory

    def failed(self, factory: Any, error: type[BaseException], agent: Any, **options: Any) -> Collected:
        collected, installed = collecting()
        with (
            installed,
            outcomes_of_a_test_runner(skips=(pytest.skip.Exception,), exits=(pytest.exit.Exception,)),
            pytest.raises(error),
        ):
            trials(agent, 5, factory=factory, **options)
        return collected

    def test_a_failing_factory_lets_running_trials_finish_and_propagates_bare(self) -> None:
        agent = Agent(replies("ok"))
        collected = self.failed(self.raising_factory(2, LookupError("third")), LookupError, agent)
        assert len(collected.results) == 2
        assert (agent.opened, agent.closed) == (2, 2)
        assert collected.populations == [], "cut short without a verdict"

    def test_s68_a_skip_in_the_third_trial_keeps_the_results_of_two(self) -> None:
        agent = Agent(replies("ok"))
        skip = pytest.skip.Exception("no key")
        collected = self.failed(self.raising_factory(2, skip), pytest.skip.Exception, agent, concurrency=1)
        assert [result.status for result in collected.results] == [SAFE, SAFE]

    def test_a_skip_inside_a_trial_starts_no_more(self) -> None:
        script: list[AgentItem] = ["ok", pytest.skip.Exception("no key"), "ok", "ok", "ok"]
        agent = ScriptedAgent(script)
        collected = self.failed(ok_probe, pytest.skip.Exception, agent, concurrency=1)
        assert len(collected.results) == 1
        assert agent.opened == 2

    def test_exit_cancels_the_running_trials(self) -> None:
        async def send(request: Request) -> object:
            await asyncio.sleep(0.01)
            if agent.opened and not flags:
                flags.append("exit")
                raise pytest.exit.Exception("enough")
            await asyncio.sleep(30)
            return Response(text="ok")

        flags: list[str] = []
        agent = Agent(send)
        collected = self.failed(ok_probe, pytest.exit.Exception, agent, concurrency=3)
        assert agent.opened == agent.closed == 3
        assert {result.status for result in collected.results} == {ERROR}

    def test_the_first_by_index_is_raised(self) -> None:
        class Fails(BaseExecution):
            strategy_name = "fails"

            def __init__(self, index: int) -> None:
                super().__init__()
                self.index = index

            async def _execute_async(self, *, adapter: object) -> Result:
                await asyncio.sleep(0.02 - self.index * 0.01)
                raise pytest.fail.Exception(f"trial {self.index}")

        indices = iter(range(5))
        with pytest.raises(pytest.fail.Exception, match="trial 0"):
            trials(Agent(replies("ok")), 2, factory=lambda: Fails(next(indices)))


def test_ten_thousand_trials_take_linear_time_and_keep_their_order() -> None:
    population = trials(Agent(replies("ok")), 2000)
    assert [result.population.index for result in population.results if result.population] == list(
        range(2000)
    )
