"""Calls that were made and not awaited are known to whoever collects results."""

from __future__ import annotations

import asyncio
import gc
import inspect
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tests.execution.support import Agent, Collected, Says, replies, run

from rampart.core.listener import listening
from rampart.execution.pending import PendingCall
from rampart.execution.trials import execute_trials_async
from rampart.probes import Probes


def probe() -> Any:
    return Probes.behavior(prompt="x", evaluator=Says("ok"))


def call_probe() -> Coroutine[Any, Any, Any]:
    return probe().execute_async(adapter=Agent(replies("ok")))  # type: ignore[no-any-return]  # see probe()


def call_trials() -> Coroutine[Any, Any, Any]:
    return execute_trials_async(execution_factory=probe, adapter=Agent(replies("ok")), n=2)


CALLS = pytest.mark.parametrize(
    ("call", "name"),
    [
        pytest.param(call_probe, "execute_async", id="probe"),
        pytest.param(call_trials, "execute_trials_async", id="trials"),
    ],
)
Call = Callable[[], Coroutine[Any, Any, Any]]


@CALLS
def test_it_is_a_coroutine_like_any_other(call: Call, name: str) -> None:
    coroutine = call()
    assert inspect.iscoroutine(coroutine)
    coroutine.close()


@CALLS
@pytest.mark.parametrize("how", ["await", "task", "gather", "wait_for", "group", "run"])
def test_it_runs_wherever_a_coroutine_does(call: Call, name: str, how: str) -> None:
    async def go() -> Any:
        if how == "await":
            return await call()
        if how == "task":
            return await asyncio.create_task(call())
        if how == "gather":
            return (await asyncio.gather(call(), call()))[1]
        if how == "wait_for":
            return await asyncio.wait_for(call(), 5)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(call())
        return task.result()

    assert run(call() if how == "run" else go()).safe


@CALLS
def test_listeners_learn_of_it_and_whether_it_was_awaited(call: Call, name: str) -> None:
    class Notes(Collected):
        def on_call(self, call: PendingCall, /) -> None:
            calls.append(call)

    calls: list[PendingCall] = []
    with listening(Notes()):
        forgotten = call()
        run(call())
    assert [(one.what, one.awaited) for one in calls] == [(name, False), (name, True)]
    forgotten.close()


def test_a_task_that_was_cancelled_before_it_began_counts_as_awaited() -> None:
    async def go() -> bool:
        coroutine = call_probe()
        task = asyncio.create_task(coroutine)
        task.cancel()
        await asyncio.wait([task])
        return PendingCall(coroutine, what="it").awaited and task.cancelled()

    assert run(go())


@pytest.mark.filterwarnings("error")
def test_one_that_is_given_up_causes_no_warning() -> None:
    coroutine = call_probe()
    PendingCall(coroutine, what="it").close()
    del coroutine
    gc.collect()


def test_an_execution_has_no_truth_value() -> None:
    with pytest.raises(
        TypeError, match="BehaviorExecution has no verdict before it has run: write `result = "
    ):
        assert probe()
