"""Producing a trace."""

from __future__ import annotations

from datetime import UTC

import pytest
from tests.execution.support import Agent, AgentSession, Answers, Asks, Says, hang_on, run

from rampart.core.errors import ExecutionTimeoutError, InfrastructureError
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.limits import Limits
from rampart.core.manifest import AppManifest
from rampart.core.prompt_driver import PromptDecision
from rampart.core.types import EvaluationPurpose, ObservabilityLevel, Request, Response, TraceEndReason
from rampart.drivers.static import StaticDriver
from rampart.execution.final_evaluation import evaluate_final_trace_async
from rampart.execution.trace import TraceRun, run_trace_async

LEVEL = ObservabilityLevel.TOOL_ONLY


def trace(session: object, driver: object, max_turns: int = 5, **options: object) -> TraceRun:
    return run(
        run_trace_async(
            session=session,  # type: ignore[arg-type]  # faulty sessions are part of the tests
            driver=driver,  # type: ignore[arg-type]  # faulty drivers too
            max_turns=max_turns,
            observability_level=LEVEL,
            **options,  # type: ignore[arg-type]  # named in each test
        )
    )


def session_that_says(*texts: str) -> AgentSession:
    left = list(texts)

    async def send(request: Request) -> object:
        return Response(text=left.pop(0))

    return AgentSession(Agent(send))


def test_negative_budget_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^max_turns must be non-negative\.$"):
        trace(session_that_says(), StaticDriver(prompts=["a"]), max_turns=-1)


@pytest.mark.parametrize("budget", [True, 2.0, "3"], ids=["bool", "float", "text"])
def test_budget_that_is_no_int_is_refused(budget: int) -> None:
    with pytest.raises(TypeError, match="max_turns must be an integer"):
        trace(session_that_says(), StaticDriver(prompts=["a"]), max_turns=budget)


def test_without_budget_nobody_is_asked() -> None:
    driver = Asks(lambda history: "never")
    done = trace(session_that_says(), driver, max_turns=0)
    assert done.trace_end_reason is TraceEndReason.MAX_TURNS_REACHED
    assert (done.turns, done.raw_turns, driver.histories) == ([], [], [])


def test_turns_carry_number_time_and_reasoning() -> None:
    driver = Asks(lambda h: PromptDecision(request=Request(prompt=f"q{len(h)}"), reasoning=f"r{len(h)}"))
    done = trace(session_that_says("a", "b"), driver, max_turns=2)
    assert [turn.turn_number for turn in done.turns] == [0, 1]
    assert [turn.request.prompt for turn in done.turns] == ["q0", "q1"]
    assert [turn.driver_reasoning for turn in done.turns] == ["r0", "r1"]
    for turn in done.turns:
        assert turn.timestamp is not None
        assert turn.timestamp.tzinfo is UTC
        assert turn.duration_seconds is not None
        assert turn.duration_seconds >= 0


def test_driver_that_ends_the_trace() -> None:
    done = trace(session_that_says("a"), StaticDriver(prompts=["x"]), max_turns=5)
    assert done.trace_end_reason is TraceEndReason.DRIVER_EXHAUSTED


def test_as_many_prompts_as_turns_end_on_the_budget_without_asking_again() -> None:
    driver = Asks(lambda history: f"q{len(history)}")
    done = trace(session_that_says("a", "b"), driver, max_turns=2)
    assert done.trace_end_reason is TraceEndReason.MAX_TURNS_REACHED
    assert len(driver.histories) == 2


def test_driver_gets_a_fresh_copy_each_time() -> None:
    def spoil(history: list[object]) -> str:
        history.append("spoilt")
        return "q"

    done = trace(session_that_says("a", "b"), Asks(spoil), max_turns=2)  # type: ignore[arg-type]  # spoils on purpose
    assert len(done.turns) == 2


def test_without_stop_condition_both_lists_hold_the_same_turns() -> None:
    done = trace(session_that_says("a", "b"), StaticDriver(prompts=["x", "y"]))
    assert all(a is b for a, b in zip(done.turns, done.raw_turns, strict=True))


