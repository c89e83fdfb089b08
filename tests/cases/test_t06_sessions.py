"""Cases about the life of a session: it ends whatever happens, and an abrupt end is no verdict."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.cases.child import Child, Run
from tests.cases.own_adapter import Events, OwnAdapter, hang_async
from tests.cases.words import ANY, ERROR, SAFE, UNSAFE, Answers, attack_async, probe_async

from rampart import (
    Attacks,
    BaseEvaluator,
    ExecutionEvent,
    Limits,
    Probes,
    PromptDecision,
    PromptDriver,
    Result,
    SafetyStatus,
    Turn,
)
from rampart.drivers import StaticDriver
from rampart.evaluators import ResponseContains
from rampart.testing import HANG, ScriptedAgent

OK = ResponseContains("ok", scope=ANY)


class SlowExit:
    """A session exit that takes a moment and must not be cut short."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.done = False

    async def __call__(self) -> None:
        self.began.set()
        await asyncio.sleep(0.05)
        self.done = True


async def _cancel_async(task: "asyncio.Task[Result]", leave: SlowExit) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def _cancel_twice_async(task: "asyncio.Task[Result]", leave: SlowExit) -> None:
    task.cancel()
    await leave.began.wait()
    assert not leave.done
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def _time_out_async(task: "asyncio.Task[Result]", leave: SlowExit) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await task


@pytest.mark.case(43)
@pytest.mark.parametrize(
    "interrupt_async",
    [_cancel_async, _cancel_twice_async, _time_out_async],
    ids=["cancelled", "cancelled-twice", "timeout"],
)
async def test_s43_cancelling_does_not_skip_cleanup(
    interrupt_async: Callable[["asyncio.Task[Result]", SlowExit], Awaitable[None]],
) -> None:
    leave = SlowExit()
    agent = OwnAdapter(hang_async, leave=leave)
    task = asyncio.create_task(probe_async(OK, agent))
    await agent.asked.wait()
    await interrupt_async(task, leave)
    assert leave.done
    assert (agent.entered, agent.left) == (1, 1)


@pytest.mark.case(43)
async def test_s43_timeout_around_the_call_itself() -> None:
    leave = SlowExit()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await probe_async(OK, OwnAdapter(hang_async, leave=leave))
    assert leave.done


@pytest.mark.case(44)
async def test_s44_cancelled_during_setup() -> None:
    held: list[str] = []
    hanging = asyncio.Event()

    async def enter() -> None:
        held.append("connection")
        try:
            if not hanging.is_set():
                hanging.set()
                await hang_async()
        except asyncio.CancelledError:
            held.remove("connection")
            raise

    async def leave() -> None:
        held.remove("connection")

    agent = OwnAdapter("ok", enter=enter, leave=leave)
    task = asyncio.create_task(probe_async(OK, agent))
    await hanging.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert held == []
    assert agent.prompts == []
    assert (await probe_async(OK, agent)).status is SAFE
    assert held == []


@pytest.mark.case(44)
def test_s44_entry_has_to_undo_itself_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text(encoding="utf-8")
    (line,) = [line for line in page.splitlines() if "`async __aenter__()`" in line]
    assert "cancelled" in line
    assert "undo" in line


@pytest.mark.case(45)
async def test_s45_cancelled_error_is_noticed() -> None:
    agent = ScriptedAgent(["first", HANG])
    events = Events()
    execution = Probes.behavior(prompts=["a", "b"], evaluator=OK, event_handlers=[events])
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(execution.execute_async(adapter=agent), 0.1)
    assert (agent.opened, agent.closed) == (1, 1)
    assert events.count(ExecutionEvent.ON_ERROR) == 1
    assert events.count(ExecutionEvent.ON_POST_EXECUTE) == 0
    assert isinstance(events.heard[-1].error, asyncio.CancelledError)


@pytest.mark.case(46)
async def test_s46_exit_that_swallows_does_not_hide_the_failure() -> None:
    agent = OwnAdapter(ConnectionError("down"), swallows=True)
    result = await attack_async(ResponseContains("x", scope=ANY), agent)
    assert result.status is ERROR
    assert "down" in result.summary
    assert (agent.entered, agent.left) == (1, 1)


@pytest.mark.case(46)
async def test_s46_exit_that_swallows_does_not_hide_a_cancellation() -> None:
    agent = OwnAdapter(hang_async, swallows=True)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(probe_async(OK, agent), 0.02)
    assert agent.left == 1


async def _fail_async() -> None:
    raise RuntimeError("rm failed")


