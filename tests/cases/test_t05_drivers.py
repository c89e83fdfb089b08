"""Cases about drivers: who decides what is sent next, and when it is over."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.cases.words import (
    ANY,
    DETECTED,
    NOT_DETECTED,
    SAFE,
    UNSAFE,
    UNSETTLED,
    Answers,
    probe_async,
    trials_async,
)

from rampart import Attacks, LLMJudge, PopulationResult, Probes, PromptDecision, Request, Result, Turn
from rampart.adapters import CallableAdapter
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent, ScriptedChatModel


@pytest.mark.case(37)
async def test_s37_turn_budget_is_evaluated_like_any_other_end() -> None:
    agent = ScriptedAgent(["blue", "no"])
    result = await probe_async(
        ResponseContains("blue", scope=ANY), agent, prompts=["a", "b", "c"], max_turns=2
    )
    assert agent.prompts == ["a", "b"]
    assert result.status is SAFE
    assert result.trace_end_reason is not None
    assert result.trace_end_reason.value == "max_turns_reached"
    assert "turn budget exhausted" in result.summary


@pytest.mark.case(37)
async def test_s37_evaluator_is_asked_once_over_all_turns() -> None:
    evaluator = Answers(DETECTED)
    result = await probe_async(evaluator, ScriptedAgent(["blue", "no"]), prompts=["a", "b", "c"], max_turns=2)
    assert result.status is SAFE
    (asked,) = evaluator.contexts
    assert [turn.response.text for turn in asked.turns] == ["blue", "no"]


@pytest.mark.case(37)
async def test_s37_model_of_a_judge_is_asked_once_over_all_turns() -> None:
    model = ScriptedChatModel(
        ['{"outcome": "detected", "confidence": 0.9, "rationale": "A colour.", "evidence": ["blue"]}']
    )
    judge = LLMJudge(objective="the agent names a colour", llm=model)
    result = await probe_async(judge, ScriptedAgent(["blue", "no"]), prompts=["a", "b", "c"], max_turns=2)
    assert result.status is SAFE
    (asked,) = model.calls
    _, *lines, _ = asked.messages[1].content.splitlines()
    assert lines == ["[Turn 0]", "User: a", "Agent: blue", "", "[Turn 1]", "User: b", "Agent: no"]


@pytest.mark.case(38)
async def test_s38_only_detection_stops_a_run() -> None:
    agent = ScriptedAgent(["one", "two", "three"])
    stop = Answers(UNSETTLED, NOT_DETECTED, DETECTED)
    result = await probe_async(
        ResponseContains("three", scope=ANY), agent, prompts=["a", "b", "c", "d", "e"], stop_when=stop
    )
    assert agent.prompts == ["a", "b", "c"]
    assert result.status is SAFE
    assert len(stop.contexts) == 3


@pytest.mark.case(39)
async def test_s39_reused_execution_asks_the_agent_again() -> None:
    execution = Probes.behavior(prompts=["x"], evaluator=ResponseContains("yes", scope=ANY))
    a, b = ScriptedAgent(["no"]), ScriptedAgent(["yes"])
    first = await execution.execute_async(adapter=a)
    second = await execution.execute_async(adapter=b)
    assert [first.status, second.status] == [UNSAFE, SAFE]
    assert b.prompts == ["x"]
    assert [turn.response.text for turn in second.turns] == ["yes"]
    assert [turn.response.text for turn in first.turns] == ["no"]


def _turn_counts(population: PopulationResult) -> list[int]:
    return [len(result.turns) for result in population.results]


@pytest.mark.case(40)
async def test_s40_trials_may_share_one_execution() -> None:
    execution = Probes.behavior(prompt="x", evaluator=ResponseContains("ok", scope=ANY))
    agent = ScriptedAgent(["ok", "no", "ok"])
    population = await trials_async(lambda: execution, agent, 3, 0.5)
    assert [result.status for result in population.results] == [SAFE, UNSAFE, SAFE]
    assert len(set(map(id, population.results))) == 3
    assert _turn_counts(population) == [1, 1, 1]
    assert (agent.opened, agent.closed) == (3, 3)


@pytest.mark.case(40)
async def test_s40_factory_of_something_else_is_refused_bare() -> None:
    agent = ScriptedAgent(["ok"])
    with pytest.raises(TypeError, match="dict"):
        await trials_async(dict, agent, 3, 0.5)
    assert agent.opened == 0


@pytest.mark.case(41)
@pytest.mark.parametrize(
    "prompts",
    [lambda: (p for p in ["a", "b"]), lambda: iter(["a", "b"]), lambda: "ab"],
    ids=["generator", "iterator", "text"],
)
async def test_s41_prompts_that_can_be_used_up_are_refused(prompts: Callable[[], Any]) -> None:
    given = prompts()
    agent = ScriptedAgent(["ok"], repeat_last=True)
    with pytest.raises(TypeError, match="prompts must be a list or tuple of str"):
        await trials_async(
            lambda: Probes.behavior(prompts=given, evaluator=ResponseContains("ok", scope=ANY)), agent, 2, 1.0
        )
    assert agent.opened == 0


@pytest.mark.case(41)
async def test_s41_tuple_of_prompts_is_sent_in_each_trial() -> None:
    prompts = ("a", "b")
    agent = ScriptedAgent(["ok"], repeat_last=True)
    population = await trials_async(
        lambda: Probes.behavior(prompts=prompts, evaluator=ResponseContains("ok", scope=ANY)),
        agent,
        2,
        1.0,
        concurrency=1,
    )
    assert population, population.summary
    assert agent.prompts == ["a", "b", "a", "b"]
    assert _turn_counts(population) == [2, 2]


class NeverDone:
    """A driver that always has one more prompt."""

    async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision | None:
        return PromptDecision(request=Request(prompt=f"prompt {len(history)}"))


@pytest.mark.case(42)
async def test_s42_driver_without_end_meets_the_default_budget() -> None:
    agent = ScriptedAgent(["no"], repeat_last=True)
    result = await Probes.behavior(
        driver=NeverDone(), evaluator=ResponseContains("ok", scope=ANY)
    ).execute_async(adapter=agent)
    assert agent.prompts == [f"prompt {number}" for number in range(25)]
    assert result.status is UNSAFE
    assert (agent.opened, agent.closed) == (1, 1)


@pytest.mark.case(42)
async def test_s42_attack_has_a_budget_of_its_own() -> None:
    agent = ScriptedAgent(["no"], repeat_last=True)
    execution = Attacks.xpia(trigger=NeverDone(), evaluator=ResponseContains("ok", scope=ANY))
    result = await execution.execute_async(adapter=agent)
    assert agent.prompts == [f"prompt {number}" for number in range(5)]
    assert result.status is SAFE
    assert result.summary.endswith("(turn budget exhausted)")
    assert (agent.opened, agent.closed) == (1, 1)


@pytest.mark.case(42)
async def test_s42_closed_over_a_function_too() -> None:
    left = []

    class Agent:
        def __call__(self, prompt: str, history: list[dict[str, str]]) -> str:
            return "no"

        def close(self) -> None:
            left.append(self)

    result: Result = await Probes.behavior(
        driver=NeverDone(), evaluator=ResponseContains("ok", scope=ANY)
    ).execute_async(adapter=CallableAdapter(session_factory=Agent))
    assert len(result.turns) == 25
    assert len(left) == 1
