"""What a function returns becomes a response, or an error that says what and where."""

from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import pytest

from rampart.adapters.reply import ReplyError, response_of
from rampart.core.errors import InfrastructureError
from rampart.core.types import Response, SideEffect, ToolCall, Usage

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def convert(reply: object) -> Response:
    return response_of(reply, source="the agent function 'agent'")


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "something else"


def test_text() -> None:
    assert convert("hi") == Response(text="hi")


@pytest.mark.parametrize("as_object", [False, True], ids=["dict", "response"])
def test_what_happens_to_the_reply_later_does_not_show(as_object: bool) -> None:
    box = {"to": ["a"]}
    call = ToolCall(name="f", arguments=box, result=box)
    effect = SideEffect(kind="sent", details=box)
    if as_object:
        response = convert(Response(text="", tool_calls=[call], side_effects=[effect]))
    else:
        fields = {"name": "f", "arguments": box, "result": box}
        response = convert(
            {"text": "", "tool_calls": [fields], "side_effects": [{"kind": "sent", "details": box}]}
        )
    box["to"].append("b")
    (made,), (caused,) = response.tool_calls, response.side_effects
    assert made.arguments == made.result == caused.details == {"to": ["a"]}


def test_text_in_calls_becomes_plain_text() -> None:
    fields = dict.fromkeys(("name", "raw_arguments", "id", "error", "result"), Text("x"))
    (call,) = convert(
        {"text": "", "tool_calls": [{**fields, "arguments": {Text("to"): Text("x")}}]}
    ).tool_calls
    values = [call.name, call.raw_arguments, call.id, call.error, call.result, *call.arguments.items()]
    assert repr(values) == repr(["x"] * 5 + [("to", "x")])
    assert {type(part) for part in (*values[:5], *call.arguments, *call.arguments.values())} == {str}


def test_empty_text_is_a_reply() -> None:
    assert convert("") == Response(text="")


def test_a_subclass_of_str_becomes_plain_text() -> None:
    text = convert(Text("hi")).text
    assert text == "hi"
    assert type(text) is str


FULL = {
    "text": "hi",
    "tool_calls": [
        {
            "name": "send",
            "arguments": {"to": "x"},
            "id": "1",
            "result": [1],
            "error": None,
            "executed": True,
            "timestamp": "2026-11-30T12:00:00+00:00",
        },
        ToolCall(name="read", timestamp=NOON),
    ],
    "side_effects": [{"kind": "mail", "details": {"to": "x"}}, SideEffect(kind="file")],
    "usage": {"input_tokens": 3, "cost_usd": 0.5},
    "metadata": {"k": "v"},
}
EXPECTED = Response(
    text="hi",
    tool_calls=[
        ToolCall(name="send", arguments={"to": "x"}, id="1", result=[1], executed=True, timestamp=NOON),
        ToolCall(name="read", timestamp=NOON),
    ],
    side_effects=[SideEffect(kind="mail", details={"to": "x"}), SideEffect(kind="file")],
    usage=Usage(input_tokens=3, cost_usd=0.5),
    metadata={"k": "v"},
)


def test_a_dict_with_everything() -> None:
    assert convert(FULL) == EXPECTED


def test_any_mapping_will_do() -> None:
    assert convert(MappingProxyType(FULL)) == EXPECTED


def test_a_response_is_copied() -> None:
    copied = convert(EXPECTED)
    assert copied == EXPECTED
    assert copied is not EXPECTED
    assert copied.tool_calls is not EXPECTED.tool_calls
    assert copied.tool_calls[0] is not EXPECTED.tool_calls[0]


@pytest.mark.parametrize("key", ["tool_calls", "side_effects", "usage", "metadata"])
def test_none_is_nothing_where_something_is_optional(key: str) -> None:
    assert convert({"text": "hi", key: None}) == Response(text="hi")


@pytest.mark.parametrize(
    ("arguments", "parsed", "raw"),
    [
        pytest.param(None, {}, None, id="none"),
        pytest.param("", {}, None, id="empty"),
        pytest.param('{"to": "x"}', {"to": "x"}, None, id="json-object"),
        pytest.param("[1]", {}, "[1]", id="json-list"),
        pytest.param("not json", {}, "not json", id="text"),
    ],
)
def test_arguments_as_frameworks_report_them(
    arguments: object, parsed: dict[str, Any], raw: str | None
) -> None:
    (call,) = convert({"text": "", "tool_calls": [{"name": "f", "arguments": arguments}]}).tool_calls
    assert (call.arguments, call.raw_arguments) == (parsed, raw)


def test_raw_arguments_are_kept() -> None:
    original = ToolCall(name="f", arguments="not json")  # type: ignore[arg-type]  # as models send it
    (call,) = convert(Response(text="", tool_calls=[original])).tool_calls
    assert (call.arguments, call.raw_arguments) == ({}, "not json")
    (again,) = convert({"text": "", "tool_calls": [{"name": "f", "raw_arguments": "nope"}]}).tool_calls
    assert again.raw_arguments == "nope"


WRONG_NAME: dict[str, Any] = {"name": 3}
WRONG_COUNT: dict[str, Any] = {"requests": "1"}