@pytest.mark.case(47)
async def test_s47_cancellation_survives_a_failing_cleanup(caplog: pytest.LogCaptureFixture) -> None:
    agent = OwnAdapter(hang_async, leave=_fail_async)
    task = asyncio.create_task(probe_async(OK, agent))
    await agent.asked.wait()
    task.cancel()
    with caplog.at_level(logging.WARNING), pytest.raises(asyncio.CancelledError) as caught:
        await task
    chained = repr(caught.value.__cause__) + repr(caught.value.__context__)
    assert "rm failed" in caplog.text + chained


@pytest.mark.case(47)
async def test_s47_timeout_survives_a_failing_cleanup() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await probe_async(OK, OwnAdapter(hang_async, leave=_fail_async))


class FailingDriver:
    """A driver that looks up what is not there."""

    async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision | None:
        raise KeyError("no such prompt")


FAILURES: dict[str, tuple[BaseException | str, PromptDriver, BaseEvaluator, str]] = {
    "agent, timeout": (TimeoutError("late"), StaticDriver(prompts=["a"]), OK, "TimeoutError: late"),
    "agent, os": (OSError("disk"), StaticDriver(prompts=["a"]), OK, "OSError: disk"),
    "agent, group": (
        ExceptionGroup("tasks", [ConnectionError("reset"), OSError("pipe")]),
        StaticDriver(prompts=["a"]),
        OK,
        "ExceptionGroup: tasks",
    ),
    "driver": ("ok", FailingDriver(), OK, "KeyError: 'no such prompt'"),
    "evaluator": ("ok", StaticDriver(prompts=["a"]), Answers(ValueError("no")), "ValueError: no"),
}


@pytest.mark.case(48)
@pytest.mark.parametrize("polarity", ["probe", "attack"])
@pytest.mark.parametrize(("item", "driver", "evaluator", "named"), FAILURES.values(), ids=FAILURES)
async def test_s48_failure_of_any_type_is_an_error(
    item: BaseException | str, driver: PromptDriver, evaluator: BaseEvaluator, named: str, polarity: str
) -> None:
    agent, events = OwnAdapter(item), Events()
    if polarity == "probe":
        execution = Probes.behavior(driver=driver, evaluator=evaluator, event_handlers=[events])
    else:
        execution = Attacks.xpia(trigger=driver, evaluator=evaluator, event_handlers=[events])
    result = await execution.execute_async(adapter=agent)
    assert result.status is ERROR
    assert named in result.summary
    assert result.metadata["error_type"] == named.partition(":")[0]
    assert events.kinds == ["on_pre_execute", "on_error", "on_post_execute"]
    assert (agent.entered, agent.left) == (1, 1)


async def _fail_in_a_group_async() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(_fail_async())
        group.create_task(hang_async())


async def _recover_from_a_group_async() -> None:
    try:
        await _fail_in_a_group_async()
    except* RuntimeError:
        pass


@pytest.mark.case(48)
async def test_s48_failing_group_of_tasks_is_an_error() -> None:
    agent = OwnAdapter(_fail_in_a_group_async)
    result = await probe_async(OK, agent)
    assert result.status is ERROR
    assert "ExceptionGroup" in result.summary
    assert (agent.entered, agent.left) == (1, 1)


@pytest.mark.case(48)
async def test_s48_group_that_failed_and_was_handled_does_no_harm() -> None:
    # Before Python 3.13 the task that waited for the group keeps a mark of cancellation from it.
    agent = OwnAdapter(
        _recover_from_a_group_async,
        "ok",
        enter=_recover_from_a_group_async,
        leave=_recover_from_a_group_async,
    )
    result = await probe_async(OK, agent, prompts=["a", "b"])
    assert result.status is SAFE
    assert [turn.response.text for turn in result.turns] == ["came back", "ok"]


@pytest.mark.case(49)
async def test_s49_agent_that_hangs_after_a_failed_group() -> None:
    agent = OwnAdapter(_recover_from_a_group_async, hang_async)
    result = await probe_async(OK, agent, prompts=["a", "b"], limits=Limits(turn_timeout_s=0.1))
    assert result.status is ERROR
    assert "send_async (turn 1)" in result.summary
    assert agent.left == 1


@pytest.mark.case(49)
async def test_s49_agent_that_never_answers() -> None:
    agent = ScriptedAgent(["first", HANG])
    started = time.monotonic()
    result = await probe_async(
        ResponseContains("first", scope=ANY),
        agent,
        prompts=["a", "b"],
        limits=Limits(turn_timeout_s=0.2),
    )
    assert time.monotonic() - started < 2
    assert result.status is ERROR
    assert "send_async (turn 1)" in result.summary
    assert [turn.response.text for turn in result.turns] == ["first"]
    assert result.trace_end_reason is None
    assert result.metadata["error_type"] == "ExecutionTimeoutError"
    assert (agent.opened, agent.closed) == (1, 1)


