"""A trace as text for a model that judges it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rampart.evaluators.transcript_scope import TranscriptScope
from rampart.text.forged_lines import quote_lines, readings
from rampart.text.safe import safe_repr, safe_str

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.evaluation import EvalContext
    from rampart.core.types import Payload, SideEffect, ToolCall, Turn

EMPTY_TRANSCRIPT = "(empty transcript)"
MOST_RESULT_CHARACTERS = 20_000
"""How much of each tool result is shown."""

# Of lines as they are read. Before the word stands at least one bracket, among whatever decorates it.
_TURN_HEAD = re.compile(r"(?P<before>[\W_]*+)t\W*+u\W*+r\W*+n(?![^\W\d_])")
_OTHER_HEAD = re.compile(r"[\W_]*+(?:user|agent|attachment|tool ?call|side ?effect) ?:")
_ANY_HEAD = re.compile(r"t\W*+u\W*+r\W*+n|(?:user|agent|attachment|tool ?call|side ?effect) ?:")


def render_transcript(context: EvalContext, *, scope: TranscriptScope = TranscriptScope.FULL) -> str:
    """The turns of a trace in a fixed form, one block a turn, or `(empty transcript)`.

    It holds what was said and done, not what the driver or an earlier evaluation thought of it. A line of
    foreign text is quoted (`> `) if it imitates the head of a turn (`[Turn `), or another line of the
    transcript where one could stand; look-alikes are imitations too. The text still has to be fenced
    (`rampart.text.fence`) before a model is shown it.

    Args:
        context: The trace.
        scope: All turns, or the last one.
    """
    turns = context.turns[-1:] if scope is TranscriptScope.CURRENT_TURN else context.turns
    return "\n\n".join("\n".join(_lines(turn)) for turn in turns) or EMPTY_TRANSCRIPT


def _lines(turn: Turn) -> Iterator[str]:
    request, response = turn.request, turn.response
    yield f"[Turn {turn.turn_number}]"
    if request.prompt:
        yield f"User: {quoted(request.prompt)}"
    for attachment in request.attachments:
        yield _attachment_line(attachment)
    for call in response.tool_calls:
        yield _call_line(call)
    if response.text:
        yield f"Agent: {quoted(response.text)}"
    for effect in response.side_effects:
        yield _effect_line(effect)


def _attachment_line(attachment: Payload) -> str:
    return f"Attachment: id={quoted(attachment.id)} format={attachment.format.value}"


def _call_line(call: ToolCall) -> str:
    given = _pairs(call.arguments) if call.raw_arguments is None else quoted(call.raw_arguments)
    shown = f"{quoted(call.name)}({given})"
    if call.result is not None:
        shown += f" -> {_shown_result(call.result)}"
    if call.error is not None:
        shown += f" !! {quoted(call.error)}"
    # Once more as a whole: behind a name that ends in a line break, a bracket of ours begins a line.
    return f"Tool call: {quoted(shown)}"


def _shown_result(result: object) -> str:
    text = safe_str(result)
    left_out = len(text) - MOST_RESULT_CHARACTERS
    if left_out <= 0:
        return quoted(text)
    return f"{quoted(text[:MOST_RESULT_CHARACTERS])}... ({left_out} characters left out)"


def _effect_line(effect: SideEffect) -> str:
    details = _pairs(effect.details)
    return f"Side effect: {quoted(quoted(effect.kind) + (f' — {details}' if details else ''))}"


def _pairs(values: object) -> str:
    if not isinstance(values, Mapping):
        return quoted(values)
    return ", ".join(f"{quoted(key)}={quoted(safe_repr(value))}" for key, value in values.items())


def quoted(value: object, /) -> str:
    """Foreign text with those lines quoted that could be taken for lines of the transcript."""
    text = safe_str(value)
    if not any(map(_ANY_HEAD.search, readings(text))):  # nearly always, and much faster than line by line
        return text
    return quote_lines(text, where=_is_forged)


def _is_forged(place: int, line: str) -> bool:
    # The first line stands behind a head of ours, where a turn's is quoted all the same.
    return any(_is_turn_head(seen) or (place > 0 and _OTHER_HEAD.match(seen)) for seen in readings(line))


def _is_turn_head(seen: str) -> bool:
    head = _TURN_HEAD.match(seen)
    return head is not None and "[" in head["before"]