def stream() -> Any:
    yield "hi"


def call_with(**fields: Any) -> dict[str, Any]:
    return {"text": "", "tool_calls": [{"name": "ok"}, {"name": "f", **fields}]}


def wrong_response(**fields: Any) -> Response:
    return Response(**{"text": "", **fields})


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        pytest.param(None, "'agent' returned None; expected a str, a dict or a Response", id="none"),
        pytest.param(3, "returned a value of type int; expected", id="number"),
        pytest.param(["hi"], "returned a value of type list; expected", id="list"),
        pytest.param(b"hi", "type bytes; .*; decode it", id="bytes"),
        pytest.param(stream(), "type generator; .*join the pieces", id="stream"),
        pytest.param({}, "a dict whose text must be a str, got None", id="no-text"),
        pytest.param({"text": None}, "a dict whose text must be a str, got None", id="text-none"),
        pytest.param({"text": 3}, "a dict whose text must be a str, got int", id="text-number"),
        pytest.param(
            {"text": "", "reply": "", 3: ""},
            "whose keys 'reply', 3 are unknown; the keys are text, tool_calls, side_effects, usage, metadata",
            id="unknown-keys",
        ),
        pytest.param({"text": "", "tool_calls": {}}, "tool_calls must be a list, got dict", id="calls-dict"),
        pytest.param(
            {"text": "", "tool_calls": ["f"]},
            r"tool_calls\[0\] must be a ToolCall or a dict, got str",
            id="call-text",
        ),
        pytest.param(
            {"text": "", "tool_calls": [{}]},
            r"tool_calls\[0\].name must be a str, got None",
            id="call-without-name",
        ),
        pytest.param(
            call_with(args={}),
            r"keys in tool_calls\[1\] 'args' are unknown; .*arguments",
            id="call-unknown-key",
        ),
        pytest.param(
            call_with(arguments=[1]),
            r"tool_calls\[1\].arguments must be a dict or a str, got list",
            id="call-arguments",
        ),
        pytest.param(call_with(id=3), r"tool_calls\[1\].id must be a str or None, got int", id="call-id"),
        pytest.param(
            call_with(error=ValueError()),
            r"tool_calls\[1\].error must be a str or None, got ValueError",
            id="call-error",
        ),
        pytest.param(
            call_with(executed=1),
            r"tool_calls\[1\].executed must be a bool or None, got int",
            id="call-executed",
        ),
        pytest.param(
            call_with(timestamp="noon"), r"tool_calls\[1\].timestamp must be a datetime", id="call-timestamp"
        ),
        pytest.param(
            call_with(timestamp=12),
            r"tool_calls\[1\].timestamp must be a datetime.*got int",
            id="call-timestamp-number",
        ),
        pytest.param(
            {"text": "", "side_effects": "mail"}, "side_effects must be a list, got str", id="effects-text"
        ),
        pytest.param(
            {"text": "", "side_effects": [{"details": {}}]},
            r"side_effects\[0\].kind must be a str",
            id="effect-without-kind",
        ),
        pytest.param(
            {"text": "", "side_effects": [{"kind": "m", "details": []}]},
            r"side_effects\[0\].details must be a dict, got list",
            id="effect-details",
        ),
        pytest.param(
            {"text": "", "side_effects": [{"kind": "m", "to": ""}]},
            r"keys in side_effects\[0\] 'to' are unknown",
            id="effect-unknown-key",
        ),
        pytest.param({"text": "", "usage": 3}, "usage must be a Usage or a dict, got int", id="usage-number"),
        pytest.param(
            {"text": "", "usage": {"input_tokens": "3"}},
            "usage.input_tokens must be a number or None, got str",
            id="usage-text",
        ),
        pytest.param(
            {"text": "", "usage": {"input_tokens": True}},
            "usage.input_tokens must be a number or None, got bool",
            id="usage-bool",
        ),
        pytest.param(
            {"text": "", "usage": {"prompt_tokens": 3}},
            "keys in usage 'prompt_tokens' are unknown",
            id="usage-unknown-key",
        ),
        pytest.param({"text": "", "metadata": []}, "metadata must be a dict, got list", id="metadata-list"),
        pytest.param(
            wrong_response(text=None), "a Response whose text must be a str, got None", id="response-text"
        ),
        pytest.param(
            wrong_response(tool_calls=["f"]), r"a Response whose tool_calls\[0\] must be", id="response-call"
        ),
        pytest.param(
            wrong_response(tool_calls=[ToolCall(**WRONG_NAME)]),
            r"tool_calls\[0\].name must be a str, got int",
            id="response-call-name",
        ),
        pytest.param(
            wrong_response(usage=Usage(**WRONG_COUNT)), "usage.requests must be a number", id="response-usage"
        ),
    ],
)
def test_what_is_no_reply(reply: object, message: str) -> None:
    with pytest.raises(ReplyError, match=message):
        convert(reply)


def test_the_error_is_both_an_infrastructure_error_and_a_type_error() -> None:
    assert issubclass(ReplyError, InfrastructureError)
    assert issubclass(ReplyError, TypeError)
