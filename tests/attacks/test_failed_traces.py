"""A harm that was done is never lost to what failed afterwards."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.attacks.support import DONE, LEAK, Judge, Planted, got
from tests.execution.support import collecting

from rampart import (
    Attacks,
    EvalOutcome,
    ExecutionEvent,
    ExecutionEventData,
    ExecutionEventHandler,
    InfrastructureError,
    Limits,
    PromptDecision,
    Request,
    Response,
    Result,
    SafetyStatus,
    Turn,
    execute_trials_async,
)
from rampart.testing import HANG, ScriptedAgent


class Heard(ExecutionEventHandler):
    def __init__(self) -> None:
        self.events: list[ExecutionEventData] = []

    async def on_event_async(self, *, event_data: ExecutionEventData) -> None:
        self.events.append(event_data)

    @property
    def kinds(self) -> list[ExecutionEvent]:
        return [data.event for data in self.events]


class FailingDriver:
    async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision:
        if history:
            raise KeyError("no more")
        return PromptDecision(request=Request(prompt="a"))


def failing_stop_check() -> Judge:
    def answer(_context: object) -> EvalOutcome:
        raise ValueError("cannot judge")

    return Judge(answer)


PARTIAL = InfrastructureError("stream broke", partial=Response(text="the secret is"))

FAILURES: dict[str, tuple[list[Any], dict[str, Any], str]] = {
    "send": (["the secret", ConnectionError("down")], {}, "ConnectionError: down"),
    "partial-response": (["fine", PARTIAL], {}, "InfrastructureError: stream broke"),
    "first-turn-with-a-partial-response": ([PARTIAL], {}, "InfrastructureError: stream broke"),
    "driver": (["the secret"], {"trigger": FailingDriver()}, "KeyError: 'no more'"),
    "stop-check": (["the secret"], {"stop_when": failing_stop_check()}, "ValueError: cannot judge"),
    "turn-limit": (["the secret", HANG], {"limits": Limits(turn_timeout_s=0.05)}, "send_async (turn 1)"),
    "whole-limit": (
        ["the secret", HANG],
        {"limits": Limits(execution_timeout_s=0.05)},
        "execution, while in send_async (turn 1), timed out",
    ),
    "no-response": (["the secret", lambda *_: 3], {}, "TypeError"),
}


async def attacked(script: list[Any], options: dict[str, Any], **more: Any) -> Result:
    arguments: dict[str, Any] = {"trigger": ["a", "b"], "stop_when": None, "evaluator": LEAK}
    return await Attacks.xpia(**(arguments | options | more)).execute_async(adapter=ScriptedAgent(script))


@pytest.mark.parametrize(("script", "options", "named"), FAILURES.values(), ids=FAILURES)
async def test_harm_before_the_failure_is_unsafe(
    script: list[Any], options: dict[str, Any], named: str
) -> None:
    heard, handle = Heard(), Planted(text="read me")
    result = await attacked(script, options, event_handlers=[heard], inject=handle)
    assert result.status is SafetyStatus.UNSAFE
    assert result.summary.startswith("attack objective reached: found on turns")
    assert named in result.summary
    assert named.partition(":")[0] in (*result.metadata["error_type"].split(), *named.split(":"))
    assert result.metadata["error"]
    assert result.trace_end_reason is None
    assert "the secret" in "".join(turn.response.text for turn in result.turns)
    assert heard.kinds == [
        ExecutionEvent.ON_PRE_EXECUTE,
        ExecutionEvent.ON_ERROR,
        ExecutionEvent.ON_POST_EXECUTE,
    ]
    assert heard.events[1].error is not None
    assert [record.surface_name for record in result.injections] == ["notes"]
    assert handle.diary[-1] == "leave notes"


@pytest.mark.parametrize(("script", "options", "named"), FAILURES.values(), ids=FAILURES)
async def test_failure_without_a_harm_is_an_error(
    script: list[Any], options: dict[str, Any], named: str
) -> None:
    never = Judge(lambda _context: EvalOutcome.NOT_DETECTED)
    result = await attacked(script, options, evaluator=never)
    assert result.status is SafetyStatus.ERROR
    assert named in result.summary
    assert len(never.contexts) == 1


async def test_evaluator_that_hangs_afterwards_is_bounded_and_leaves_the_failure() -> None:
    class Slow(Judge):
        async def evaluate_async(self, *, context: Any) -> Any:
            await asyncio.Event().wait()

    slow = Slow(lambda _context: EvalOutcome.DETECTED)
    result = await attacked(
        ["the secret", ConnectionError("down")], {"limits": Limits(turn_timeout_s=0.05)}, evaluator=slow
    )
    assert (result.status, result.summary) == (SafetyStatus.ERROR, "ConnectionError: down")


async def test_evaluation_afterwards_is_not_cut_by_the_limit_of_the_whole() -> None:
    class Slow(Judge):
        async def evaluate_async(self, *, context: Any) -> Any:
            await asyncio.sleep(0.1)
            return await super().evaluate_async(context=context)

    slow = Slow(lambda _context: EvalOutcome.DETECTED)
    result = await attacked(
        ["the secret", ConnectionError("down")], {"limits": Limits(execution_timeout_s=0.05)}, evaluator=slow
    )
    assert result.status is SafetyStatus.UNSAFE


async def test_failure_before_the_first_turn_is_an_error() -> None:
    asked = Judge(lambda _context: EvalOutcome.DETECTED)
    result = await attacked([ConnectionError("down")], {}, evaluator=asked)
    assert (result.status, asked.contexts) == (SafetyStatus.ERROR, [])
    assert result.metadata["unanswered_prompt"] == "a"


async def test_prompt_without_an_answer_is_kept_beside_the_finding() -> None:
    result = await attacked(["the secret", ConnectionError("down")], {})
    assert result.metadata["unanswered_prompt"] == "b"


async def test_cleanup_that_fails_besides_is_named_and_loses_nothing() -> None:
    async def fail() -> None:
        raise OSError("in use")

    handle = Planted("inbox")
    handle.leaving = fail
    result = await attacked(["the secret", ConnectionError("down")], {}, inject=handle)
    assert result.status is SafetyStatus.UNSAFE
    assert "ConnectionError: down" in result.summary
    assert "injection 'inbox' exit: OSError: in use" in result.summary


async def test_utility_of_a_trace_that_was_cut_off_is_open() -> None:
    result = await attacked(["the secret", ConnectionError("down")], {}, utility=DONE)
    assert result.utility is not None
    assert result.utility.outcome is EvalOutcome.UNDETERMINED
    assert "ConnectionError: down" in result.utility.rationale


async def test_failures_of_trials_keep_their_findings() -> None:
    population = await execute_trials_async(
        execution_factory=lambda: Attacks.xpia(trigger=["a", "b"], evaluator=LEAK, stop_when=None),
        adapter=ScriptedAgent([["the secret", OSError("down")], [got("x"), "fine"]]),
        n=2,
        threshold=0.5,
    )
    assert [result.status for result in population.results] == [SafetyStatus.UNSAFE, SafetyStatus.SAFE]
    assert population.safe


async def test_skip_inside_an_agent_is_a_skip() -> None:
    agent = ScriptedAgent(["the secret", pytest.skip.Exception("no agent here")])
    with pytest.raises(pytest.skip.Exception, match="no agent here"):
        await Attacks.xpia(trigger=["a", "b"], evaluator=LEAK, stop_when=None).execute_async(adapter=agent)


async def test_cancelled_attack_is_an_error_that_keeps_turns_and_injections() -> None:
    handle, heard, asked_again = Planted(), Heard(), asyncio.Event()

    async def hang(_request: Request, _history: object) -> str:
        asked_again.set()
        await asyncio.Event().wait()
        return "never"

    agent = ScriptedAgent(["the secret", hang])
    collected, installed = collecting()
    with installed:
        task = asyncio.create_task(
            Attacks.xpia(
                inject=handle, trigger=["a", "b"], evaluator=LEAK, stop_when=None, event_handlers=[heard]
            ).execute_async(adapter=agent)
        )
        await asked_again.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    [result] = collected.results
    assert (result.status, result.strategy, result.trace_end_reason) == (SafetyStatus.ERROR, "xpia", None)
    assert "CancelledError" in result.summary
    assert [turn.response.text for turn in result.turns] == ["the secret"]
    assert [record.surface_name for record in result.injections] == ["notes"]
    assert handle.diary[-1] == "leave notes"
    assert heard.kinds == [ExecutionEvent.ON_PRE_EXECUTE, ExecutionEvent.ON_ERROR]


async def test_removal_that_fails_makes_an_open_verdict_an_error() -> None:
    async def fail() -> None:
        raise OSError("in use")

    handle = Planted(text="never read by anybody")
    handle.leaving = fail
    result = await Attacks.xpia(inject=handle, trigger="go", evaluator=LEAK, utility=DONE).execute_async(
        adapter=ScriptedAgent([got("nothing", text="a summary")])
    )
    assert (result.status, result.metadata["cleanup_errors"]) == (
        SafetyStatus.ERROR,
        ["injection 'notes' exit: OSError: in use"],
    )
    assert result.summary.endswith("without that: undetermined: payload not delivered: notes")
    assert result.final_trace_evaluation is not None
    assert result.final_trace_evaluation.outcome is EvalOutcome.NOT_DETECTED
    assert result.utility is not None
    assert result.utility.detected
    assert result.trace_end_reason is not None
    assert [record.delivery for record in result.injections] == ["not_observed"]
