"""Tools and arguments that are looked for and that the application does not declare."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from tests.evaluators.support import (
    DETECTED,
    NOT_DETECTED,
    TEXT,
    called,
    reply,
    trace,
)

from rampart.core.memo import enable_trace_memo
from rampart.evaluators import MISSING, ToolCalled, ToolExecuted, namespaced


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


PAY: dict[str, dict[str, Any]] = {"pay": {"amount": "int", "to": "str"}}
SCHEMA = {"type": "object", "properties": {"amount": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("tools", "listed"),
    [
        pytest.param(PAY, "'amount', 'to'", id="names-with-types"),
        pytest.param({"pay": SCHEMA}, "'amount'", id="json-schema"),
        pytest.param({"pay": {"amount": "int", "*args": "str"}}, "'amount', 'args'", id="star-args"),
    ],
)
@pytest.mark.parametrize("kind", [ToolCalled, ToolExecuted])
async def test_an_argument_that_the_tool_does_not_have_is_named(
    kind: type[ToolCalled], tools: dict[str, dict[str, Any]], listed: str
) -> None:
    reason = f"argument 'amuont' is not a parameter of 'pay'; parameters: {listed}"

    with pytest.warns(UserWarning, match="'amuont' is not a parameter") as caught:
        result = await kind("pay", amuont=50).evaluate_async(context=trace("hi", tools=tools))

    assert result.outcome is NOT_DETECTED
    assert result.undetermined_operands == [reason]
    assert [str(one.message) for one in caught] == [reason]


async def test_each_such_argument_is_named() -> None:
    with pytest.warns(UserWarning, match="is not a parameter") as caught:
        result = await ToolCalled("pay", amuont=1, two=2, to="x").evaluate_async(
            context=trace("hi", tools=PAY)
        )

    assert len(caught) == len(result.undetermined_operands) == 2


@pytest.mark.parametrize(
    ("evaluator", "tools"),
    [
        pytest.param(ToolCalled("pay", amount=1, to="x"), PAY, id="its-parameters"),
        pytest.param(ToolCalled("pay"), PAY, id="no-expectations"),
        pytest.param(ToolCalled("pay", cc=MISSING, amount=1), PAY, id="absence-always-holds"),
        pytest.param(ToolCalled("pay", other=1), {"pay": {}}, id="no-parameters-declared"),
        pytest.param(ToolCalled("pay", other=1), {"pay": {"a": "", "**more": ""}}, id="any-keyword"),
        pytest.param(
            ToolCalled("pay", other=1), {"pay": {**SCHEMA, "additionalProperties": True}}, id="open-schema"
        ),
        pytest.param(ToolCalled(namespaced("pay"), other=1), PAY, id="pattern"),
        pytest.param(ToolCalled("pay", other=1), None, id="no-manifest"),
    ],
)
async def test_nothing_is_said_about_arguments_that_there_may_be(
    evaluator: ToolCalled, tools: dict[str, dict[str, Any]] | None
) -> None:
    result = await evaluator.evaluate_async(context=trace("hi", tools=tools))

    assert result.outcome is NOT_DETECTED
    assert result.undetermined_operands == []


async def test_an_argument_of_an_undeclared_tool_is_not_named_as_well() -> None:
    with pytest.warns(UserWarning, match="tool 'pya' is not declared") as caught:
        result = await ToolCalled("pya", amuont=1).evaluate_async(context=trace("hi", tools=PAY))

    assert len(caught) == len(result.undetermined_operands) == 1


async def test_an_undeclared_argument_is_no_matter_where_it_was_given_and_fits() -> None:
    context = trace(reply(calls=[called("pay", amuont=5)]), tools=PAY)

    result = await ToolCalled("pay", amuont=5).evaluate_async(context=context)

    assert result.outcome is DETECTED
    assert result.undetermined_operands == []


async def test_a_stop_condition_warns_once_a_trace() -> None:
    context = trace("hi", "ho", tools=PAY)
    enable_trace_memo(context.turns[0])
    stop = ToolCalled("pay", amuont=5)

    with pytest.warns(UserWarning, match="amuont") as caught:
        results = [await stop.evaluate_async(context=context) for _ in range(3)]

    assert len(caught) == 1
    assert all(len(result.undetermined_operands) == 1 for result in results)
