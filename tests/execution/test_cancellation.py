"""Cancellation reaches the agent, never the cleanup, and goes on when that is over."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.execution.support import Agent, Collected, Events, Says, collecting, hang, hang_on, replies, run

from rampart.core.checked import was_read
from rampart.core.limits import Limits
from rampart.core.result import SafetyStatus
from rampart.core.types import Request, Response
from rampart.execution.events import ExecutionEvent, ExecutionEventData
from rampart.execution.trials import execute_trials_async
from rampart.probes import Probes


def slow_exit(flags: list[str], seconds: float = 0.05) -> Any:
    async def leave() -> object:
        await asyncio.sleep(seconds)
        flags.append("left")
        return None

    return leave


async def cancel_later(task: asyncio.Task[Any], *delays: float) -> None:
    for delay in delays:
        await asyncio.sleep(delay)
        task.cancel()


def cancelled_run(agent: Agent, *delays: float, events: Events | None = None, **limits: Any) -> Collected:
    """Run a probe, cancel it after each of the delays, and give what was collected."""
    collected, installed = collecting()

    async def go() -> None:
        execution = Probes.behavior(
            prompts=["a", "b"],
            evaluator=Says("x"),
            event_handlers=[events] if events else None,
            limits=Limits(**limits) if limits else None,
        )
        task = asyncio.create_task(execution.execute_async(adapter=agent))
        await asyncio.gather(cancel_later(task, *delays), asyncio.wait([task]))
        assert task.cancelled(), "the cancellation reaches the caller"

    with installed:
        run(go())
    return collected


def test_s43_cancelling_waits_for_cleanup() -> None:
    flags: list[str] = []
    collected = cancelled_run(Agent(hang_on, leave=slow_exit(flags)), 0.02)
    assert flags == ["left"]
    (result,) = collected.results
    assert result.status is SafetyStatus.ERROR
    assert was_read(result)


def test_s43_cancelling_again_during_cleanup_changes_nothing() -> None:
    flags: list[str] = []
    cancelled_run(Agent(hang_on, leave=slow_exit(flags, 0.1)), 0.02, 0.02, 0.02)
    assert flags == ["left"]


@pytest.mark.parametrize("how", ["timeout", "wait_for"])
def test_s43_s45_asyncio_timeouts_around_an_execution(how: str) -> None:
    flags: list[str] = []
    events = Events()
    agent = Agent(hang_on, leave=slow_exit(flags))
    collected, installed = collecting()

    async def go() -> None:
        execution = Probes.behavior(prompt="x", evaluator=Says("x"), event_handlers=[events])
        if how == "wait_for":
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(execution.execute_async(adapter=agent), 0.05)
            return
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await execution.execute_async(adapter=agent)

    with installed:
        run(go())
    assert flags == ["left"]
    assert (agent.opened, agent.closed) == (1, 1)
    assert events.names == [ExecutionEvent.ON_PRE_EXECUTE, ExecutionEvent.ON_ERROR]
    (result,) = collected.results
    assert result.status is SafetyStatus.ERROR
    assert "CancelledError" in result.summary
    assert was_read(result), "a cancelled execution needs no check"


def test_s45_turns_before_the_cancellation_are_kept() -> None:
    async def send(request: Request) -> object:
        return Response(text="first") if request.prompt == "a" else await hang()

    collected = cancelled_run(Agent(send), 0.03)
    assert [turn.response.text for turn in collected.results[0].turns] == ["first"]


def test_s44_cancelled_while_entering_the_session() -> None:
    agent = Agent(replies("x"), enter=hang)
    cancelled_run(agent, 0.02)
    assert agent.closed == 0, "a session that was not entered undoes itself"
    agent.enter = None
    assert run(Probes.behavior(prompt="x", evaluator=Says("x")).execute_async(adapter=agent)).safe


def test_s47_cancellation_is_not_lost_to_a_failing_cleanup() -> None:
    async def leave() -> object:
        raise RuntimeError("rm failed")

    collected = cancelled_run(Agent(hang_on, leave=leave), 0.02)
    assert "rm failed" in collected.results[0].metadata["cleanup_errors"][0]

    async def go() -> None:
        async with asyncio.timeout(0.02):
            await Probes.behavior(prompt="x", evaluator=Says("x")).execute_async(
                adapter=Agent(hang_on, leave=leave)
            )

    with pytest.raises(TimeoutError):
        run(go())


def test_an_agent_that_swallows_the_cancellation_does_not_go_on() -> None:
    asked: list[str | None] = []

    async def send(request: Request) -> object:
        asked.append(request.prompt)
        try:
            await hang()
        except asyncio.CancelledError:
            return Response(text="x")
        return None

    collected = cancelled_run(Agent(send), 0.02)
    assert asked == ["a"]
    assert collected.results[0].status is SafetyStatus.ERROR


def test_cancelled_during_cleanup_after_a_safe_verdict_is_no_safe() -> None:
    flags: list[str] = []
    collected = cancelled_run(Agent(replies("x"), leave=slow_exit(flags, 0.1)), 0.05)
    assert flags == ["left"]
    (result,) = collected.results
    assert result.status is SafetyStatus.ERROR
    assert len(result.turns) == 2


def test_cancelled_during_cleanup_after_an_unsafe_verdict_stays_unsafe() -> None:
    collected = cancelled_run(Agent(replies("zzz"), leave=slow_exit([], 0.1)), 0.05)
    assert not was_read(collected.results[0]), "a harm that was found wants to be looked at"
    assert collected.results[0].status is SafetyStatus.UNSAFE


def test_hanging_error_handlers_are_bounded() -> None:
    async def action(data: ExecutionEventData) -> None:
        if data.event is ExecutionEvent.ON_ERROR:
            await hang()

    collected = cancelled_run(Agent(hang_on), 0.02, events=Events(action), cleanup_timeout_s=0.05)
    assert len(collected.results) == 1


def test_exit_that_uses_task_groups_and_timeouts_works_after_a_cancellation() -> None:
    flags: list[str] = []

    async def leave() -> object:
        async with asyncio.timeout(1), asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(0.01))
        flags.append("left")
        return None

    cancelled_run(Agent(hang_on, leave=leave), 0.02)
    assert flags == ["left"]


def test_anyio_scopes_span_the_session() -> None:
    anyio = pytest.importorskip("anyio")
    groups: list[Any] = []
    order: list[str] = []

    async def enter() -> object:
        group = anyio.create_task_group()
        await group.__aenter__()
        groups.append(group)
        return None

    async def leave() -> object:
        groups[0].cancel_scope.cancel()
        await groups[0].__aexit__(None, None, None)
        order.append("group left in the task that entered it")
        return None

    agent = Agent(replies("x"), enter=enter, leave=leave)
    assert run(Probes.behavior(prompt="x", evaluator=Says("x")).execute_async(adapter=agent)).safe
    assert len(order) == 1
    groups.clear()
    cancelled_run(Agent(hang_on, enter=enter, leave=leave), 0.02)
    assert len(order) == 2


def test_an_anyio_scope_of_the_caller_cancels_after_cleanup() -> None:
    anyio = pytest.importorskip("anyio")
    flags: list[str] = []

    async def go() -> bool:
        with anyio.move_on_after(0.03) as scope:
            await Probes.behavior(prompt="x", evaluator=Says("x")).execute_async(
                adapter=Agent(hang_on, leave=slow_exit(flags))
            )
        return bool(scope.cancelled_caught)

    assert run(go())
    assert flags == ["left"]


def test_cancelling_trials_cancels_and_cleans_up_each() -> None:
    flags: list[str] = []
    agent = Agent(hang_on, leave=slow_exit(flags))
    collected, installed = collecting()

    async def go() -> None:
        task = asyncio.create_task(
            execute_trials_async(
                execution_factory=lambda: Probes.behavior(prompt="x", evaluator=Says("x")),
                adapter=agent,
                n=5,
                concurrency=3,
            )
        )
        await asyncio.gather(cancel_later(task, 0.03, 0.01), asyncio.wait([task]))
        assert task.cancelled()

    with installed:
        run(go())
    assert (agent.opened, agent.closed, flags) == (3, 3, ["left"] * 3)
    assert [result.status for result in collected.results] == [SafetyStatus.ERROR] * 3
    assert collected.populations == []
