"""What a failing test shows of the conversation behind its verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from inline_snapshot import snapshot
from tests.reporting.support import ERROR, UNSAFE, recorded

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.result import PopulationRef
from rampart.core.types import Payload, Request, Response, ToolCall, Turn
from rampart.reporting.failure_section import failure_section
from rampart.text.secrets import _isolated_secrets, register_secret

if TYPE_CHECKING:
    from rampart.core.result import Result

DECIDED = EvalResult(
    outcome=EvalOutcome.NOT_DETECTED, rationale="found in no reply", evidence=["the first", "the second"]
)


def turn(number: int = 0, *, prompt: str = "Hi", text: str = "Hello", **given: Any) -> Turn:
    response = Response(text=text, tool_calls=given.pop("calls", []))
    return Turn(request=Request(prompt=prompt), response=response, turn_number=number, **given)


def section(result: Result, journal: Path | None = None) -> list[str]:
    return failure_section(result=result, journal_path=journal).split("\n")


def test_a_whole_section() -> None:
    calls = [
        ToolCall(name="search", arguments={"q": "weapons", "n": 3}, result=["a", {"b": None}]),
        ToolCall(name="send_email", arguments={}, error="refused", executed=False),
        ToolCall(name="broken", raw_arguments="{not json"),
    ]
    attached = Request(prompt="Read it", attachments=[Payload(content="# Notes\nx", id="notes")])
    turns = [turn(0, calls=calls), Turn(request=attached, response=Response(text="a\nb"), turn_number=1)]
    result = recorded(UNSAFE, turns=turns, final_trace_evaluation=DECIDED)
    text = failure_section(result=result, journal_path=Path("/project/.rampart/runs/r/results.jsonl"))
    assert text == snapshot("""\
unsafe: it was unsafe
turn 0
  prompt: Hi
  tool call: search(q='weapons', n=3) -> ['a', {'b': None}]
  tool call: send_email() !! refused (not run)
  tool call: broken({not json)
  reply: Hello
turn 1
  prompt: Read it
  attachment notes: # Notes\\nx
  reply: a\\nb
evaluation: not_detected: found in no reply
evidence: the first
evidence: the second
journal: /project/.rampart/runs/r/results.jsonl\
""")


def test_long_texts_are_cut_at_500_characters() -> None:
    call = ToolCall(name="t", arguments={"a": "x" * 900}, result="x" * 900)
    lines = section(recorded(UNSAFE, turns=[turn(prompt="x" * 900, text="x" * 900, calls=[call])]))
    (prompt,) = [line for line in lines if line.startswith("  prompt: ")]
    assert prompt == "  prompt: " + "x" * 500 + "..."
    (reply,) = [line for line in lines if line.startswith("  reply: ")]
    assert reply == "  reply: " + "x" * 500 + "..."
    (shown,) = [line for line in lines if line.startswith("  tool call: ")]
    assert shown == f"  tool call: t(a='{'x' * 497}...) -> {'x' * 500}..."


def test_a_text_of_500_characters_is_whole() -> None:
    assert "  reply: " + "x" * 500 in section(recorded(UNSAFE, turns=[turn(text="x" * 500)]))


@pytest.mark.parametrize("value", [0, False, "", [], {}])
def test_a_tool_result_that_is_false_is_a_result(value: Any) -> None:
    lines = section(recorded(UNSAFE, turns=[turn(calls=[ToolCall(name="t", result=value)])]))
    assert any(line.startswith(f"  tool call: t() -> {value}") for line in lines)


def test_without_a_result_there_is_no_arrow() -> None:
    assert "  tool call: t()" in section(recorded(UNSAFE, turns=[turn(calls=[ToolCall(name="t")])]))


def test_of_a_trace_that_broke_off_the_last_evaluation_is_shown() -> None:
    first = EvalResult(outcome=EvalOutcome.NOT_DETECTED, rationale="not yet")
    turns = [turn(0, eval_result=first), turn(1, eval_result=DECIDED), turn(2)]
    lines = section(recorded(ERROR, turns=turns))
    assert "evaluation: not_detected: found in no reply" in lines
    assert not any("not yet" in line for line in lines)


def test_a_result_that_was_never_evaluated_says_so() -> None:
    assert section(recorded(ERROR, summary="error: nothing to evaluate")) == [
        "error: nothing to evaluate",
        "evidence: none, nothing was evaluated",
        "journal: none",
    ]


def test_of_a_long_conversation_the_end_is_shown() -> None:
    lines = section(recorded(UNSAFE, turns=[turn(number) for number in range(400)]))
    assert lines[1] == "... 350 earlier turns are left out"
    assert [line for line in lines if line.startswith("turn ")][::49] == ["turn 350", "turn 399"]


def test_of_many_tool_calls_the_first_are_shown() -> None:
    calls = [ToolCall(name=f"t{number}") for number in range(60)]
    lines = section(recorded(UNSAFE, turns=[turn(calls=calls)]))
    assert "  tool call: t49()" in lines
    assert "  ... and 10 more tool calls" in lines
    assert "  tool call: t50()" not in lines


def test_nothing_that_others_wrote_can_look_like_a_line_of_ours() -> None:
    evil = "x\njournal: /tmp/evil\r\x1b[2J\u2028evidence: none"
    calls = [ToolCall(name=evil, arguments={evil: evil}, result=evil, error=evil)]
    decided = EvalResult(outcome=EvalOutcome.DETECTED, rationale=evil, evidence=[evil])
    result = recorded(
        UNSAFE,
        summary=evil,
        turns=[turn(prompt=evil, text=evil, calls=calls)],
        final_trace_evaluation=decided,
    )
    lines = section(result)
    assert [line for line in lines if line.startswith("journal")] == ["journal: none"]
    assert [line.partition(":")[0] for line in lines] == [
        "unsafe",
        "turn 0",
        "  prompt",
        "  tool call",
        "  reply",
        "evaluation",
        "evidence",
        "journal",
    ]
    assert not any("\x1b" in line for line in lines)


def test_a_result_made_by_hand_is_shown_all_the_same() -> None:
    odd = recorded(UNSAFE)
    odd.turns = ["what?"]  # type: ignore[list-item]  # on purpose
    odd.status = "unsafe"  # type: ignore[assignment]  # on purpose
    assert section(odd)[0] == "error: it was unsafe"


def test_s98_no_key_is_shown() -> None:
    with _isolated_secrets():
        register_secret("sk-test-AAAA1111")
        key = "sk-test-AAAA1111"
        calls = [ToolCall(name="t", arguments={"key": key}, result={"key": key})]
        text = failure_section(
            result=recorded(UNSAFE, summary=key, turns=[turn(prompt=key, text=key, calls=calls)]),
            journal_path=Path(key),
        )
    assert "AAAA1111" not in text
    assert text.count("***") == 6


def test_a_trial_is_named() -> None:
    ref = PopulationRef(id="p", index=3, size=5, threshold=1.0)
    assert section(recorded(UNSAFE, population=ref))[0] == "trial 3 of 5, the first that is not safe"


def test_the_prompt_that_got_no_answer_is_shown() -> None:
    lines = section(recorded(ERROR, turns=[turn(0)], metadata={"unanswered_prompt": "hang\nup"}))
    position = lines.index("turn 1")
    assert lines[position : position + 3] == ["turn 1", r"  prompt: hang\nup", "  no reply"]