def test_stop_condition_sees_raw_turns_and_annotates_a_copy() -> None:
    stop = Says("b")
    done = trace(
        session_that_says("a", "b", "c"),
        StaticDriver(prompts=["x", "y", "z"]),
        stop_when=stop,
        manifest=AppManifest(name="m"),
    )
    assert done.trace_end_reason is TraceEndReason.STOP_CONDITION_MET
    assert len(done.turns) == 2
    assert [len(context.turns) for context in stop.contexts] == [1, 2]
    assert all(turn.eval_result is None for context in stop.contexts for turn in context.turns)
    assert [turn.eval_purpose for turn in done.turns] == [EvaluationPurpose.STOP_CHECK] * 2
    assert [turn.eval_result.outcome for turn in done.turns if turn.eval_result] == [
        EvalOutcome.NOT_DETECTED,
        EvalOutcome.DETECTED,
    ]
    assert done.latest_stop_check is not None
    assert done.latest_stop_check.context is stop.contexts[-1]
    assert stop.contexts[0].manifest is done.manifest


def test_s38_only_detected_stops() -> None:
    stop = Answers(EvalOutcome.UNDETERMINED, EvalOutcome.NOT_DETECTED, EvalOutcome.DETECTED)
    done = trace(
        session_that_says("1", "2", "3", "4", "5"), StaticDriver(prompts=list("abcde")), stop_when=stop
    )
    assert len(done.turns) == 3


def test_stop_check_that_fails_keeps_its_turn() -> None:
    kept: list[TraceRun] = []

    async def go() -> None:
        from rampart.execution import running

        here = running.running_or_alone(None)
        running.set_running(here)
        with pytest.raises(RuntimeError, match="broken"):
            await run_trace_async(
                session=session_that_says("a"),
                driver=StaticDriver(prompts=["x"]),
                max_turns=1,
                observability_level=LEVEL,
                stop_when=Answers(RuntimeError("broken")),
            )
        assert here.trace is not None
        kept.append(here.trace)

    run(go())
    assert [turn.response.text for turn in kept[0].all_turns()] == ["a"]


@pytest.mark.parametrize(
    ("decision", "match"),
    [
        pytest.param(17, r"Asks\.next_prompt_async returned int, expected a PromptDecision", id="number"),
        pytest.param(Request(prompt="x"), r"returned Request, expected a PromptDecision", id="bare-request"),
    ],
)
def test_driver_of_the_wrong_type_is_named(decision: object, match: str) -> None:
    with pytest.raises(TypeError, match=match):
        trace(session_that_says("a"), Asks(lambda history: decision))


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        pytest.param("hello", r"AgentSession\.send_async answered str, expected a Response", id="text"),
        pytest.param(None, r"answered NoneType, expected a Response to the prompt 'x'", id="nothing"),
        pytest.param(
            Response(text=None),  # type: ignore[arg-type]  # the fault under test
            r"answered a Response whose text is NoneType, expected a str",
            id="none-as-text",
        ),
    ],
)
def test_agent_of_the_wrong_type_is_named(answer: object, match: str) -> None:
    async def send(request: Request) -> object:
        return answer

    with pytest.raises(TypeError, match=match):
        trace(AgentSession(Agent(send)), StaticDriver(prompts=["x"]))


def test_evaluator_of_the_wrong_type_is_named() -> None:
    with pytest.raises(TypeError, match=r"Answers\.evaluate_async returned bool, expected an EvalResult"):
        trace(session_that_says("a"), StaticDriver(prompts=["x"]), stop_when=Answers(True))


def test_exceptions_of_the_agent_go_on_as_they_are() -> None:
    async def send(request: Request) -> object:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        trace(AgentSession(Agent(send)), StaticDriver(prompts=["x"]))


def test_partial_response_becomes_the_last_turn() -> None:
    seen: list[TraceRun] = []

    async def send(request: Request) -> object:
        raise InfrastructureError("connection lost", partial=Response(text="half", metadata={"k": 1}))

    async def go() -> None:
        from rampart.execution import running

        here = running.running_or_alone(None)
        running.set_running(here)
        with pytest.raises(InfrastructureError, match="connection lost"):
            await run_trace_async(
                session=AgentSession(Agent(send)),
                driver=StaticDriver(prompts=["x"]),
                max_turns=1,
                observability_level=LEVEL,
            )
        assert here.trace is not None
        seen.append(here.trace)

    run(go())
    (turn,) = seen[0].all_turns()
    assert turn.response.text == "half"
    assert turn.response.metadata == {"k": 1, "error": "InfrastructureError: connection lost"}


