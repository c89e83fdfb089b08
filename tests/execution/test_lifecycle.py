"""The life of one execution: events, errors, collected results, sessions."""

from __future__ import annotations

import logging
from typing import Any
from unittest import SkipTest

import pytest
from tests.execution.support import Agent, Answers, Asks, Collected, Events, Says, collecting, replies, run

from rampart.core.checked import was_read
from rampart.core.errors import ConfigurationError, InfrastructureError
from rampart.core.evaluation import EvalOutcome
from rampart.core.limits import Limits
from rampart.core.listener import runner_outcomes as outcomes_of_a_test_runner
from rampart.core.result import PopulationRef, Result, SafetyStatus
from rampart.core.types import ObservabilityLevel, Request, Response, ToolCall
from rampart.execution.base import BaseExecution
from rampart.execution.events import ExecutionEvent, ExecutionEventData
from rampart.probes import Probes

PRE, POST, ERROR = ExecutionEvent.ON_PRE_EXECUTE, ExecutionEvent.ON_POST_EXECUTE, ExecutionEvent.ON_ERROR


class Gives(BaseExecution):
    """An execution that returns or raises what it was made with."""

    strategy_name = "given"

    def __init__(self, outcome: object, **options: Any) -> None:
        super().__init__(**options)
        self.outcome = outcome

    async def _execute_async(self, *, adapter: object) -> Result:
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome  # type: ignore[return-value]  # wrong types are part of the tests


def safe_result(**fields: Any) -> Result:
    return Result(
        status=SafetyStatus.SAFE, summary="fine", observability_level=ObservabilityLevel.TOOL_ONLY, **fields
    )


def execute(execution: BaseExecution, adapter: Any = None) -> tuple[Result, Collected]:
    collected, installed = collecting()
    with installed:
        result = run(execution.execute_async(adapter=adapter or Agent(replies("hello"))))
    return result, collected


def probe(adapter: Any, evaluator: Any, **options: Any) -> Result:
    options = options or {"prompt": "x"}
    return execute(Probes.behavior(evaluator=evaluator, **options), adapter)[0]


def test_a_run_fires_pre_and_post_and_collects_the_very_result() -> None:
    events = Events()
    result, collected = execute(Gives(safe_result(), event_handlers=[events]))
    assert events.names == [PRE, POST]
    assert events.seen[0].elapsed_seconds == 0.0
    assert events.seen[1].result is result
    assert collected.results == [result]
    assert collected.results[0] is result
    assert result.duration_seconds > 0


def test_population_set_by_a_strategy_is_replaced() -> None:
    made = safe_result(population=PopulationRef(id="p", index=0, size=1, threshold=1.0))
    assert execute(Gives(made))[0].population is None


def test_handlers_run_in_order_and_their_faults_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    order: list[str] = []

    def noting(name: str) -> Any:
        async def action(data: ExecutionEventData) -> None:
            order.append(name)
            if name == "first":
                raise ValueError("handler broke")

        return Events(action)

    result, _ = execute(Gives(safe_result(), event_handlers=[noting("first"), noting("second")]))
    assert order == ["first", "second", "first", "second"]
    assert result.safe
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2


def test_what_handlers_make_of_the_result_is_what_is_collected() -> None:
    async def action(data: ExecutionEventData) -> None:
        if data.result is not None:
            assert data.result.safe
            data.result.metadata["seen"] = True

    result, collected = execute(Gives(safe_result(), event_handlers=[Events(action)]))
    assert collected.results[0].metadata == {"seen": True}
    assert not was_read(result), "what handlers read is no check by the test"