@pytest.mark.case(49)
@pytest.mark.parametrize("polarity", ["expected", "forbidden"])
@pytest.mark.parametrize("text", ["first", "other"])
async def test_s49_what_a_probe_saw_before_it_hung_settles_nothing(text: str, polarity: str) -> None:
    # Only an attack may conclude from an unfinished conversation, since what it looks for is harm.
    seen = ResponseContains(text, scope=ANY)
    result = await probe_async(
        seen if polarity == "expected" else ~seen,
        ScriptedAgent(["first", HANG]),
        prompts=["a", "b"],
        limits=Limits(turn_timeout_s=0.2),
    )
    assert result.status is ERROR
    assert "timed out" in result.summary


@pytest.mark.case(49)
@pytest.mark.parametrize(("text", "status"), [("first", UNSAFE), ("other", ERROR)])
async def test_s49_what_an_attack_did_before_it_hung_counts(text: str, status: SafetyStatus) -> None:
    agent = ScriptedAgent(["first", HANG])
    result = await attack_async(
        ResponseContains(text, scope=ANY),
        agent,
        prompts=["a", "b"],
        limits=Limits(turn_timeout_s=0.2),
        stop_when=None,
    )
    assert result.status is status
    assert "send_async (turn 1) timed out" in result.summary
    assert result.metadata["error_type"] == "ExecutionTimeoutError"
    assert result.trace_end_reason is None
    assert [turn.response.text for turn in result.turns] == ["first"]
    assert (agent.opened, agent.closed) == (1, 1)


@pytest.fixture(scope="module")
def interrupted(make_child: Callable[..., Child]) -> Run:
    """A run whose tests cancel what they run."""
    child = make_child()
    child.write(
        "test_it.py",
        """
        import asyncio

        import pytest
        from rampart import Limits, Probes, ResponseScope, SafetyStatus
        from rampart.evaluators import ResponseContains
        from rampart.testing import HANG, ScriptedAgent

        FLAGS = []

        async def slow_exit():
            await asyncio.sleep(0.05)
            FLAGS.append("left")

        async def failing_exit():
            raise RuntimeError("rm failed")

        def probe(**options):
            evaluator = ResponseContains("first", scope=ResponseScope.ANY_TURN)
            return Probes.behavior(prompts=["a", "b"], evaluator=evaluator, **options)

        @pytest.mark.parametrize("on_close", [slow_exit, failing_exit], ids=["s43", "s47"])
        async def test_cancelled(on_close):
            agent = ScriptedAgent(["first", HANG], on_close=on_close)
            task = asyncio.create_task(probe().execute_async(adapter=agent))
            while len(agent.prompts) < 2:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert agent.closed == 1

        async def test_s45():
            agent = ScriptedAgent(["first", HANG])
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(probe().execute_async(adapter=agent), 0.1)

        async def test_s49():
            result = await probe(limits=Limits(turn_timeout_s=0.2)).execute_async(
                adapter=ScriptedAgent(["first", HANG]))
            assert result.status is SafetyStatus.ERROR

        async def test_s49_next():
            assert FLAGS == ["left"]
            assert await probe().execute_async(adapter=ScriptedAgent(["first", "second"]))
        """,
    )
    run = child.run()
    # Nothing was checked in the cancelled tests, and nothing has to be.
    assert run.status == 0, run.output
    return run


@pytest.mark.case(43)
@pytest.mark.case(47)
@pytest.mark.parametrize("test", ["test_cancelled[s43]", "test_cancelled[s47]"])
def test_s43_s47_cancelled_run_is_recorded_and_not_as_safe(interrupted: Run, test: str) -> None:
    assert interrupted.statuses(test) == ["error"]


@pytest.mark.case(45)
def test_s45_cancelled_run_is_in_the_report(interrupted: Run) -> None:
    (result,) = interrupted.results("test_s45")
    assert result["status"] == "error"
    assert "CancelledError" in result["summary"]
    assert [turn["response"]["text"] for turn in result["turns"]] == ["first"]
    assert result["trace_end_reason"] is None
    journal = [line["result"] for line in interrupted.journal if line["pytest_nodeid"].endswith("test_s45")]
    assert [one["status"] for one in journal] == ["error"]


@pytest.mark.case(49)
def test_s49_next_test_runs(interrupted: Run) -> None:
    assert interrupted.statuses("test_s49") == ["error"]
    assert interrupted.statuses("test_s49_next") == ["safe"]
    assert interrupted.outcomes["test_s49_next"] == "passed"
