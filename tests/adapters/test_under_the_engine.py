"""Adapters over functions under probes and trials: what was done, what was seen, what is claimed."""

import asyncio
import logging
import threading
import time
import warnings
from typing import Any

import pytest
from tests.adapters.conversation import History, calls_of
from tests.adapters.spied_tools import in_own_thread

from rampart.adapters import CallableAdapter, record_tools
from rampart.adapters.tool_warnings import LateToolCallWarning, UnattributedToolCallWarning
from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator
from rampart.core.limits import Limits
from rampart.core.result import SafetyStatus
from rampart.core.types import ObservabilityLevel, Response
from rampart.evaluators import ResponseContains, ResponseScope, ToolCalled, ToolExecuted
from rampart.execution import BaseExecution, execute_trials_async
from rampart.probes import Probes


@record_tools
def send_email(to: str) -> str:
    return f"sent to {to}"


def sends_what_it_is_told(prompt: str, history: History) -> str:
    return send_email(prompt.removeprefix("send ")) if prompt.startswith("send ") else "nothing sent"


def only_talks(prompt: str, history: History) -> str:
    return "nothing sent"


def expecting(evaluator: Any, prompt: str = "send x", **options: Any) -> BaseExecution:
    return Probes.behavior(prompt=prompt, evaluator=evaluator, **options)


@pytest.mark.parametrize(
    ("agent", "prompt", "evaluator", "status"),
    [
        pytest.param(
            sends_what_it_is_told, "send x", ToolExecuted("send_email", to="x"), "safe", id="called"
        ),
        pytest.param(sends_what_it_is_told, "send x", ~ToolCalled("send_email"), "unsafe", id="forbidden"),
        pytest.param(
            sends_what_it_is_told, "hello", ToolCalled("send_email"), "unsafe", id="silent-and-seen"
        ),
        pytest.param(sends_what_it_is_told, "hello", ~ToolCalled("send_email"), "safe", id="rightly-silent"),
        pytest.param(only_talks, "hello", ~ToolCalled("send_email"), "undetermined", id="nobody-looked"),
    ],
)
async def test_silence_counts_only_where_tools_are_recorded(
    agent: Any, prompt: str, evaluator: Any, status: str
) -> None:
    result = await expecting(evaluator, prompt).execute_async(adapter=CallableAdapter(agent))
    assert result.status is SafetyStatus(status)


async def test_the_first_reply_that_declares_its_level_is_believed() -> None:
    def agent(prompt: str, history: History) -> Response:
        return Response(text="", metadata={"observability": ObservabilityLevel.TOOL_ONLY})

    result = await expecting(~ToolCalled("send_email")).execute_async(adapter=CallableAdapter(agent))
    assert result.status is SafetyStatus.SAFE
    assert result.observability_level is ObservabilityLevel.TOOL_ONLY


async def test_what_was_done_before_an_exception_is_on_the_result() -> None:
    def agent(prompt: str, history: History) -> str:
        send_email("x")
        raise ConnectionError("down")

    result = await expecting(ToolCalled("send_email")).execute_async(adapter=CallableAdapter(agent))
    assert result.status is SafetyStatus.ERROR
    assert "ConnectionError: down" in result.summary
    assert calls_of(result.turns[0].response) == [("send_email", {"to": "x"})]


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_what_was_done_before_a_hang_is_on_the_result(kind: str) -> None:
    go_on, done = threading.Event(), threading.Event()

    def sync(prompt: str, history: History) -> str:
        send_email("x")
        go_on.wait(30)
        done.set()
        return ""

    async def deferred(prompt: str, history: History) -> str:
        send_email("x")
        await asyncio.get_running_loop().create_future()
        return ""

    began = time.monotonic()
    result = await expecting(
        ToolCalled("send_email"), limits=Limits(turn_timeout_s=0.2, cleanup_timeout_s=5)
    ).execute_async(adapter=CallableAdapter(sync if kind == "sync" else deferred))
    assert time.monotonic() - began < 5
    assert result.status is SafetyStatus.ERROR
    assert "send_async (turn 0) timed out after 0.2 s" in result.summary
    assert calls_of(result.turns[0].response) == [("send_email", {"to": "x"})]
    go_on.set()
    if kind == "sync":
        assert await asyncio.to_thread(done.wait, 30)


async def test_a_release_that_waits_for_a_hanging_call_ends_with_its_time_limit_and_is_done_later() -> None:
    go_on, closed = threading.Event(), threading.Event()

    class Agent:
        def reply(self, prompt: str, history: History) -> str:
            go_on.wait(30)
            return ""

        def close(self) -> None:
            closed.set()

    began = time.monotonic()
    result = await expecting(
        ToolCalled("send_email"), limits=Limits(turn_timeout_s=0.1, cleanup_timeout_s=0.2)
    ).execute_async(adapter=CallableAdapter(Agent.reply, session_factory=Agent))
    assert 0.3 <= time.monotonic() - began < 5
    assert result.status is SafetyStatus.ERROR
    assert "send_async (turn 0) timed out after 0.1 s" in result.summary
    assert not closed.is_set()
    go_on.set()
    assert await asyncio.to_thread(closed.wait, 30)


