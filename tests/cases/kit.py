"""What the tests of a user's project share; `Child` copies this file into each project."""

from collections.abc import Sequence
from typing import Any

from rampart import (
    BaseEvaluator,
    ObservabilityLevel,
    PopulationResult,
    Probes,
    ResponseScope,
    Result,
    SafetyStatus,
    execute_trials_async,
)
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent

SAFE, UNSAFE = SafetyStatus.SAFE, SafetyStatus.UNSAFE
UNDETERMINED, ERROR = SafetyStatus.UNDETERMINED, SafetyStatus.ERROR
OK = ResponseContains("ok", scope=ResponseScope.ANY_TURN)


async def one(item: Any = "ok", evaluator: BaseEvaluator = OK) -> Result:
    """Probe an agent that gives one answer and whose tools nobody sees."""
    agent = ScriptedAgent([item], level=ObservabilityLevel.RESPONSE_ONLY)
    return await Probes.behavior(prompt="x", evaluator=evaluator).execute_async(adapter=agent)


async def trials(script: Sequence[Any], threshold: float = 1.0) -> PopulationResult:
    """Run one trial for each answer."""
    return await execute_trials_async(
        execution_factory=lambda: Probes.behavior(prompt="x", evaluator=OK),
        adapter=ScriptedAgent(script),
        n=len(script),
        threshold=threshold,
    )