def test_error_becomes_a_result_with_its_type_and_text(caplog: pytest.LogCaptureFixture) -> None:
    events = Events()
    failure = LookupError("no such\nthing")
    result, collected = execute(Gives(failure, event_handlers=[events]))
    assert result.status is SafetyStatus.ERROR
    assert result.summary == r"LookupError: no such\nthing"
    assert result.metadata == {"error": "no such\nthing", "error_type": "LookupError"}
    assert result.strategy == "given"
    assert result.trace_end_reason is None
    assert events.names == [PRE, ERROR, POST]
    assert events.seen[1].error is failure
    assert collected.results == [result]
    assert any(record.exc_info and record.exc_info[1] is failure for record in caplog.records)


@pytest.mark.parametrize(
    ("failure", "summary"),
    [
        pytest.param(TimeoutError(), "TimeoutError: (no message)", id="empty-text"),
        pytest.param(
            ExceptionGroup("two", [ValueError("a"), OSError("b")]),
            "ExceptionGroup: two (2 sub-exceptions) [ValueError: a; OSError: b]",
            id="group",
        ),
    ],
)
def test_error_line(failure: Exception, summary: str) -> None:
    assert execute(Gives(failure))[0].summary == summary


def test_level_is_the_lowest_when_the_adapter_cannot_say() -> None:
    class Mute(Agent):
        @property
        def observability_profile(self) -> ObservabilityLevel:
            raise RuntimeError("cannot say")

        @observability_profile.setter
        def observability_profile(self, value: object) -> None: ...

    result = probe(Mute(replies("x")), Says("x"))
    assert result.status is SafetyStatus.ERROR
    assert result.summary == "RuntimeError: cannot say"
    assert result.observability_level is ObservabilityLevel.RESPONSE_ONLY


def test_something_else_than_a_result_is_named() -> None:
    result, _ = execute(Gives("fine"))
    assert result.summary == "TypeError: Gives._execute_async returned str, expected a Result"


def test_adapter_without_members_is_refused_at_the_door() -> None:
    with pytest.raises(
        TypeError, match=r"object cannot serve as adapter: it has no create_session_async, manifest, observ"
    ):
        run(Gives(safe_result()).execute_async(adapter=object()))  # type: ignore[arg-type]  # the fault under test


def test_replacing_the_lifecycle_is_refused_at_class_creation() -> None:
    with pytest.raises(TypeError, match="Own must not define execute_async"):

        class Own(Gives):
            async def execute_async(self, *, adapter: object) -> Result:  # type: ignore[misc]  # the fault under test
                return safe_result()


@pytest.mark.parametrize(
    ("options", "match"),
    [
        pytest.param({"limits": 5}, "limits must be a Limits or None, got int", id="limits"),
        pytest.param({"event_handlers": [print]}, "event handler: it has no on_event_async", id="handler"),
    ],
)
def test_bad_arguments_are_refused_at_construction(options: dict[str, Any], match: str) -> None:
    with pytest.raises(TypeError, match=match):
        Gives(safe_result(), **options)


def test_without_asyncio_it_says_what_to_do() -> None:
    coroutine = Gives(safe_result()).execute_async(adapter=Agent(replies("x")))
    with pytest.raises(ConfigurationError, match="anyio_backend"):
        coroutine.send(None)


@pytest.mark.parametrize(
    "skip", [SkipTest("no key"), pytest.skip.Exception("no key")], ids=["unittest", "pytest"]
)
def test_a_skip_leaves_no_result(skip: BaseException) -> None:
    collected, installed = collecting()
    events = Events()
    with (
        installed,
        outcomes_of_a_test_runner(skips=(pytest.skip.Exception,), exits=()),
        pytest.raises(type(skip), match="no key"),
    ):
        run(Gives(skip, event_handlers=[events]).execute_async(adapter=Agent(replies("x"))))
    assert collected.results == []
    assert events.names == [PRE]


