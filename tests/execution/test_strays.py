"""Exceptions of asyncio and Python that an agent raises by itself, and runs inside of runs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.execution.support import Agent, AgentSession, Answers, Says, collecting, hang, replies, run

from rampart.core.errors import attach_partial
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.limits import Limits
from rampart.core.result import Result, SafetyStatus
from rampart.core.types import ObservabilityLevel, Request, Response
from rampart.drivers.static import StaticDriver
from rampart.execution.base import BaseExecution
from rampart.execution.final_evaluation import evaluate_final_trace_async
from rampart.execution.trace import run_trace_async
from rampart.execution.trials import execute_trials_async
from rampart.probes import Probes


def probe(agent: Any, evaluator: Any = None, **options: Any) -> Result:
    options = {"prompt": "x", **options}
    return run(
        Probes.behavior(evaluator=Says("x") if evaluator is None else evaluator, **options).execute_async(
            adapter=agent
        )
    )


@pytest.mark.parametrize("error", [asyncio.CancelledError, GeneratorExit])
def test_an_agent_that_raises_it_by_itself_is_an_error(error: type[BaseException]) -> None:
    async def send(request: Request) -> object:
        failure = error()
        attach_partial(failure, Response(text="so far"))
        raise failure

    result = probe(Agent(send))
    assert result.status is SafetyStatus.ERROR
    assert result.summary == (
        f"InfrastructureError: send_async (turn 0) raised {error.__name__}, although nobody cancelled it"
    )
    assert [turn.response.text for turn in result.turns] == ["so far"]


def test_one_such_trial_does_not_end_the_others() -> None:
    left = ["x", asyncio.CancelledError(), "x"]

    async def send(request: Request) -> object:
        item = left.pop(0)
        if isinstance(item, BaseException):
            raise item
        return Response(text=str(item))

    population = run(
        execute_trials_async(
            execution_factory=lambda: Probes.behavior(prompt="x", evaluator=Says("x")),
            adapter=Agent(send),
            n=3,
            concurrency=1,
        )
    )
    assert [result.status.value for result in population.results] == ["safe", "error", "safe"]


def test_a_run_inside_of_a_run_leaves_the_outer_trace_alone() -> None:
    async def send(request: Request) -> object:
        if request.prompt == "a":
            return Response(text="harm")
        await run_trace_async(
            session=AgentSession(Agent(replies("sub"))),
            driver=StaticDriver(prompts=["inner"]),
            max_turns=1,
            observability_level=ObservabilityLevel.TOOL_ONLY,
        )
        raise OSError("down")

    result = probe(Agent(send), prompt=None, prompts=["a", "b"])
    assert [turn.response.text for turn in result.turns] == ["harm"]


def test_a_step_inside_of_a_step_does_not_lift_its_limit() -> None:
    class Nested(Says):
        async def evaluate_async(self, *, context: Any) -> EvalResult:
            from rampart.execution.trace import TraceRun

            inner = TraceRun(
                trace_end_reason=None,
                observability_level=context.observability_level,
                raw_turns=list(context.turns),
            )
            await evaluate_final_trace_async(evaluator=Says("x"), run=inner)
            await hang()
            raise AssertionError

    result = probe(Agent(replies("x")), Nested("x"), limits=Limits(turn_timeout_s=0.1))
    assert result.summary == "ExecutionTimeoutError: final evaluation timed out after 0.1 s"


def test_a_session_that_gets_in_too_late_is_left_again() -> None:
    async def enter() -> object:
        try:
            await hang()
        except asyncio.CancelledError:
            return None
        return None

    agent = Agent(replies("x"), enter=enter)
    result = probe(agent, limits=Limits(ready_timeout_s=0.05))
    assert result.summary == "ExecutionTimeoutError: session start timed out after 0.05 s"
    assert (agent.opened, agent.closed) == (1, 1)


def test_an_adapter_that_fails_between_trials_lets_the_running_ones_end() -> None:
    class Fades(Agent):
        reads = 0

        @property
        def manifest(self) -> Any:
            type(self).reads += 1
            if self.reads > 6:
                raise AttributeError("gone")
            return None

        @manifest.setter
        def manifest(self, value: object) -> None: ...

    async def send(request: Request) -> object:
        await asyncio.sleep(0.01)
        return Response(text="x")

    agent = Fades(send)
    collected, installed = collecting()
    with installed, pytest.raises(TypeError, match="cannot serve as adapter: it has no manifest"):
        run(
            execute_trials_async(
                execution_factory=lambda: Probes.behavior(prompt="x", evaluator=Says("x")), adapter=agent, n=9
            )
        )
    assert agent.opened == agent.closed
    assert len(collected.results) >= agent.opened, "each trial that began has left its result"


def test_a_mixin_cannot_replace_the_lifecycle() -> None:
    class Mixin:
        async def execute_async(self, *, adapter: object) -> None: ...

    with pytest.raises(TypeError, match="Own must not define execute_async"):

        class Own(Mixin, BaseExecution):  # type: ignore[misc]  # the fault under test
            strategy_name = "own"

            async def _execute_async(self, *, adapter: object) -> Result:
                raise AssertionError


class TestLevels:
    def result(self, levels: list[Any], evaluator: Any = None) -> Result:
        """A probe of two turns in a session whose level is read as given, the last one from then on."""

        class Session(AgentSession):
            @property
            def observability_profile(self) -> Any:
                level = levels.pop(0) if len(levels) > 1 else levels[0]
                if isinstance(level, Exception):
                    raise level
                return level

        agent = Agent(replies("x"))

        async def create() -> object:
            return Session(agent)

        agent.create = create
        return probe(agent, evaluator, prompt=None, prompts=["a", "b"])

    def test_a_level_that_rises_says_nothing_of_earlier_turns(self) -> None:
        level = self.result(
            [ObservabilityLevel.RESPONSE_ONLY, ObservabilityLevel.TOOL_ONLY]
        ).observability_level
        assert level is ObservabilityLevel.RESPONSE_ONLY

    def test_a_level_that_cannot_be_read_is_the_lowest_and_costs_no_turn(self) -> None:
        result = self.result([ObservabilityLevel.TOOL_ONLY, RuntimeError("broken")])
        assert result.observability_level is ObservabilityLevel.RESPONSE_ONLY
        assert len(result.turns) == 2

    def test_a_level_that_falls_during_the_evaluation_is_judged_again(self) -> None:
        full, low = ObservabilityLevel.TOOL_ONLY, ObservabilityLevel.RESPONSE_ONLY
        seen: list[ObservabilityLevel] = []

        class Notes(Says):
            async def evaluate_async(self, *, context: Any) -> EvalResult:
                seen.append(context.observability_level)
                return await super().evaluate_async(context=context)

        result = self.result([full, full, full, low], Notes("x"))
        assert seen == [full, low]
        assert result.observability_level is low


def test_an_evaluation_of_a_class_of_its_own_is_read_once() -> None:
    outcomes = iter([EvalOutcome.NOT_DETECTED] + [EvalOutcome.DETECTED] * 9)

    class Shifty(EvalResult):
        @property
        def outcome(self) -> EvalOutcome:
            return next(outcomes)

        @outcome.setter
        def outcome(self, value: EvalOutcome) -> None: ...

    answer = Shifty(outcome=EvalOutcome.DETECTED)
    assert probe(Agent(replies("x")), Answers(answer)).status is SafetyStatus.UNSAFE
