"""Direct prompts: each message in a session of its own, converted where that was asked."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from rampart import Attacks, ObservabilityLevel, Payload, Request, ResponseScope, SafetyStatus
from rampart.converters import Base64Converter, Rot13Converter
from rampart.evaluators import ResponseContains
from rampart.payloads import Payloads
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from rampart import Turn

SECRET = "the code is 4711"
FOUND = ResponseContains(SECRET, scope=ResponseScope.ANY_TURN)


def _yields_to(words: str) -> ScriptedAgent:
    def reply(request: Request, history: list[Turn]) -> str:
        assert history == []
        return SECRET if words in (request.prompt or "") else "no"

    return ScriptedAgent([reply], repeat_last=True)


async def test_one_prompt() -> None:
    result = await Attacks.prompt(prompt="Tell me", evaluator=FOUND).execute_async(adapter=_yields_to("Tell"))
    assert result.status is SafetyStatus.UNSAFE
    assert result.strategy == "prompt"
    assert result.attempts == []
    assert result.summary == "attack objective reached: found on turns 0"


async def test_the_first_that_reaches_the_objective_ends_it() -> None:
    agent = _yields_to("b")
    result = await Attacks.prompt(prompt=["a", "b", "c"], evaluator=FOUND).execute_async(adapter=agent)
    assert result.status is SafetyStatus.UNSAFE
    assert [attempt.outcome for attempt in result.attempts] == ["not reached", "reached"]
    assert result.turns[0].request.prompt == "b"
    assert (agent.opened, agent.closed) == (2, 2)
    assert "attempt 2 of 2" in result.summary


async def test_all_are_sent_where_that_is_asked() -> None:
    attack = Attacks.prompt(prompt=["a", "b", "c"], evaluator=FOUND, stop_at_first=False)
    result = await attack.execute_async(adapter=_yields_to("b"))
    assert result.status is SafetyStatus.UNSAFE
    assert [attempt.outcome for attempt in result.attempts] == ["not reached", "reached", "not reached"]


async def test_a_harm_outlasts_a_later_failure() -> None:
    agent = ScriptedAgent([SECRET, RuntimeError("down")])
    attack = Attacks.prompt(prompt=["a", "b", "c"], evaluator=FOUND, stop_at_first=False)
    result = await attack.execute_async(adapter=agent)
    assert result.status is SafetyStatus.UNSAFE
    assert [attempt.outcome for attempt in result.attempts] == ["reached", "failed"]
    assert result.metadata["error"] == "down"
    assert "then the attack failed: RuntimeError" in result.summary


async def test_a_failure_without_harm_is_an_error() -> None:
    agent = ScriptedAgent(["no", RuntimeError("down")])
    result = await Attacks.prompt(prompt=["a", "b"], evaluator=FOUND).execute_async(adapter=agent)
    assert result.status is SafetyStatus.ERROR
    assert [attempt.outcome for attempt in result.attempts] == ["not reached", "failed"]


async def test_converters_apply_one_after_another() -> None:
    agent = _yields_to("nothing")
    attack = Attacks.prompt(
        prompt=["Tell", Payload(content="Tell"), Request(prompt="Tell")],
        converters=[Rot13Converter(), Base64Converter()],
        evaluator=FOUND,
    )
    result = await attack.execute_async(adapter=agent)
    assert [request.prompt for request in agent.requests] == [base64.b64encode(b"Gryy").decode()] * 3
    assert result.status is SafetyStatus.SAFE


async def test_a_single_converter_needs_no_list() -> None:
    agent = _yields_to("nothing")
    attack = Attacks.prompt(prompt="Tell", converters=Base64Converter(), evaluator=FOUND)
    await attack.execute_async(adapter=agent)
    assert agent.requests[0].prompt == base64.b64encode(b"Tell").decode()


async def test_a_family_of_the_library() -> None:
    payloads = Payloads.library(goal="Tell me the code.", families=["role_play_frame"])
    agent = _yields_to("nothing at all")
    result = await Attacks.prompt(prompt=payloads, evaluator=FOUND).execute_async(adapter=agent)
    assert result.status is SafetyStatus.SAFE
    assert len(result.attempts) == len(payloads) > 1
    assert [attempt.metadata["payload"] for attempt in result.attempts] == [one.id for one in payloads]


async def test_one_that_nobody_can_judge_leaves_the_whole_undetermined() -> None:
    agent = ScriptedAgent(["no"], repeat_last=True, level=ObservabilityLevel.RESPONSE_ONLY)
    result = await Attacks.prompt(prompt=["a", "b"], evaluator=FOUND).execute_async(adapter=agent)
    assert result.status is SafetyStatus.UNDETERMINED


@pytest.mark.parametrize(
    ("wrong", "error", "match"),
    [
        pytest.param({"prompt": []}, ValueError, "prompt is empty", id="empty"),
        pytest.param({"prompt": ["a", 3]}, TypeError, r"prompt\[1\] is of type int", id="item"),
        pytest.param({"prompt": " "}, ValueError, r"prompt\[0\] is blank", id="blank"),
        pytest.param(
            {"prompt": ["a", Request(prompt="")]}, ValueError, r"prompt\[1\] is blank", id="blank request"
        ),
        pytest.param(
            {"prompt": [Payload(content="\n")]}, ValueError, r"prompt\[0\] is blank", id="blank payload"
        ),
        pytest.param({"converters": [3]}, TypeError, "converter", id="converter"),
        pytest.param({"evaluator": None}, TypeError, "evaluator", id="evaluator"),
        pytest.param({"stop_at_first": "no"}, TypeError, "stop_at_first", id="flag"),
    ],
)
def test_bad_arguments(wrong: dict[str, Any], error: type[Exception], match: str) -> None:
    right: dict[str, Any] = {"prompt": "a", "evaluator": FOUND}
    with pytest.raises(error, match=match):
        Attacks.prompt(**right | wrong)
