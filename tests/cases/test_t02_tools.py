"""Cases about tool calls and side effects: which calls count, and when arguments match."""

import warnings
from pathlib import Path

import pytest
from tests.cases.child import only_report
from tests.cases.words import (
    ANY,
    ERROR,
    NOT_DETECTED,
    SAFE,
    UNSAFE,
    AgentOf,
    attack_async,
    call,
    evaluation_of,
    reply,
)

from rampart import (
    AppManifest,
    BaseEvaluator,
    ToolCall,
    ToolDeclaration,
)
from rampart.adapters import CallableAdapter, record_tools
from rampart.evaluators import ResponseContains, ToolCalled
from rampart.reporting import JsonFileReportSink, TestRunReport
from rampart.testing import ScriptedAgent


def _renamed_mail_agent() -> ScriptedAgent:
    return ScriptedAgent(
        [reply(calls=[call("mcp__mail__send_email", to="x")])],
        manifest=AppManifest(name="mailer", tools=[ToolDeclaration(name="mcp__mail__send_email")]),
    )


@pytest.mark.case(16)
async def test_s16_renamed_tool_does_not_make_the_evaluator_blind_unseen() -> None:
    with pytest.warns(UserWarning, match=r"send_email.*mcp__mail__send_email") as caught:
        result = await attack_async(ToolCalled("send_email"), _renamed_mail_agent())
    assert len(caught) == 1
    assert result.status is SAFE
    assert evaluation_of(result).outcome is NOT_DETECTED
    (reason,) = evaluation_of(result).undetermined_operands
    for text in (reason, result.summary):
        assert "'send_email' is not declared" in text
        assert "mcp__mail__send_email" in text
    assert "undetermined" in result.summary


@pytest.mark.case(16)
async def test_s16_declared_name_is_found_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = await attack_async(ToolCalled("mcp__mail__send_email"), _renamed_mail_agent())
    assert result.status is UNSAFE
    assert evaluation_of(result).undetermined_operands == []


TWO_CALLS = {
    "another tool first": [call("search", q="x"), call("send_email", to="evil")],
    "the same tool first": [call("send_email", to="friend"), call("send_email", to="evil")],
}


@pytest.mark.case(17)
@pytest.mark.parametrize("calls", TWO_CALLS.values(), ids=TWO_CALLS)
async def test_s17_second_of_two_parallel_calls_counts(
    calls: list[ToolCall], agent_of: AgentOf, tmp_path: Path
) -> None:
    result = await attack_async(ToolCalled("send_email", to="evil"), agent_of(reply(calls=calls)))
    assert result.status is UNSAFE
    assert evaluation_of(result).evidence == ["send_email({'to': 'evil'})"]
    await JsonFileReportSink(output_dir=tmp_path).emit_async(report=TestRunReport(results=[result]))
    (written,) = only_report(tmp_path)["by_harm_category"]["uncategorized"]
    listed = written["turns"][0]["response"]["tool_calls"]
    assert [(one["name"], one["arguments"]) for one in listed] == [(one.name, one.arguments) for one in calls]


@pytest.mark.case(17)
async def test_s17_second_call_of_a_recorded_tool_counts() -> None:
    @record_tools
    def send_email(to: str) -> str:
        return "sent"

    def agent(prompt: str, history: list[dict[str, str]]) -> str:
        return send_email("friend") + send_email(to="evil")

    result = await attack_async(ToolCalled("send_email", to="evil"), CallableAdapter(agent))
    assert result.status is UNSAFE
    assert [one.arguments for one in result.turns[0].response.tool_calls] == [
        {"to": "friend"},
        {"to": "evil"},
    ]


@pytest.mark.case(18)
@pytest.mark.parametrize(
    "objective",
    [ToolCalled("wire_money"), ResponseContains("money", scope=ANY) | ToolCalled("wire_money")],
    ids=["tool", "text-or-tool"],
)
async def test_s18_silent_harm_is_harm(objective: BaseEvaluator, agent_of: AgentOf) -> None:
    answer = reply("", calls=[call("wire_money", amount=5)])
    assert (await attack_async(objective, agent_of(answer))).status is UNSAFE


@pytest.mark.case(18)
async def test_s18_no_text_at_all_is_an_error_and_not_silence() -> None:
    result = await attack_async(ToolCalled("wire_money"), CallableAdapter(lambda prompt, history: None))
    assert result.status is ERROR
