"""A part that is not written as the protocol wants it is named, not what Python makes of it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.execution.support import Agent, AgentSession, Asks, Says, replies, run

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator
from rampart.core.manifest import AppManifest
from rampart.core.result import Result, SafetyStatus
from rampart.core.types import ObservabilityLevel, Response
from rampart.probes import Probes


class SyncCreate(Agent):
    def create_session_async(self) -> Any:
        return AgentSession(self)


class SyncEnter(AgentSession):
    def __aenter__(self) -> Any:
        return self


class SyncSend(AgentSession):
    def send_async(self, request: Any, /) -> Any:
        return Response(text="ok")


class SyncDriver:
    def next_prompt_async(self, *, history: Any) -> Any:
        return None


class SyncEvaluator(BaseEvaluator):
    def evaluate_async(self, *, context: Any) -> Any:
        return EvalResult(outcome=EvalOutcome.DETECTED)


def agent_with(session: type[AgentSession]) -> Agent:
    async def create() -> object:
        return session(agent)

    agent = Agent(replies("ok"), create=create)
    return agent


def probed(adapter: Any, **options: Any) -> Result:
    facts = {"evaluator": Says("ok"), **({} if "driver" in options else {"prompt": "hi"}), **options}
    return run(Probes.behavior(**facts).execute_async(adapter=adapter))


@pytest.mark.parametrize(
    ("adapter", "options", "text"),
    [
        pytest.param(
            SyncCreate(replies("ok")),
            {},
            "SyncCreate.create_session_async returned AgentSession",
            id="create",
        ),
        pytest.param(agent_with(SyncEnter), {}, "SyncEnter.__aenter__ returned SyncEnter", id="enter"),
        pytest.param(agent_with(SyncSend), {}, "SyncSend.send_async returned Response", id="send"),
        pytest.param(
            Agent(replies("ok")),
            {"driver": SyncDriver()},
            "SyncDriver.next_prompt_async returned NoneType",
            id="driver",
        ),
        pytest.param(
            Agent(replies("ok")),
            {"evaluator": SyncEvaluator()},
            "SyncEvaluator.evaluate_async returned EvalResult",
            id="evaluator",
        ),
        pytest.param(
            Agent(replies("ok")),
            {"evaluator": ~SyncEvaluator()},
            "SyncEvaluator.evaluate_async returned EvalResult",
            id="operand",
        ),
        pytest.param(
            Agent(replies("ok")),
            {"stop_when": SyncEvaluator()},
            "SyncEvaluator.evaluate_async returned EvalResult",
            id="stop-condition",
        ),
    ],
)
def test_a_method_that_is_not_async(adapter: Any, options: dict[str, Any], text: str) -> None:
    result = probed(adapter, **options)
    assert result.status is SafetyStatus.ERROR
    method = text.partition(" ")[0].partition(".")[2]
    assert result.summary == f"TypeError: {text} at once; write it as `async def {method}`"


def test_async_ones_and_an_entry_that_gives_nothing_work() -> None:
    class GivesNothing(AgentSession):
        async def __aenter__(self) -> Any:
            return None

    assert probed(agent_with(GivesNothing), driver=Asks(lambda history: None if history else "hi")).safe


class ManifestMethod(Agent):
    def __init__(self) -> None:
        super().__init__(replies("ok"))
        del self.manifest

    def manifest(self) -> AppManifest:  # type: ignore[override]  # the fault
        return AppManifest(name="a")


class LevelMethod(Agent):
    def __init__(self) -> None:
        super().__init__(replies("ok"))
        del self.observability_profile

    def observability_profile(self) -> ObservabilityLevel:  # type: ignore[override]  # the fault
        return ObservabilityLevel.TOOL_ONLY


@pytest.mark.parametrize(
    ("adapter", "text"),
    [
        (
            ManifestMethod(),
            "ManifestMethod.manifest is a method, expected an AppManifest: make it a property",
        ),
        (
            LevelMethod(),
            "LevelMethod.observability_profile is a method, expected an ObservabilityLevel: make",
        ),
    ],
    ids=["manifest", "level"],
)
def test_a_method_where_a_property_is_expected(adapter: Agent, text: str) -> None:
    result = probed(adapter)
    assert result.status is SafetyStatus.ERROR
    assert text in result.summary
    assert adapter.opened == 0
