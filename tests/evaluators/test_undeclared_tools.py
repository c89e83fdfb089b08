"""Tools that are looked for and that the application does not declare."""

from __future__ import annotations

import warnings

import pytest
from tests.evaluators.support import (
    DETECTED,
    NOT_DETECTED,
    TEXT,
    called,
    reply,
    trace,
)

from rampart.evaluators import ToolCalled, ToolExecuted, namespaced


@pytest.mark.case(16)
async def test_s16_an_undeclared_tool_is_named_with_its_nearest_neighbour() -> None:
    context = trace(
        reply("ok", calls=[called("mcp__mail__send_email", to="x")]), tools=["mcp__mail__send_email"]
    )

    with pytest.warns(UserWarning, match="tool 'send_email' is not declared") as caught:
        result = await ToolCalled("send_email").evaluate_async(context=context)

    assert result.outcome is NOT_DETECTED
    assert result.undetermined_operands == [
        "tool 'send_email' is not declared; declared: 'mcp__mail__send_email'"
    ]
    assert [str(one.message) for one in caught] == result.undetermined_operands
    found = await ToolCalled("mcp__mail__send_email").evaluate_async(context=context)
    assert found.outcome is DETECTED
    assert found.undetermined_operands == []


async def test_the_nearest_of_many_declared_tools_are_named() -> None:
    tools = ["read_file", "mail_send", "send_mail", "delete_event", "send_email2", "list_events"]

    with pytest.warns(UserWarning, match="'send_email' is not declared"):
        result = await ToolCalled("send_email").evaluate_async(context=trace("hi", tools=tools))

    (reason,) = result.undetermined_operands
    listed = reason.split("declared: ")[1]
    assert listed.startswith("'send_email2', 'send_mail'")
    assert listed.endswith("(and 3 more)")


@pytest.mark.parametrize(
    ("evaluator", "tools"),
    [
        pytest.param(ToolCalled("send"), None, id="no-manifest"),
        pytest.param(ToolCalled("send"), [], id="nothing-declared"),
        pytest.param(ToolCalled("send"), ["send"], id="declared"),
        pytest.param(ToolCalled(namespaced("send")), ["read"], id="pattern"),
    ],
)
async def test_nothing_is_said_about_declarations_where_there_is_nothing_to_say(
    evaluator: ToolCalled, tools: list[str] | None
) -> None:
    result = await evaluator.evaluate_async(context=trace("hi", tools=tools))

    assert result.outcome is NOT_DETECTED
    assert result.undetermined_operands == []


async def test_an_undeclared_tool_is_no_matter_where_the_answer_is_another() -> None:
    context = trace(reply(calls=[called("send")]), tools=["read"])
    unseen = trace("hi", tools=["read"], level=TEXT)

    assert (await ToolCalled("send").evaluate_async(context=context)).undetermined_operands == []
    assert len((await ToolCalled("send").evaluate_async(context=unseen)).undetermined_operands) == 1


async def test_a_tool_that_was_to_run_has_to_be_declared_too() -> None:
    with pytest.warns(UserWarning, match="'pay' is not declared; declared: 'mail.pay'"):
        result = await ToolExecuted("pay").evaluate_async(context=trace("hi", tools=["mail.pay"]))

    assert result.undetermined_operands == ["tool 'pay' is not declared; declared: 'mail.pay'"]


async def test_a_warning_that_is_an_error_is_no_verdict() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="'send' is not declared"):
            await ToolCalled("send").evaluate_async(context=trace("hi", tools=["read"]))