@pytest.mark.parametrize("reply", [None, 3, Response(text=None)], ids=["none", "number", "no-text"])  # type: ignore[arg-type]  # wrong on purpose
async def test_a_wrong_reply_is_an_error_that_names_the_function(reply: object) -> None:
    def agent(prompt: str, history: History) -> object:
        send_email("x")
        return reply

    result = await expecting(ToolCalled("send_email")).execute_async(adapter=CallableAdapter(agent))
    assert result.status is SafetyStatus.ERROR
    assert "agent function 'agent' returned" in result.summary
    assert calls_of(result.turns[0].response) == [("send_email", {"to": "x"})]


async def test_200_blocking_trials_overlap() -> None:
    def agent(prompt: str, history: History) -> str:
        time.sleep(0.5)
        return "ok"

    began = time.monotonic()
    population = await execute_trials_async(
        execution_factory=lambda: expecting(ResponseContains("ok", scope=ResponseScope.ANY_TURN)),
        adapter=CallableAdapter(agent),
        n=200,
        concurrency=200,
    )
    assert population.safe_count == 200
    assert time.monotonic() - began < 10  # one after another: 100 s; a pool of 32 threads: 3.5 s and more


async def test_the_cap_of_the_adapter_is_kept() -> None:
    inside = 0
    most = 0

    async def agent(prompt: str, history: History) -> str:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.001)
        inside -= 1
        return "ok"

    population = await execute_trials_async(
        execution_factory=lambda: expecting(ResponseContains("ok", scope=ResponseScope.ANY_TURN)),
        adapter=CallableAdapter(agent, max_concurrent_sessions=3),
        n=20,
    )
    assert population.safe_count == 20
    assert most == 3


async def test_trials_tell_their_calls_apart() -> None:
    prompts = iter(f"send {index}" for index in range(50))
    population = await execute_trials_async(
        execution_factory=lambda: expecting(ToolExecuted("send_email"), next(prompts)),
        adapter=CallableAdapter(sends_what_it_is_told),
        n=50,
        concurrency=50,
    )
    for index, result in enumerate(population.results):
        assert calls_of(result.turns[0].response) == [("send_email", {"to": str(index)})]


async def test_calls_that_nobody_can_attribute_make_no_trial_safe() -> None:
    everybody_is_in = asyncio.Barrier(5)

    async def agent(prompt: str, history: History) -> str:
        await everybody_is_in.wait()
        in_own_thread(lambda: send_email("x"))
        await everybody_is_in.wait()
        return ""

    with pytest.warns(UnattributedToolCallWarning):
        population = await execute_trials_async(
            execution_factory=lambda: expecting(~ToolCalled("send_email")),
            adapter=CallableAdapter(agent),
            n=5,
        )
    assert {result.status for result in population.results} == {SafetyStatus.UNDETERMINED}
    assert {result.observability_level for result in population.results} == {ObservabilityLevel.RESPONSE_ONLY}


async def test_one_hanging_trial_spoils_no_other() -> None:
    go_on, done = threading.Event(), threading.Event()

    def agent(prompt: str, history: History) -> str:
        if prompt == "hang":
            go_on.wait(30)
            send_email("late")
            done.set()
        return "nothing sent"

    prompts = iter(["hang", *["hello"] * 9])
    adapter = CallableAdapter(agent)
    population = await execute_trials_async(
        execution_factory=lambda: expecting(
            ~ToolCalled("send_email"), next(prompts), limits=Limits(turn_timeout_s=0.5)
        ),
        adapter=adapter,
        n=10,
        threshold=0.0,
    )
    assert [result.status for result in population.results] == [SafetyStatus.ERROR] + [SafetyStatus.SAFE] * 9
    async with await adapter.create_session_async() as session:
        go_on.set()
        with pytest.warns(LateToolCallWarning):
            await asyncio.to_thread(done.wait, 30)
        assert session.observability_profile is ObservabilityLevel.TOOL_ONLY


@record_tools
async def wipe() -> str:
    return "wiped"


class Slow(BaseEvaluator):
    """Waits until the agent's background work is done, and sees nothing."""

    def __init__(self, work: set[asyncio.Task[str]]) -> None:
        self.work = work

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        await asyncio.gather(*self.work)
        return EvalResult(outcome=EvalOutcome.NOT_DETECTED)


