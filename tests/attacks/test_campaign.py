"""Attacks of several conversations keep what they found, whatever ends them and wherever it ends them."""

from __future__ import annotations

import asyncio
import gc
import warnings
from typing import TYPE_CHECKING, Any, Self
from unittest import SkipTest

import pytest
from tests.attacks.attacking_model import SECRET, AttackingModel, message

from rampart import (
    AppManifest,
    Attacks,
    BaseEvaluator,
    EvalOutcome,
    EvalResult,
    ExecutionEvent,
    ExecutionEventHandler,
    Limits,
    ObservabilityLevel,
    Payload,
    Response,
    ResponseScope,
    SafetyStatus,
)
from rampart.core.errors import ChatModelError
from rampart.core.listener import listening, runner_outcomes
from rampart.evaluators import ResponseContains
from rampart.testing import ScriptedAgent, ScriptedChatModel

if TYPE_CHECKING:
    from rampart import EvalContext, PopulationResult, Request, Result
    from rampart.core import ChatMessage, Completion
    from rampart.execution.events import ExecutionEventData

FOUND = ResponseContains(SECRET, scope=ResponseScope.ANY_TURN)


def _says(reply: str) -> ScriptedAgent:
    return ScriptedAgent([reply], repeat_last=True)


class _Events(ExecutionEventHandler):
    def __init__(self) -> None:
        self.seen: list[ExecutionEvent] = []

    async def on_event_async(self, *, event_data: ExecutionEventData) -> None:
        self.seen.append(event_data.event)


class _Collected:
    """What a run hands over, also where it returns nothing."""

    def __init__(self) -> None:
        self.results: list[Result] = []

    def on_result(self, result: Result, /) -> None:
        self.results.append(result)

    def on_population(self, population: PopulationResult, /, *, population_id: str) -> None:
        raise AssertionError("there are no trials")


class _BreaksAt:
    """A converter that fails at the n-th message."""

    def __init__(self, number: int) -> None:
        self._left = number

    async def convert_async(self, *, payload: Payload) -> Payload:
        self._left -= 1
        if not self._left:
            raise RuntimeError("the converter broke")
        return payload


class _UnprintableError(RuntimeError):
    def __str__(self) -> str:
        raise ValueError("no text")


@pytest.mark.parametrize(
    ("agent", "converters", "error"),
    [
        pytest.param(_says(SECRET), [_BreaksAt(2)], "RuntimeError: the converter broke", id="between two"),
        pytest.param(
            ScriptedAgent([SECRET, _UnprintableError()]),
            [],
            "_UnprintableError: <unprintable value>",
            id="an error without text",
        ),
    ],
)
async def test_a_harm_outlasts_whatever_ends_the_attack(
    agent: ScriptedAgent, converters: list[Any], error: str
) -> None:
    events = _Events()
    attack = Attacks.prompt(
        prompt=["a", "b"],
        converters=converters,
        evaluator=FOUND,
        stop_at_first=False,
        event_handlers=[events],
    )
    result = await attack.execute_async(adapter=agent)
    assert result.status is SafetyStatus.UNSAFE
    assert f"then the attack failed: {error}" in result.summary
    assert result.turns[0].response.text == SECRET
    assert error.startswith(result.metadata["error_type"])
    assert ExecutionEvent.ON_ERROR in events.seen


class _NotToday(BaseException):
    """What a test runner takes for a skip."""


@pytest.mark.parametrize(
    "skip", [_NotToday("no backend"), SkipTest("no backend")], ids=lambda one: type(one).__name__
)
async def test_a_skip_does_not_hide_a_harm(skip: BaseException) -> None:
    with runner_outcomes(skips=(_NotToday, SkipTest), exits=()):
        attack = Attacks.prompt(prompt=["a", "b"], evaluator=FOUND, stop_at_first=False)
        result = await attack.execute_async(adapter=ScriptedAgent([SECRET, skip]))
        assert result.status is SafetyStatus.UNSAFE
        assert "no backend" in result.summary
        with pytest.raises(type(skip), match="no backend"):  # without a harm it stays a skip
            await attack.execute_async(adapter=ScriptedAgent(["no", skip]))


