"""What a probe does: verdicts, failures, stopping, drivers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.execution.support import Agent, AgentSession, Answers, Asks, Events, Says, replies, run

from rampart.core.errors import InfrastructureError
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.manifest import AppManifest
from rampart.core.result import Result, SafetyStatus
from rampart.core.types import EvaluationPurpose, ObservabilityLevel, Response, ToolCall, TraceEndReason
from rampart.drivers.static import StaticDriver
from rampart.evaluators.response_contains import ResponseContains
from rampart.evaluators.response_scope import ResponseScope
from rampart.evaluators.tool_called import ToolCalled
from rampart.execution.events import ExecutionEvent
from rampart.probes.behavior import BehaviorExecution
from rampart.probes.factory import Probes
from rampart.testing import ScriptedAgent

SAFE, UNSAFE = SafetyStatus.SAFE, SafetyStatus.UNSAFE
UNDETERMINED, ERROR = SafetyStatus.UNDETERMINED, SafetyStatus.ERROR
DETECTED, NOT_DETECTED = EvalOutcome.DETECTED, EvalOutcome.NOT_DETECTED
UNKNOWN = EvalOutcome.UNDETERMINED


def contains(text: str) -> ResponseContains:
    return ResponseContains(text, scope=ResponseScope.ANY_TURN)


def probe(agent: Any, **given: Any) -> Result:
    return run(Probes.behavior(**given).execute_async(adapter=agent))


class TestResult:
    def test_fields(self) -> None:
        manifest = AppManifest(name="app")
        agent = ScriptedAgent(["b"], level=ObservabilityLevel.TOOL_ONLY, manifest=manifest)
        answer = EvalResult(outcome=DETECTED)
        result = probe(agent, prompt="a", evaluator=Answers(answer))
        assert result.strategy == "probe"
        assert result.observability_level is ObservabilityLevel.TOOL_ONLY
        assert result.final_trace_evaluation is answer
        assert result.trace_end_reason is TraceEndReason.DRIVER_EXHAUSTED
        assert [(turn.request.prompt, turn.response.text) for turn in result.turns] == [("a", "b")]
        assert result.duration_seconds > 0
        assert (result.injections, result.population, result.utility, result.metadata) == ([], None, None, {})

    def test_the_evaluator_sees_level_manifest_and_all_turns_once(self) -> None:
        manifest, evaluator = AppManifest(name="app"), Says("c")
        agent = ScriptedAgent(["b", "c"], level=ObservabilityLevel.RESPONSE_ONLY, manifest=manifest)
        assert probe(agent, prompts=["1", "2"], evaluator=evaluator)
        (context,) = evaluator.contexts
        assert [turn.response.text for turn in context.turns] == ["b", "c"]
        assert context.observability_level is ObservabilityLevel.RESPONSE_ONLY
        assert context.manifest is manifest

    def test_s24_a_probe_expects_what_it_names(self) -> None:
        called = Response(text="done", tool_calls=[ToolCall(name="send_email")])
        expects = ToolCalled("send_email")
        assert probe(ScriptedAgent([called]), prompt="a", evaluator=expects).status is SAFE
        assert probe(ScriptedAgent([called]), prompt="a", evaluator=~expects).status is UNSAFE
        assert probe(ScriptedAgent(["done"]), prompt="a", evaluator=expects).status is UNSAFE

    def test_without_the_channel_there_is_no_adjustment_but_no_verdict_either(self) -> None:
        blind = ObservabilityLevel.RESPONSE_ONLY
        result = probe(ScriptedAgent(["done"], level=blind), prompt="a", evaluator=ToolCalled("x"))
        assert result.status is UNDETERMINED
        result = probe(ScriptedAgent(["done"], level=blind), prompt="a", evaluator=contains("done"))
        assert result.status is SAFE
        assert "observability_adjusted" not in result.metadata

    def test_a_session_that_learns_late_that_it_saw_too_little_is_believed(self) -> None:
        class Session(AgentSession):
            asked = 0

            @property
            def observability_profile(self) -> ObservabilityLevel:
                self.asked += 1
                tools, blind = ObservabilityLevel.TOOL_ONLY, ObservabilityLevel.RESPONSE_ONLY
                return tools if self.asked == 1 else blind

        async def create() -> object:
            return Session(agent)

        agent = Agent(replies("done"), create=create)
        result = probe(agent, prompt="a", evaluator=~ToolCalled("x"))
        assert result.status is UNDETERMINED
        assert result.observability_level is ObservabilityLevel.RESPONSE_ONLY


class TestFailures:
    @pytest.mark.parametrize(
        ("level", "shown"), [("tool_only", "'tool_only'"), (None, "None")], ids=["text", "none"]
    )
    def test_an_adapter_with_a_level_that_is_none_gives_no_verdict(self, level: Any, shown: str) -> None:
        agent = Agent(replies("ok"), level=level)
        result = probe(agent, prompt="a", evaluator=contains("ok"))
        assert result.status is ERROR
        assert result.summary == (
            f"TypeError: Agent.observability_profile is {shown}, expected an ObservabilityLevel"
        )
        assert result.observability_level is ObservabilityLevel.RESPONSE_ONLY
        assert agent.opened == 0

    def test_an_unknown_outcome_is_no_verdict(self) -> None:
        answer = EvalResult(outcome="detected")  # type: ignore[arg-type]  # the point of the test
        result = probe(ScriptedAgent(["ok"]), prompt="a", evaluator=Answers(answer))
        assert (result.status, result.summary) == (ERROR, "ValueError: Unknown EvalOutcome: detected")

    def test_a_harm_before_a_crash_is_not_what_a_probe_looks_for(self) -> None:
        error = InfrastructureError("down", partial=Response(text="ok so far"))
        agent, evaluator = ScriptedAgent([error]), Says("ok")
        result = probe(agent, prompt="a", evaluator=evaluator)
        assert (result.status, result.summary) == (ERROR, "InfrastructureError: down")
        assert [turn.response.text for turn in result.turns] == ["ok so far"]
        assert result.turns[0].response.metadata == {"error": "InfrastructureError: down"}
        assert evaluator.contexts == []
        assert agent.opened == agent.closed == 1

    def test_a_cleanup_that_fails_spoils_safe(self) -> None:
        async def leave() -> object:
            raise OSError("still open")

        result = probe(Agent(replies("ok"), leave=leave), prompt="a", evaluator=contains("ok"))
        assert result.status is ERROR
        assert "session exit: OSError: still open" in result.summary
        assert result.metadata["cleanup_errors"] == ["session exit: OSError: still open"]
        assert result.final_trace_evaluation is not None
        assert result.trace_end_reason is TraceEndReason.DRIVER_EXHAUSTED

    def test_a_cleanup_that_fails_leaves_unsafe(self) -> None:
        async def leave() -> object:
            raise OSError("still open")

        result = probe(Agent(replies("no"), leave=leave), prompt="a", evaluator=contains("ok"))
        assert result.status is UNSAFE
        assert "session exit: OSError: still open" in result.summary

    def test_the_final_evaluation_happens_while_the_session_is_open(self) -> None:
        agent = Agent(replies("ok"))
        open_sessions = []

        class Looks(Says):
            async def evaluate_async(self, **given: Any) -> EvalResult:
                open_sessions.append(agent.opened - agent.closed)
                return await super().evaluate_async(**given)

        assert probe(agent, prompt="a", evaluator=Looks("ok"))
        assert open_sessions == [1]
        assert agent.closed == 1


class TestStopping:
    def test_s37_the_turn_budget_resolves_normally(self) -> None:
        agent, evaluator = ScriptedAgent(["blue", "no"]), Says("blue")
        result = probe(agent, prompts=["a", "b", "c"], max_turns=2, evaluator=evaluator)
        assert agent.prompts == ["a", "b"]
        assert result.status is SAFE
        assert result.trace_end_reason is TraceEndReason.MAX_TURNS_REACHED
        assert [len(context.turns) for context in evaluator.contexts] == [2]

    def test_s38_only_detected_stops(self) -> None:
        agent = ScriptedAgent(["1", "2", "3", "4", "5"])
        stop = Answers(UNKNOWN, NOT_DETECTED, DETECTED)
        result = probe(agent, prompts=list("abcde"), evaluator=contains("3"), stop_when=stop)
        assert agent.prompts == ["a", "b", "c"]
        assert result.status is SAFE
        assert result.trace_end_reason is TraceEndReason.STOP_CONDITION_MET
        assert [answer.outcome for answer in result.turn_evaluations] == [UNKNOWN, NOT_DETECTED, DETECTED]
        assert {turn.eval_purpose for turn in result.turns} == {EvaluationPurpose.STOP_CHECK}

    def test_probes_never_stop_by_themselves(self) -> None:
        agent = ScriptedAgent(["ok", "ok", "no"])
        result = probe(agent, prompts=["a", "b", "c"], evaluator=contains("ok"))
        assert agent.prompts == ["a", "b", "c"]
        assert result.status is SAFE
        assert result.turn_evaluations == []

    def test_a_stop_says_nothing_about_the_verdict(self) -> None:
        agent = ScriptedAgent(["stop", "never asked"])
        result = probe(agent, prompts=["a", "b"], evaluator=contains("ok"), stop_when=contains("stop"))
        assert agent.prompts == ["a"]
        assert result.status is UNSAFE
        assert result.trace_end_reason is TraceEndReason.STOP_CONDITION_MET

    def test_the_evaluator_that_stopped_is_not_asked_again(self) -> None:
        evaluator = Says("ok")
        agent = ScriptedAgent(["no", "ok"])
        result = probe(agent, prompts=["a", "b", "c"], evaluator=evaluator, stop_when=evaluator)
        assert result.status is SAFE
        assert [len(context.turns) for context in evaluator.contexts] == [1, 2]

    def test_as_many_turns_as_prompts_is_an_exhausted_budget(self) -> None:
        result = probe(ScriptedAgent(["1", "2"]), prompts=["a", "b"], max_turns=2, evaluator=contains("2"))
        assert result.trace_end_reason is TraceEndReason.MAX_TURNS_REACHED


class TestDrivers:
    def test_s42_an_adaptive_driver_without_stop_runs_to_the_default_budget(self) -> None:
        agent, evaluator = ScriptedAgent(["no"], repeat_last=True), Says("ok")
        driver = Asks(lambda history: f"question {len(history)}")
        result = probe(agent, driver=driver, evaluator=evaluator)
        assert agent.prompts == [f"question {number}" for number in range(25)]
        assert result.status is UNSAFE
        assert result.trace_end_reason is TraceEndReason.MAX_TURNS_REACHED
        assert [len(context.turns) for context in evaluator.contexts] == [25]
        assert agent.opened == agent.closed == 1

    def test_an_adaptive_driver_runs_to_max_turns(self) -> None:
        agent, evaluator = ScriptedAgent(["no", "ok", "no"], repeat_last=True), Says("ok")
        result = probe(agent, driver=Asks(lambda history: "more"), max_turns=7, evaluator=evaluator)
        assert len(agent.prompts) == 7
        assert result.status is SAFE
        assert [len(context.turns) for context in evaluator.contexts] == [7]

    def test_an_adaptive_driver_sees_replies(self) -> None:
        agent = ScriptedAgent(["red", "green", "blue"])
        driver = Asks(lambda history: f"after {history[-1].response.text}" if history else "begin")
        probe(agent, driver=driver, max_turns=3, evaluator=contains("blue"))
        assert agent.prompts == ["begin", "after red", "after green"]

    def test_one_static_driver_serves_many_probes(self) -> None:
        driver = StaticDriver(prompts=["a", "b"])
        for _ in range(2):
            agent = ScriptedAgent(["1", "2"])
            assert probe(agent, driver=driver, evaluator=contains("2"))
            assert agent.prompts == ["a", "b"]


class TestReuse:
    def test_s39_one_execution_asks_each_agent_anew(self) -> None:
        execution = Probes.behavior(prompt="x", evaluator=contains("yes"))
        first, second = ScriptedAgent(["no"]), ScriptedAgent(["yes"])
        before, after = (run(execution.execute_async(adapter=agent)) for agent in (first, second))
        assert (before.status, after.status) == (UNSAFE, SAFE)
        assert second.prompts == ["x"]
        assert [turn.response.text for turn in after.turns] == ["yes"]
        assert [turn.response.text for turn in before.turns] == ["no"]

    def test_s23_nothing_is_left_of_an_earlier_run(self) -> None:
        evaluator = Answers(EvalResult(outcome=DETECTED, evidence=["first"]), RuntimeError("second"))
        execution = Probes.behavior(prompt="x", evaluator=evaluator)
        before, after = (run(execution.execute_async(adapter=ScriptedAgent(["a"]))) for _ in range(2))
        assert (before.status, after.status) == (SAFE, ERROR)
        assert after.final_trace_evaluation is None
        assert "first" not in after.summary


def test_the_task_of_a_probe_can_be_shown() -> None:
    async def in_a_task() -> Result:
        execution = Probes.behavior(prompt="a", evaluator=contains("ok"))
        task = asyncio.create_task(execution.execute_async(adapter=ScriptedAgent(["ok"])))
        assert "pending" in repr(task)
        return await task

    assert run(in_a_task())


def test_events_of_a_probe() -> None:
    events = Events()
    execution = BehaviorExecution(
        driver=StaticDriver(prompts=["a"]), evaluator=contains("ok"), event_handlers=[events]
    )
    result = run(execution.execute_async(adapter=ScriptedAgent(["ok"])))
    assert events.names == [ExecutionEvent.ON_PRE_EXECUTE, ExecutionEvent.ON_POST_EXECUTE]
    assert events.seen[-1].result is result
