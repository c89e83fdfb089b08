"""What a failing test shows of the conversation behind its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.result import status_of
from rampart.records.prepare import prepare_record
from rampart.text.oneline import one_line, quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from pathlib import Path

    from rampart.core.evaluation import EvalResult
    from rampart.core.result import Result
    from rampart.core.types import ToolCall, Turn

SECTION_TITLE = "rampart"

SHOWN_CHARACTERS = 500
"""How much is shown of a prompt, a reply, and the arguments and the result of a tool call."""

_MAX_TURNS = 50
_MAX_CALLS = 50


def failure_section(*, result: Result, journal_path: Path | None) -> str:
    """The text below the title `rampart` in the report of a failing test.

    Everything that others wrote stands on one line, without control sequences and secrets, so that it
    cannot be taken for what rampart says.

    Args:
        result: The test's first result that is not SAFE.
        journal_path: Where the whole of it is on disk; None if it is not.
    """
    plain = prepare_record(result=result).result
    lines = [*_trial_lines(plain), _verdict_line(plain)]
    hidden = max(len(plain.turns) - _MAX_TURNS, 0)
    if hidden:
        lines.append(f"... {hidden} earlier turns are left out")
    for turn in plain.turns[hidden:]:
        lines += _turn_lines(turn)
    unanswered: object = plain.metadata.get("unanswered_prompt")
    if isinstance(unanswered, str):
        lines += [f"turn {len(plain.turns)}", f"  prompt: {_cut(unanswered)}", "  no reply"]
    lines += _evidence_lines(_deciding(plain))
    lines.append("journal: " + ("none" if journal_path is None else one_line(str(journal_path))))
    return "\n".join(lines)


def _trial_lines(result: Result) -> list[str]:
    ref = result.population
    return [] if ref is None else [f"trial {ref.index} of {ref.size}, the first that is not safe"]


def _verdict_line(result: Result) -> str:
    status, summary = status_of(result).value, quote(result.summary, SHOWN_CHARACTERS)
    return summary if summary.startswith(f"{status}: ") else f"{status}: {summary}"


def _deciding(result: Result) -> EvalResult | None:
    """The evaluation behind the verdict; of a trace that broke off, the last one that was made."""
    return result.final_trace_evaluation or next(reversed(result.turn_evaluations), None)


def _turn_lines(turn: Turn) -> list[str]:
    prompt, attachments = turn.request.prompt, turn.request.attachments
    lines = [f"turn {turn.turn_number}"]
    if prompt is not None:
        lines.append(f"  prompt: {_cut(prompt)}")
    lines += [f"  attachment {payload.id}: {_cut(payload.content)}" for payload in attachments]
    calls = turn.response.tool_calls
    lines += [f"  tool call: {_call(call)}" for call in calls[:_MAX_CALLS]]
    if len(calls) > _MAX_CALLS:
        lines.append(f"  ... and {len(calls) - _MAX_CALLS} more tool calls")
    lines.append(f"  reply: {_cut(turn.response.text)}")
    return lines


def _call(call: ToolCall) -> str:
    if call.raw_arguments is not None:
        given = _cut(call.raw_arguments)
    else:
        given = _cut(", ".join(f"{name}={value!r}" for name, value in call.arguments.items()))
    shown = f"{_cut(call.name)}({given})"
    if call.result is not None:
        shown += f" -> {_cut(safe_str(call.result))}"
    if call.error is not None:
        shown += f" !! {_cut(call.error)}"
    if call.executed is False:
        shown += " (not run)"
    return shown


def _evidence_lines(evaluation: EvalResult | None) -> list[str]:
    if evaluation is None:
        return ["evidence: none, nothing was evaluated"]
    lines = [f"evaluation: {evaluation.outcome.value}: {_cut(evaluation.rationale)}".rstrip(": ")]
    return lines + [f"evidence: {_cut(item)}" for item in evaluation.evidence]


def _cut(text: str) -> str:
    return quote(text, SHOWN_CHARACTERS)