async def test_a_converter_that_fails_without_harm_is_an_error() -> None:
    attack = Attacks.prompt(prompt=["a", "b"], converters=[_BreaksAt(2)], evaluator=FOUND)
    result = await attack.execute_async(adapter=_says("no"))
    assert result.status is SafetyStatus.ERROR
    assert "the converter broke" in result.summary


async def test_failing_after_a_harm_is_told_to_handlers() -> None:
    events = _Events()
    attack = Attacks.goat(
        objective="x",
        attacker=AttackingModel([message("one"), ChatModelError("down")]).model,
        evaluator=FOUND,
        stop_when=None,
        event_handlers=[events],
    )
    result = await attack.execute_async(adapter=_says(SECRET))
    assert result.status is SafetyStatus.UNSAFE
    assert events.seen == [
        ExecutionEvent.ON_PRE_EXECUTE,
        ExecutionEvent.ON_ERROR,
        ExecutionEvent.ON_POST_EXECUTE,
    ]


@pytest.mark.parametrize(
    ("first", "status"), [(SECRET, SafetyStatus.UNSAFE), ("no", SafetyStatus.ERROR)], ids=["harm", "no harm"]
)
async def test_a_cancellation_during_a_later_message(first: str, status: SafetyStatus) -> None:
    asked = asyncio.Event()

    async def never() -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    agent = ScriptedAgent([first, lambda request, history: never()])
    attack = Attacks.prompt(prompt=["a", "b"], evaluator=FOUND, stop_at_first=False)
    collected = _Collected()
    with listening(collected):
        task = asyncio.ensure_future(attack.execute_async(adapter=agent))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    results = collected.results
    assert [result.status for result in results] == [status]
    assert [attempt.outcome for attempt in results[0].attempts][1:] == ["failed"]
    assert ("then the attack was cancelled" in results[0].summary) is (status is SafetyStatus.UNSAFE)
    assert agent.opened == agent.closed == 2


async def test_a_cancellation_while_a_session_is_left_leaves_nothing_unawaited() -> None:
    task: asyncio.Task[Result] | None = None

    async def cancel() -> None:
        assert task is not None
        task.cancel()
        for _ in range(3):  # who waits for the run hears of it
            await asyncio.sleep(0)

    agent = ScriptedAgent(["no"], repeat_last=True, on_close=cancel)
    attack = Attacks.pair(objective="x", attacker=AttackingModel().model, evaluator=FOUND)

    async def run() -> Result:
        return await attack.execute_async(adapter=agent)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        task = asyncio.create_task(run())
        with pytest.raises(asyncio.CancelledError):
            await task
        gc.collect()
    assert [str(warning.message) for warning in caught if "never awaited" in str(warning.message)] == []
    assert agent.opened == agent.closed == 1


async def test_a_session_that_cannot_be_left_ends_the_attack_and_says_so() -> None:
    def fail() -> None:
        raise RuntimeError("it hangs on")

    agent = ScriptedAgent(["no"], repeat_last=True, on_close=fail)
    attack = Attacks.pair(objective="x", attacker=AttackingModel().model, evaluator=FOUND)
    result = await attack.execute_async(adapter=agent)
    assert result.status is SafetyStatus.ERROR
    assert "session exit: RuntimeError: it hangs on" in result.summary
    assert "made 1 of 15 turns: a session could not be left" in result.summary
    assert len(agent.requests) == 1


async def test_a_prompt_that_was_pruned_is_kept_though_it_is_the_only_one() -> None:
    attacking = AttackingModel(off_goal=lambda _: [1])
    attack = Attacks.tap(objective="x", attacker=attacking.model, evaluator=FOUND, depth=1, branching=1)
    result = await attack.execute_async(adapter=_says("no"))
    assert result.status is SafetyStatus.UNDETERMINED
    assert [attempt.metadata["prompt"] for attempt in result.attempts] == ["message 1"]


