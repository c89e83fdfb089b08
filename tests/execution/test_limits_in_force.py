"""Limits stop what hangs, name it, and leave nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

import pytest
from tests.execution.support import Agent, Answers, Asks, Says, hang, hang_on, replies, run

from rampart.core.errors import ExecutionTimeoutError, attach_partial
from rampart.core.limits import Limits, configure_defaults, preserved_defaults
from rampart.core.result import Result, SafetyStatus
from rampart.core.types import ObservabilityLevel, Request, Response
from rampart.execution.base import BaseExecution
from rampart.probes import Probes

SHORT = 0.05


def result_of(adapter: Any, limits: Limits | None, **options: Any) -> Result:
    options = {"prompt": "x", "evaluator": Says("x"), **options}
    if "driver" in options or "prompts" in options:
        options["prompt"] = None
    started = time.monotonic()
    result = run(Probes.behavior(limits=limits, **options).execute_async(adapter=adapter))
    assert time.monotonic() - started < 2
    return result


async def hanging_driver(history: object) -> object:
    return await hang()


@pytest.mark.parametrize(
    ("agent", "options", "limits", "summary"),
    [
        pytest.param(
            Agent(replies("x")),
            {"driver": Asks(hanging_driver)},
            {"turn_timeout_s": SHORT},
            "driver (turn 0)",
            id="driver",
        ),
        pytest.param(Agent(hang_on), {}, {"turn_timeout_s": SHORT}, "send_async (turn 0)", id="agent"),
        pytest.param(
            Agent(replies("x")),
            {"stop_when": Answers(hang)},
            {"turn_timeout_s": SHORT},
            "stop check (turn 0)",
            id="stop-check",
        ),
        pytest.param(
            Agent(replies("x")),
            {"evaluator": Answers(hang)},
            {"turn_timeout_s": SHORT},
            "final evaluation",
            id="evaluator",
        ),
        pytest.param(
            Agent(replies("x"), create=hang), {}, {"ready_timeout_s": SHORT}, "session start", id="create"
        ),
        pytest.param(
            Agent(replies("x"), enter=hang), {}, {"ready_timeout_s": SHORT}, "session start", id="enter"
        ),
        pytest.param(
            Agent(hang_on),
            {},
            {"execution_timeout_s": SHORT},
            "execution, while in send_async (turn 0),",
            id="whole-execution",
        ),
    ],
)
def test_each_limit_names_what_hung(
    agent: Agent, options: dict[str, Any], limits: dict[str, float], summary: str
) -> None:
    result = result_of(agent, Limits(**limits), **options)
    assert result.status is SafetyStatus.ERROR
    assert result.summary == f"ExecutionTimeoutError: {summary} timed out after 0.05 s"
    assert result.metadata["error_type"] == "ExecutionTimeoutError"
    assert agent.opened == agent.closed


def test_hanging_exit_is_bounded_and_costs_the_verdict() -> None:
    result = result_of(Agent(replies("x"), leave=hang), Limits(cleanup_timeout_s=SHORT))
    assert result.status is SafetyStatus.ERROR
    assert result.metadata["cleanup_errors"] == [
        "session exit: ExecutionTimeoutError: session exit timed out after 0.05 s"
    ]


def test_s49_turns_before_the_hang_are_kept() -> None:
    async def send(request: Request) -> object:
        return Response(text="first") if request.prompt == "a" else await hang()

    agent = Agent(send)
    result = result_of(agent, Limits(turn_timeout_s=SHORT), prompts=["a", "b"], evaluator=Says("first"))
    assert result.status is SafetyStatus.ERROR
    assert "send_async (turn 1)" in result.summary
    assert [turn.response.text for turn in result.turns] == ["first"]
    assert agent.closed == 1


def test_what_the_agent_did_before_it_hung_is_kept_if_the_session_tells() -> None:
    async def send(request: Request) -> object:
        try:
            return await hang()
        except asyncio.CancelledError as error:
            attach_partial(error, Response(text="so far"))
            raise

    result = result_of(Agent(send), Limits(turn_timeout_s=SHORT))
    assert result.status is SafetyStatus.ERROR
    assert [turn.response.text for turn in result.turns] == ["so far"]


def test_an_agent_that_swallows_the_cancellation_still_timed_out() -> None:
    async def send(request: Request) -> object:
        try:
            await hang()
        except asyncio.CancelledError:
            return Response(text="x")
        return None

    result = result_of(Agent(send), Limits(turn_timeout_s=SHORT))
    assert result.summary == "ExecutionTimeoutError: send_async (turn 0) timed out after 0.05 s"


def test_an_agent_that_retries_after_its_cancellation_is_cancelled_again() -> None:
    tries: list[int] = []

    async def send(request: Request) -> object:
        for attempt in range(2):
            try:
                tries.append(attempt)
                await hang()
            except asyncio.CancelledError:
                continue
        return Response(text="x")

    result = result_of(Agent(send), Limits(turn_timeout_s=SHORT))
    assert result.status is SafetyStatus.ERROR
    assert tries == [0, 1]


def test_the_error_an_agent_makes_of_its_cancellation_is_the_cause() -> None:
    class BrokenError(Exception):
        pass

    async def send(request: Request) -> object:
        try:
            return await hang()
        except asyncio.CancelledError:
            raise BrokenError from None

    result = result_of(Agent(send), Limits(turn_timeout_s=SHORT))
    assert "send_async (turn 0) timed out" in result.summary


def test_timeouts_inside_the_agent_are_its_own() -> None:
    async def send(request: Request) -> object:
        try:
            async with asyncio.timeout(0.01):
                await hang()
        except TimeoutError:
            return Response(text="x")
        return None

    assert result_of(Agent(send), Limits(turn_timeout_s=1)).safe


def test_timeouts_inside_the_exit_are_its_own() -> None:
    async def leave() -> object:
        try:
            async with asyncio.timeout(0.01):
                await hang()
        except TimeoutError:
            pass
        return None

    assert result_of(Agent(replies("x"), leave=leave), Limits(turn_timeout_s=1)).safe


def test_configured_limits_apply_where_an_execution_states_none() -> None:
    with preserved_defaults():
        configure_defaults(limits=Limits(turn_timeout_s=SHORT))
        assert "send_async" in result_of(Agent(hang_on), None).summary
        generous = Limits(turn_timeout_s=None, execution_timeout_s=0.2)
        assert "after 0.2 s" in result_of(Agent(hang_on), generous).summary


def test_outer_limit_reaches_strategies_that_wait_on_their_own() -> None:
    class Waits(BaseExecution):
        strategy_name = "waits"

        async def _execute_async(self, *, adapter: object) -> Result:
            await hang()
            raise AssertionError

    result = run(Waits(limits=Limits(execution_timeout_s=SHORT)).execute_async(adapter=Agent(replies("x"))))
    assert result.summary == "ExecutionTimeoutError: execution timed out after 0.05 s"


def test_outer_limit_is_not_escaped_by_swallowing() -> None:
    class Swallows(BaseExecution):
        strategy_name = "swallows"

        async def _execute_async(self, *, adapter: object) -> Result:
            with contextlib.suppress(asyncio.CancelledError):
                await hang()
            return Result(
                status=SafetyStatus.SAFE, summary="", observability_level=ObservabilityLevel.TOOL_ONLY
            )

    result = run(
        Swallows(limits=Limits(execution_timeout_s=SHORT)).execute_async(adapter=Agent(replies("x")))
    )
    assert result.status is SafetyStatus.ERROR


def test_the_outer_limit_does_not_count_cleanup() -> None:
    async def leave() -> object:
        await asyncio.sleep(0.15)
        return None

    assert result_of(Agent(replies("x"), leave=leave), Limits(execution_timeout_s=0.1)).safe


def test_the_task_is_not_left_cancelled_after_a_timeout() -> None:
    async def go() -> int:
        await Probes.behavior(
            prompt="x", evaluator=Says("x"), limits=Limits(turn_timeout_s=SHORT)
        ).execute_async(adapter=Agent(hang_on))
        task = asyncio.current_task()
        assert task is not None
        await asyncio.sleep(0)
        return task.cancelling()

    assert run(go()) == 0


def test_timeout_error_is_a_timeout_error() -> None:
    assert issubclass(ExecutionTimeoutError, TimeoutError)


def test_an_agent_that_blocks_the_event_loop_beyond_the_limit_is_late_all_the_same() -> None:
    async def send(request: Request) -> object:
        time.sleep(0.1)  # noqa: ASYNC251  # blocking is the fault under test
        return Response(text="x")

    result = result_of(Agent(send), Limits(turn_timeout_s=SHORT))
    assert result.summary == "ExecutionTimeoutError: send_async (turn 0) timed out after 0.05 s"
    assert [turn.response.text for turn in result.turns] == ["x"], "what it said is kept"


def test_a_blocking_exit_that_ends_is_no_failure() -> None:
    async def leave() -> object:
        time.sleep(0.1)  # noqa: ASYNC251  # blocking is the fault under test
        return None

    assert result_of(Agent(replies("x"), leave=leave), Limits(cleanup_timeout_s=SHORT)).safe


def test_the_prompt_that_got_no_answer_is_kept() -> None:
    async def send(request: Request) -> object:
        return Response(text="first") if request.prompt == "a" else await hang()

    result = result_of(Agent(send), Limits(turn_timeout_s=SHORT), prompts=["a", "b"])
    assert result.metadata["unanswered_prompt"] == "b"
    assert [turn.request.prompt for turn in result.turns] == ["a"]
