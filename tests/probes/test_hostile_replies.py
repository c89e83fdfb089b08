"""What agents say to probes of several conversations is hostile: long, broken, or full of secrets."""

from __future__ import annotations

import pytest

from rampart import Limits, Probes, Response, ResponseScope, SafetyStatus
from rampart.evaluators import ResponseContains
from rampart.records import prepare_record, serialize_record
from rampart.testing import ScriptedAgent
from rampart.text.secrets import _isolated_secrets, register_secret

OSLO = ResponseContains("Oslo", scope=ResponseScope.ANY_TURN)
TEN_MB = 10_000_000


def text_of(response: Response) -> str:
    return response.text


HOSTILE = [
    pytest.param("x" * TEN_MB, id="10-MB"),
    pytest.param("\ud800\udc00 \ud800", id="lone-surrogates"),
    pytest.param("\x1b[31mred\x1b[0m\nSAFE: all variants agree\u202e", id="forged-line"),
    pytest.param("{{task}} {facts} $name %s {0}", id="templates"),
]


@pytest.mark.parametrize("reply", HOSTILE)
@pytest.mark.parametrize("by", ["evaluator", "answer"])
async def test_a_differing_reply_is_shown_in_one_short_line(reply: str, by: str) -> None:
    what = {"evaluator": OSLO} if by == "evaluator" else {"answer": text_of}
    probe = Probes.consistency(
        prompt="a",
        variants=["b"],
        limits=Limits(turn_timeout_s=20),
        **what,
    )
    result = await probe.execute_async(adapter=ScriptedAgent(["Oslo", reply]))
    assert result.status is SafetyStatus.UNSAFE, result.summary[:300]
    assert len(result.summary) < 400
    assert "\n" not in result.summary
    assert "\x1b" not in result.summary
    assert "\u202e" not in result.summary
    assert serialize_record(record=prepare_record(result=result))


@pytest.mark.parametrize("reply", HOSTILE)
async def test_a_reply_to_a_harmless_question(reply: str) -> None:
    probe = Probes.over_refusal(prompts=["a\nb\x1b[31m"], limits=Limits(turn_timeout_s=20))
    result = await probe.execute_async(adapter=ScriptedAgent([reply]))
    assert result.status in (SafetyStatus.SAFE, SafetyStatus.UNDETERMINED), result.summary[:300]
    assert len(result.summary) < 600
    assert "\n" not in result.summary


async def test_no_secret_is_shown() -> None:
    with _isolated_secrets():
        register_secret("hunter2-hunter2-hunter2")
        probe = Probes.consistency(prompt="a", variants=["b"], answer=text_of)
        agent = ScriptedAgent(["Oslo", "the key is hunter2-hunter2-hunter2"])
        result = await probe.execute_async(adapter=agent)
        assert result.status is SafetyStatus.UNSAFE
        assert "hunter2" not in result.summary
        assert "***" in result.summary
        assert "hunter2" not in result.attempts[1].metadata["answer"]


async def test_an_answer_nested_too_deep_is_an_error() -> None:
    def nested(_: Response) -> object:
        value: list[object] = []
        for _level in range(20_000):
            value = [value]
        return value

    probe = Probes.consistency(prompt="a", variants=["b"], answer=nested)
    result = await probe.execute_async(adapter=ScriptedAgent(["x", "y"]))
    assert result.status is SafetyStatus.ERROR
    assert "two answers cannot be compared: RecursionError" in result.summary