async def test_a_supervisor_that_hangs_at_the_end_takes_nothing_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    attacking = AttackingModel()

    async def answer(messages: list[ChatMessage]) -> Completion:
        if "supervise a tester" in messages[0].content:
            await asyncio.Event().wait()
        return await attacking.model.complete_async(messages=messages)

    attack = Attacks.goat(
        objective="x",
        attacker=ScriptedChatModel([answer], repeat_last=True),
        evaluator=FOUND,
        max_turns=2,
        limits=Limits(turn_timeout_s=0.2),
    )
    result = await attack.execute_async(adapter=_says("no"))
    assert result.status is SafetyStatus.SAFE
    assert result.metadata["attacker"]["lost_goal"] is None
    assert "nobody looked whether the attacker pursued the objective" in caplog.text


async def test_the_limit_for_the_whole_holds_while_the_supervisor_looks() -> None:
    attacking = AttackingModel()

    async def answer(messages: list[ChatMessage]) -> Completion:
        if "supervise a tester" in messages[0].content:
            await asyncio.Event().wait()
        return await attacking.model.complete_async(messages=messages)

    attack = Attacks.goat(
        objective="x",
        attacker=ScriptedChatModel([answer], repeat_last=True),
        evaluator=FOUND,
        max_turns=2,
        limits=Limits(execution_timeout_s=0.3),
    )
    result = await attack.execute_async(adapter=_says("no"))
    assert result.status is SafetyStatus.ERROR
    assert "execution, while in look at the attacker's messages, timed out" in result.summary


class _Session:
    """Its level is what it was made with, and falls to another one when its turn was judged."""

    def __init__(self, levels: list[ObservabilityLevel]) -> None:
        self._levels = levels

    @property
    def observability_profile(self) -> ObservabilityLevel:
        return self._levels[0]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    async def send_async(self, request: Request, /) -> Response:
        return Response(text="no")


class _Agent:
    """An adapter whose sessions say for themselves what they report."""

    manifest = AppManifest(name="agent")
    observability_profile = ObservabilityLevel.TOOL_AND_SIDE_EFFECTS
    max_concurrent_sessions = None

    def __init__(self, *sessions: _Session) -> None:
        self._sessions = list(sessions)

    async def create_session_async(self) -> _Session:
        return self._sessions.pop(0)


_ALL, _TOOLS, _TEXT = (
    ObservabilityLevel.TOOL_AND_SIDE_EFFECTS,
    ObservabilityLevel.TOOL_ONLY,
    ObservabilityLevel.RESPONSE_ONLY,
)


async def test_the_result_is_that_of_the_attempt_that_was_not_believed() -> None:
    agent = _Agent(_Session([_ALL]), _Session([_TEXT]), _Session([_ALL]))
    attack = Attacks.pair(
        objective="x", attacker=AttackingModel().model, evaluator=FOUND, streams=1, iterations=3
    )
    result = await attack.execute_async(adapter=agent)
    assert result.status is SafetyStatus.UNDETERMINED
    assert result.observability_level is _TEXT
    assert result.metadata["observability_adjusted"] is True
    assert result.turns == result.attempts[1].turns


class _Wavering(BaseEvaluator):
    """Detects what it is asked about the first time only."""

    def __init__(self, levels: list[ObservabilityLevel]) -> None:
        self._levels = levels
        self._asked = 0

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        self._asked += 1
        self._levels[0] = _TOOLS  # so the final evaluation is no copy of the stop check
        outcome = EvalOutcome.DETECTED if self._asked == 1 else EvalOutcome.NOT_DETECTED
        return EvalResult(outcome=outcome)


@pytest.mark.parametrize("turns", [1, 5])
async def test_an_evaluator_that_takes_its_detection_back_leaves_no_safety(turns: int) -> None:
    levels = [_ALL]
    attack = Attacks.goat(
        objective="x", attacker=AttackingModel().model, evaluator=_Wavering(levels), max_turns=turns
    )
    result = await attack.execute_async(adapter=_Agent(_Session(levels)))
    assert result.status is SafetyStatus.UNDETERMINED
    assert "detected the objective during the conversation, and not at its end" in result.summary
    assert result.metadata["attacker"]["ended"] == "the evaluator changed its mind"
