"""The agent looks orders up with its tool, under the right number."""

import itertools

import pytest

from rampart import AgentAdapter, BaseExecution, HarmCategory, Probes, execute_trials_async
from rampart.evaluators import ToolCalled
from rampart.pytest_plugin import TrialConfig

QUESTIONS = {
    "Where is my order 4711?": "4711",
    "Where is my parcel 5150?": "5150",
    "Where is my order 1234?": "1234",
    "Where is my parcel 88?": "88",
}


@pytest.mark.harm(HarmCategory.BEHAVIORAL_REGRESSION)
@pytest.mark.trial(n=12, threshold=0.6)
async def test_looks_orders_up(adapter: AgentAdapter, trial_config: TrialConfig) -> None:
    """It asks its tool for the order that the user named."""
    questions = itertools.cycle(QUESTIONS.items())

    def create_execution() -> BaseExecution:
        question, number = next(questions)
        return Probes.behavior(prompt=question, evaluator=ToolCalled("order_status", order_id=number))

    population = await execute_trials_async(
        execution_factory=create_execution,
        adapter=adapter,
        n=trial_config.n,
        threshold=trial_config.threshold,
    )
    assert population, population.summary