def test_limits_bound_a_trace_outside_of_an_execution() -> None:
    with pytest.raises(ExecutionTimeoutError, match=r"^send_async \(turn 0\) timed out after 0\.05 s$"):
        trace(AgentSession(Agent(hang_on)), StaticDriver(prompts=["x"]), limits=Limits(turn_timeout_s=0.05))


def test_session_of_its_own_level_is_believed() -> None:
    session = session_that_says("a")
    session.observability_profile = ObservabilityLevel.RESPONSE_ONLY  # type: ignore[attr-defined]  # optional
    stop = Says("zzz")
    done = trace(session, StaticDriver(prompts=["x"]), stop_when=stop)
    assert done.observability_level is ObservabilityLevel.RESPONSE_ONLY
    assert stop.contexts[0].observability_level is ObservabilityLevel.RESPONSE_ONLY


class TestFinalEvaluation:
    def judged(self, run_: TraceRun, evaluator: object) -> EvalResult | None:
        return run(evaluate_final_trace_async(evaluator=evaluator, run=run_))  # type: ignore[arg-type]  # faulty ones too

    def test_no_turns_means_no_answer_and_no_call(self) -> None:
        evaluator = Says("x")
        done = trace(session_that_says(), Asks(lambda history: None))
        assert self.judged(done, evaluator) is None
        assert evaluator.contexts == []

    def test_the_same_stop_check_is_taken_over_as_a_copy(self) -> None:
        evaluator = Says("b")
        done = trace(session_that_says("a", "b"), StaticDriver(prompts=["x", "y"]), stop_when=evaluator)
        answer = self.judged(done, evaluator)
        assert len(evaluator.contexts) == 2
        assert done.latest_stop_check is not None
        assert answer == done.latest_stop_check.result
        assert answer is not done.latest_stop_check.result
        assert answer is not None
        assert answer.evidence is not done.latest_stop_check.result.evidence

    def test_taken_over_also_when_the_stop_did_not_fire(self) -> None:
        evaluator = Says("zzz")
        done = trace(session_that_says("a"), StaticDriver(prompts=["x"]), stop_when=evaluator)
        assert self.judged(done, evaluator) is not None
        assert len(evaluator.contexts) == 1

    @pytest.mark.parametrize("what", ["evaluator", "level", "manifest", "turns"])
    def test_anything_different_is_evaluated_anew(self, what: str) -> None:
        evaluator = Says("b")
        done = trace(session_that_says("a", "b"), StaticDriver(prompts=["x", "y"]), stop_when=evaluator)
        judge = Says("b") if what == "evaluator" else evaluator
        if what == "level":
            done.observability_level = ObservabilityLevel.RESPONSE_ONLY
        if what == "manifest":
            done.manifest = AppManifest(name="another")
        if what == "turns":
            done.raw_turns.pop()
        before = len(judge.contexts)
        self.judged(done, judge)
        assert len(judge.contexts) == before + 1

    def test_unknown_outcome_is_refused(self) -> None:
        done = trace(session_that_says("a"), StaticDriver(prompts=["x"]))
        wrong = EvalResult(outcome="detected")  # type: ignore[arg-type]  # the fault under test
        with pytest.raises(ValueError, match="Unknown EvalOutcome: detected"):
            self.judged(done, Answers(wrong))

    def test_hanging_evaluator_is_bounded(self) -> None:
        from tests.execution.support import hang

        done = trace(session_that_says("a"), StaticDriver(prompts=["x"]))
        with pytest.raises(ExecutionTimeoutError, match=r"^final evaluation timed out after 0\.05 s$"):
            run(
                evaluate_final_trace_async(
                    evaluator=Answers(hang), run=done, limits=Limits(turn_timeout_s=0.05)
                )
            )