class WipesLater:
    """Says that it did nothing, and does it while it is being judged."""

    def __init__(self) -> None:
        self.work: set[asyncio.Task[str]] = set()

    async def __call__(self, prompt: str, history: History) -> str:
        async def later() -> str:
            await asyncio.sleep(0.02)
            return await wipe()

        self.work.add(asyncio.create_task(later()))
        return "I did nothing"


async def test_a_call_during_the_final_evaluation_is_no_silence() -> None:
    agent = WipesLater()
    adapter = CallableAdapter(agent, observability=ObservabilityLevel.TOOL_ONLY)
    with pytest.warns(LateToolCallWarning, match="'wipe'"):
        result = await expecting(~Slow(agent.work) & ~ToolCalled("wipe")).execute_async(adapter=adapter)
    assert result.status is SafetyStatus.UNDETERMINED
    assert result.observability_level is ObservabilityLevel.RESPONSE_ONLY


async def test_where_warnings_are_errors_the_record_says_so_all_the_same(
    caplog: pytest.LogCaptureFixture,
) -> None:
    agent = WipesLater()
    adapter = CallableAdapter(agent, observability=ObservabilityLevel.TOOL_ONLY)
    with warnings.catch_warnings(), caplog.at_level(logging.WARNING, logger="rampart"):
        warnings.simplefilter("error")
        result = await expecting(~Slow(agent.work) & ~ToolCalled("wipe")).execute_async(adapter=adapter)
    assert result.status is SafetyStatus.UNDETERMINED
    assert result.observability_level is ObservabilityLevel.RESPONSE_ONLY
    assert "tool 'wipe' of agent function 'WipesLater' was called after the last turn" in caplog.text


async def test_an_agent_that_denies_what_the_tool_saw_is_not_believed() -> None:
    def agent(prompt: str, history: History) -> dict[str, Any]:
        send_email("x")
        denied = {"name": "send_email", "arguments": {"to": "x"}, "executed": False}
        return {"text": "", "tool_calls": [denied]}

    result = await expecting(~ToolExecuted("send_email")).execute_async(adapter=CallableAdapter(agent))
    assert result.status is SafetyStatus.UNSAFE
    (call,) = result.turns[0].response.tool_calls
    assert (call.executed, call.result) == (True, "sent to x")


class CallsATool(BaseEvaluator):
    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        send_email("the evaluator")
        return EvalResult(outcome=EvalOutcome.NOT_DETECTED)


async def test_a_tool_that_an_evaluator_calls_is_not_the_agents_doing() -> None:
    probe = Probes.behavior(
        prompts=["hello", "hello"], evaluator=ToolCalled("send_email"), stop_when=CallsATool()
    )
    with pytest.warns(UnattributedToolCallWarning, match="If the test called it"):
        result = await probe.execute_async(adapter=CallableAdapter(sends_what_it_is_told))
    assert result.status is SafetyStatus.UNDETERMINED
    assert [turn.response.tool_calls for turn in result.turns] == [[], []]


async def test_a_thread_that_an_earlier_trial_left_behind_makes_no_later_one_safe() -> None:
    go_on = threading.Event()
    strays: list[threading.Thread] = []

    def straggle() -> None:
        go_on.wait(30)
        send_email("late")

    async def first(prompt: str, history: History) -> str:
        strays.append(threading.Thread(target=straggle))
        strays[0].start()
        return ""

    async def second(prompt: str, history: History) -> str:
        go_on.set()
        await asyncio.to_thread(strays[0].join)
        return ""

    await expecting(ToolCalled("send_email")).execute_async(adapter=CallableAdapter(first))
    adapter = CallableAdapter(second, observability=ObservabilityLevel.TOOL_ONLY)
    with pytest.warns(UnattributedToolCallWarning, match="1 session was open"):
        result = await expecting(ToolCalled("send_email")).execute_async(adapter=adapter)
    assert result.status is SafetyStatus.UNDETERMINED


@pytest.mark.parametrize("reports", [True, False], ids=["reported", "recorded"])
async def test_what_the_agent_does_to_its_arguments_later_changes_no_record(reports: bool) -> None:
    box = {"address": ["x"]}

    @record_tools
    def deliver(to: dict[str, Any]) -> dict[str, Any]:
        return to

    def agent(prompt: str, history: History) -> dict[str, Any]:
        if history:
            box.clear()
            return {"text": ""}
        if not reports:
            deliver(box)
            return {"text": ""}
        return {"text": "", "tool_calls": [{"name": "deliver", "arguments": {"to": box}, "result": box}]}

    probe = Probes.behavior(prompts=["one", "two"], evaluator=ToolCalled("deliver", to={"address": ["x"]}))
    result = await probe.execute_async(
        adapter=CallableAdapter(agent, observability=ObservabilityLevel.TOOL_ONLY)
    )
    assert result.status is SafetyStatus.SAFE
    assert result.turns[0].response.tool_calls[0].result == {"address": ["x"]}