@pytest.mark.parametrize(
    "leaving",
    [pytest.exit.Exception("enough"), pytest.fail.Exception("no"), KeyboardInterrupt()],
    ids=["exit", "fail", "ctrl-c"],
)
def test_other_outcomes_leave_an_error_that_needs_no_check(leaving: BaseException) -> None:
    collected, installed = collecting()
    events = Events()
    with (
        installed,
        outcomes_of_a_test_runner(skips=(), exits=(pytest.exit.Exception,)),
        pytest.raises(type(leaving)),
    ):
        run(Gives(leaving, event_handlers=[events]).execute_async(adapter=Agent(replies("x"))))
    (kept,) = collected.results
    assert was_read(kept)
    assert kept.status is SafetyStatus.ERROR
    assert type(leaving).__name__ in kept.summary
    assert events.names == [PRE, ERROR]


class TestSessions:
    def test_each_run_opens_and_closes_one(self) -> None:
        agent = Agent(replies("x"))
        assert probe(agent, Says("x")).safe
        assert (agent.opened, agent.closed) == (1, 1)

    def test_session_without_members_is_an_error_that_names_them(self) -> None:
        async def create() -> object:
            return object()

        result = probe(Agent(replies("x"), create=create), Says("x"))
        assert result.status is SafetyStatus.ERROR
        assert "cannot serve as session: it has no send_async" in result.summary

    def test_s46_exit_cannot_swallow_a_failure(self) -> None:
        async def send(request: Request) -> object:
            raise ConnectionError("down")

        async def leave() -> object:
            return True

        agent = Agent(send, leave=leave)
        result = probe(agent, Says("x"))
        assert result.status is SafetyStatus.ERROR
        assert result.summary == "ConnectionError: down"
        assert agent.closed == 1

    @pytest.mark.parametrize(
        ("text", "evaluator", "status", "summary"),
        [
            pytest.param(
                "x",
                Says("x"),
                SafetyStatus.ERROR,
                "error: cleanup failed: session exit: RuntimeError: rm failed; "
                "without that: expected behaviour seen: 'x' seen",
                id="safe-becomes-error",
            ),
            pytest.param(
                "x",
                Says("y"),
                SafetyStatus.UNSAFE,
                "unsafe: 'y' not seen; cleanup failed: session exit: RuntimeError: rm failed",
                id="unsafe-stays",
            ),
            pytest.param(
                "x",
                Answers(EvalOutcome.UNDETERMINED),
                SafetyStatus.ERROR,
                "error: cleanup failed: session exit: RuntimeError: rm failed; "
                "without that: undetermined: told undetermined",
                id="undetermined-becomes-error",
            ),
        ],
    )
    def test_s50_failed_exit_keeps_unsafe_only(
        self, text: str, evaluator: Any, status: SafetyStatus, summary: str
    ) -> None:
        async def leave() -> object:
            raise RuntimeError("rm failed")

        result = probe(Agent(replies(text), leave=leave), evaluator)
        assert (result.status, result.summary) == (status, summary)
        assert result.metadata["cleanup_errors"] == ["session exit: RuntimeError: rm failed"]
        assert len(result.turns) == 1
        assert result.final_trace_evaluation is not None
        assert result.trace_end_reason is not None

    def test_failed_exit_does_not_hide_an_earlier_error(self) -> None:
        async def send(request: Request) -> object:
            raise OSError("gone")

        async def leave() -> object:
            raise RuntimeError("rm failed")

        result = probe(Agent(send, leave=leave), Says("x"))
        assert result.summary == "OSError: gone; cleanup failed: session exit: RuntimeError: rm failed"
        assert result.metadata["error_type"] == "OSError"

    def test_session_that_was_not_entered_is_not_left(self) -> None:
        async def enter() -> object:
            raise PermissionError("no entry")

        agent = Agent(replies("x"), enter=enter)
        assert probe(agent, Says("x")).summary == "PermissionError: no entry"
        assert agent.closed == 0


