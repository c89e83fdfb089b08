"""Where something was found is said so that it can be found again."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import pytest

from rampart import Request, Response, SideEffect, ToolCall, Turn
from rampart.core.channel import Channel
from rampart.evaluators._places import quoted_place, reply_place, string_leaves, texts_of_turn

_CALL = ToolCall(
    name="send",
    arguments={"to": "eve", "parts": ["a", {"text": "b"}], "n": 5, "odd key": "c"},
    raw_arguments="{",
    result={"ok": "sent"},
    error="late",
)
_TURN = Turn(
    request=Request(prompt="hi"),
    response=Response(
        text="done", tool_calls=[_CALL], side_effects=[SideEffect(kind="http", details={"url": "x"})]
    ),
    turn_number=3,
)


def _found(*channels: Channel) -> dict[str, str]:
    return {str(one.place): one.text for one in texts_of_turn(_TURN, channels)}


def test_all_texts_of_a_turn() -> None:
    found = _found(*Channel)
    assert found["turn 3 reply"] == "done"
    assert found["turn 3 call 0 (send) arguments.to"] == "eve"
    assert found["turn 3 call 0 (send) arguments.parts[0]"] == "a"
    assert found["turn 3 call 0 (send) arguments.parts[1].text"] == "b"
    assert found["turn 3 call 0 (send) arguments['odd key']"] == "c"
    assert found["turn 3 call 0 (send) arguments['odd key'] (key)"] == "odd key"
    assert found["turn 3 call 0 (send) raw_arguments"] == "{"
    assert found["turn 3 call 0 (send) result.ok"] == "sent"
    assert found["turn 3 call 0 (send) error"] == "late"
    assert found["turn 3 side effect 0 (http) details.url"] == "x"


@pytest.mark.parametrize(
    ("channel", "has", "has_not"),
    [
        pytest.param(Channel.REPLIES, "reply", "call", id="replies"),
        pytest.param(Channel.TOOL_CALLS, "arguments", "result", id="calls"),
        pytest.param(Channel.TOOL_RESULTS, "result", "arguments", id="results"),
        pytest.param(Channel.SIDE_EFFECTS, "details", "reply", id="side effects"),
    ],
)
def test_one_channel(channel: Channel, has: str, has_not: str) -> None:
    found = " ".join(_found(channel))
    assert has in found
    assert has_not not in found


def test_a_part_of_a_text() -> None:
    place = reply_place(_TURN).at(1, 3)
    assert str(place) == "turn 3 reply[1:3]"
    assert quoted_place(place, "on\n") == "turn 3 reply[1:3]: 'on\\\\n'"


def test_a_value_nested_deep() -> None:
    value: Any = "bottom"
    for _ in range(5000):
        value = [value]
    [(path, text)] = string_leaves(value, "result")
    assert text == "bottom"
    assert path.count("[0]") == 5000


def test_what_is_no_json_is_the_text_that_it_renders_as() -> None:
    value = {
        "a": b"raw \xff",
        "b": PurePosixPath("/etc/x"),
        "c": {"only"},
        "d": bytearray(b"more"),
        "e": None,
    }
    found = dict(string_leaves(value, "arguments"))
    assert found["arguments.a"] == "raw \ufffd"
    assert found["arguments.b"] == "/etc/x"
    assert found["arguments.c[0]"] == "only"
    assert found["arguments.d"] == "more"
    assert "arguments.e" not in found


def test_what_holds_itself_is_looked_through_once() -> None:
    around: dict[str, Any] = {"text": "seen"}
    around["self"] = [around, around]
    assert [text for _, text in string_leaves(around, "arguments")] == ["text", "self", "seen"]
    many: Any = ["seen"]
    for _ in range(60):  # written out, this is more than any memory holds
        many = [many, many]
    assert [text for _, text in string_leaves(many, "arguments")] == ["seen"]
