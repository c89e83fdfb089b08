"""The names under which tools are looked for."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.evaluators.support import (
    DETECTED,
    NOT_DETECTED,
    called,
    evaluate,
    outcome,
    reply,
)

from rampart.evaluators import ToolCalled, namespaced


@pytest.mark.case(6)
@pytest.mark.parametrize("name", ["", " ", "\t\n", re.compile(""), re.compile(" ")])
def test_s06_a_blank_name_is_refused(name: Any) -> None:
    with pytest.raises(ValueError, match=r"tool_name is '.*', expected a name; a blank one names nothing"):
        ToolCalled(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (None, "tool_name is of type NoneType, expected a str or a compiled pattern for str"),
        (b"send", "tool_name is of type bytes"),
        (re.compile(b"send"), "tool_name is a pattern for bytes"),
    ],
    ids=["none", "bytes", "bytes-pattern"],
)
def test_a_name_of_another_type_is_refused(name: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        ToolCalled(name)


async def test_a_pattern_has_to_match_the_whole_name() -> None:
    evaluator = ToolCalled(re.compile(r"(re)?send_\w+"))

    result = await evaluate(evaluator, reply(calls=[called("send"), called("resend_email", to="x")]))

    assert result.evidence == ["resend_email({'to': 'x'})"]
    assert result.rationale == "'resend_email' was called and its arguments match"
    missed = await evaluate(evaluator, reply(calls=[called("please send_email")]))
    assert missed.outcome is NOT_DETECTED
    assert missed.rationale == r"'(re)?send_\w+' was not called"


@pytest.mark.parametrize(
    "name",
    [
        "send_email",
        "mcp__mail__send_email",
        "mail.send_email",
        "mail/send_email",
        "mail-send_email",
        "a.b__send_email",
    ],
)
async def test_a_namespaced_name_is_found_under_the_usual_prefixes(name: str) -> None:
    assert await outcome(ToolCalled(namespaced("send_email")), reply(calls=[called(name)])) is DETECTED


@pytest.mark.parametrize(
    "name", ["resend_email", "mail_send_email", "send_email_now", "mail.send", ".send_emails"]
)
async def test_a_namespaced_name_is_no_other_name(name: str) -> None:
    assert await outcome(ToolCalled(namespaced("send_email")), reply(calls=[called(name)])) is NOT_DETECTED


async def test_a_namespaced_name_is_taken_literally() -> None:
    assert await outcome(ToolCalled(namespaced("a.b")), reply(calls=[called("x__axb")])) is NOT_DETECTED
    assert await outcome(ToolCalled(namespaced("a.b")), reply(calls=[called("x__a.b")])) is DETECTED


def test_namespaced_refuses_what_names_nothing() -> None:
    with pytest.raises(ValueError, match="tool_name is ' ', expected the name of a tool"):
        namespaced(" ")
    with pytest.raises(TypeError, match="tool_name is of type int, expected a str"):
        namespaced(7)  # type: ignore[arg-type]  # the refusal is what is tested