@pytest.mark.parametrize(
    ("part", "error_type"),
    [("adapter", "OSError"), ("driver", "KeyError"), ("evaluator", "ValueError")],
)
def test_s48_errors_of_any_type_become_results(part: str, error_type: str) -> None:
    async def failing_create() -> object:
        raise OSError("no adapter")

    def failing_driver(history: object) -> object:
        raise KeyError("no driver")

    events = Events()
    options: dict[str, Any] = {"prompt": "x", "evaluator": Says("x"), "event_handlers": [events]}
    agent = Agent(replies("x"))
    if part == "adapter":
        agent = Agent(replies("x"), create=failing_create)
    elif part == "driver":
        options = {**options, "prompt": None, "driver": Asks(failing_driver)}
    else:
        options["evaluator"] = Answers(ValueError("no judge"))
    result, collected = execute(Probes.behavior(**options), agent)
    assert result.status is SafetyStatus.ERROR
    assert result.metadata["error_type"] == error_type
    assert events.names.count(ERROR) == 1
    assert agent.opened == agent.closed
    assert collected.results == [result]


def test_error_keeps_the_turns_before_it() -> None:
    async def send(request: Request) -> object:
        if request.prompt == "b":
            raise InfrastructureError("lost", partial=Response(text="half", tool_calls=[ToolCall(name="t")]))
        return Response(text="whole")

    result = probe(Agent(send), Says("x"), prompts=["a", "b", "c"])
    assert [turn.response.text for turn in result.turns] == ["whole", "half"]
    assert result.turns[1].response.tool_calls[0].name == "t"
    assert "lost" in result.turns[1].response.metadata["error"]
    assert result.status is SafetyStatus.ERROR


def test_what_a_wrong_response_held_is_kept() -> None:
    async def send(request: Request) -> object:
        return Response(text=None, tool_calls=[ToolCall(name="wire_money")])  # type: ignore[arg-type]  # the fault

    result = probe(Agent(send), Says("x"))
    assert result.status is SafetyStatus.ERROR
    assert result.turns[0].response.text == ""
    assert result.turns[0].response.tool_calls == [ToolCall(name="wire_money")]


def test_s23_nothing_of_one_run_shows_in_the_next() -> None:
    evaluator = Answers(EvalOutcome.NOT_DETECTED, RuntimeError("second"))
    execution = Probes.behavior(prompt="x", evaluator=evaluator)
    first, _ = execute(execution)
    second, _ = execute(execution)
    assert first.status is SafetyStatus.UNSAFE
    assert second.status is SafetyStatus.ERROR
    assert second.final_trace_evaluation is None
    assert "told" not in second.summary


def test_outside_of_a_listener_nothing_is_collected_and_nothing_fails() -> None:
    assert run(Gives(safe_result()).execute_async(adapter=Agent(replies("x")))).safe


def test_limits_of_the_execution_replace_the_configured_ones() -> None:
    execution = Probes.behavior(prompt="x", evaluator=Says("x"), limits=Limits(turn_timeout_s=None))
    assert execute(execution)[0].safe is False


def test_a_session_that_loses_sight_after_the_last_turn_is_believed() -> None:
    class Unsure(Says):
        async def evaluate_async(self, *, context: Any) -> Any:
            levels.append(context.observability_level)
            return await super().evaluate_async(context=context)

    class LosesSight(Agent):
        async def create_session_async(self) -> Any:
            session: Any = await super().create_session_async()
            session.observability_profile = ObservabilityLevel.TOOL_ONLY
            sessions.append(session)
            return session

    def decide(history: list[Any]) -> object:
        if not history:
            return "x"
        sessions[0].observability_profile = ObservabilityLevel.RESPONSE_ONLY
        return None

    levels: list[ObservabilityLevel] = []
    sessions: list[Any] = []
    result = probe(LosesSight(replies("x")), Unsure("x"), driver=Asks(decide))
    assert levels == [ObservabilityLevel.RESPONSE_ONLY]
    assert result.observability_level is ObservabilityLevel.RESPONSE_ONLY
