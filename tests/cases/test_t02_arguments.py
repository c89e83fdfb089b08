"""Cases about arguments of tool calls and details of side effects: when they match."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.cases.child import Child, Run
from tests.cases.words import (
    DETECTED,
    NOT_DETECTED,
    SAFE,
    UNDETERMINED,
    UNSAFE,
    AgentOf,
    attack_async,
    call,
    effect,
    evaluation_of,
    outcome_async,
    probe_async,
    reply,
)

from rampart import (
    BaseEvaluator,
    EvalOutcome,
    Response,
    ToolCall,
)
from rampart.adapters import CallableAdapter, record_tools
from rampart.evaluators import SideEffectOccurred, ToolCalled
from rampart.records import deserialize_record, prepare_record, serialize_record
from rampart.testing import ScriptedAgent

MISSING_OR_NONE = [
    pytest.param({}, NOT_DETECTED, id="missing"),
    pytest.param({"confirm": None}, DETECTED, id="none"),
    pytest.param({"confirm": False}, NOT_DETECTED, id="false"),
]


@pytest.mark.case(11)
@pytest.mark.parametrize(("arguments", "outcome"), MISSING_OR_NONE)
async def test_s11_missing_argument_is_not_none(arguments: dict[str, Any], outcome: EvalOutcome) -> None:
    answer = reply(calls=[call("delete", **arguments)])
    assert await outcome_async(ToolCalled("delete", confirm=None), answer) is outcome


@pytest.mark.case(11)
@pytest.mark.parametrize(("details", "outcome"), MISSING_OR_NONE)
async def test_s11_missing_detail_is_not_none(details: dict[str, Any], outcome: EvalOutcome) -> None:
    answer = reply(effects=[effect("deletion", **details)])
    assert await outcome_async(SideEffectOccurred("deletion", confirm=None), answer) is outcome


@pytest.mark.case(11)
@pytest.mark.parametrize(
    ("evaluator_class", "answer"),
    [
        pytest.param(ToolCalled, reply(calls=[call("delete")]), id="tool"),
        pytest.param(SideEffectOccurred, reply(effects=[effect("delete")]), id="side-effect"),
    ],
)
async def test_s11_predicate_is_not_asked_about_what_is_missing(
    evaluator_class: Callable[..., BaseEvaluator], answer: Response
) -> None:
    asked: list[object] = []

    def is_none(value: object) -> bool:
        asked.append(value)
        return value is None

    assert await outcome_async(evaluator_class("delete", confirm=is_none), answer) is NOT_DETECTED
    assert asked == []


@pytest.mark.case(11)
async def test_s11_recorded_tool_tells_left_out_from_none() -> None:
    @record_tools
    def delete(confirm: bool | None = None) -> str:
        return f"deleted, {confirm}"

    def careless(prompt: str, history: list[dict[str, str]]) -> str:
        return delete()

    def explicit(prompt: str, history: list[dict[str, str]]) -> str:
        return delete(confirm=None)

    evaluator = ToolCalled("delete", confirm=None)
    assert (await probe_async(evaluator, CallableAdapter(careless))).status is UNSAFE
    assert (await probe_async(evaluator, CallableAdapter(explicit))).status is SAFE


def _given_as(arguments: Any) -> ToolCall:
    """A call whose arguments come as frameworks deliver them."""
    return ToolCall(name="ping", arguments=arguments)


@pytest.mark.case(12)
@pytest.mark.parametrize("arguments", [None, "", {}], ids=["none", "empty-text", "empty-dict"])
async def test_s12_call_without_arguments(arguments: Any, agent_of: AgentOf) -> None:
    ping = _given_as(arguments)
    assert ping.arguments == {}
    assert ping.raw_arguments is None
    result = await probe_async(ToolCalled("ping"), agent_of(reply(calls=[ping])))
    assert result.status is SAFE
    with_argument = await probe_async(ToolCalled("ping", x=1), agent_of(reply(calls=[ping])))
    assert with_argument.status is UNSAFE
    record = json.loads(serialize_record(record=prepare_record(result=result)))
    assert record["result"]["turns"][0]["response"]["tool_calls"][0]["arguments"] == {}


@pytest.mark.case(12)
@pytest.mark.parametrize("arguments", [None, "", {}], ids=["none", "empty-text", "empty-dict"])
async def test_s12_call_without_arguments_in_a_dict_reply(arguments: Any) -> None:
    def agent(prompt: str, history: list[dict[str, str]]) -> dict[str, Any]:
        return {"text": "pong", "tool_calls": [{"name": "ping", "arguments": arguments}]}

    result = await probe_async(ToolCalled("ping"), CallableAdapter(agent))
    assert result.status is SAFE
    assert result.turns[0].response.tool_calls[0].arguments == {}


RAW = [
    pytest.param('"just text"', id="text"),
    pytest.param("[1]", id="list"),
    pytest.param("not json", id="no-json"),
]


def _mail(arguments: Any) -> ToolCall:
    return ToolCall(name="send_email", arguments=arguments)


@pytest.mark.case(13)
async def test_s13_arguments_as_a_json_object(agent_of: AgentOf) -> None:
    answer = reply(calls=[_mail('{"to": "a@b.example"}')])
    expected = ToolCalled("send_email", to="a@b.example")
    assert (await probe_async(expected, agent_of(answer))).status is SAFE
    assert (await probe_async(ToolCalled("send_email"), agent_of(answer))).status is SAFE


@pytest.mark.case(13)
@pytest.mark.parametrize("raw", RAW)
async def test_s13_arguments_that_are_no_object_are_undecided(raw: str, agent_of: AgentOf) -> None:
    mail = _mail(raw)
    assert mail.arguments == {}
    assert mail.raw_arguments == raw
    expected = ToolCalled("send_email", to="a@b.example")
    result = await probe_async(expected, agent_of(reply(calls=[mail])))
    assert result.status is UNDETERMINED
    assert "send_email" in result.summary
    assert "arguments are not an object" in result.summary
    assert (await probe_async(ToolCalled("send_email"), agent_of(reply(calls=[mail])))).status is SAFE


@pytest.mark.case(13)
@pytest.mark.parametrize("raw", RAW)
async def test_s13_good_call_beside_a_raw_one_counts(raw: str) -> None:
    calls = [_mail(raw), call("send_email", to="a@b.example")]
    expected = ToolCalled("send_email", to="a@b.example")
    assert await outcome_async(expected, reply(calls=calls)) is DETECTED
    assert await outcome_async(expected, reply(calls=calls[::-1])) is DETECTED


@pytest.mark.case(14)
@pytest.mark.parametrize(
    ("amount", "outcome"),
    [
        pytest.param(1, DETECTED, id="int"),
        pytest.param(1.0, DETECTED, id="float"),
        pytest.param("1", NOT_DETECTED, id="text"),
        pytest.param(True, NOT_DETECTED, id="true"),
    ],
)
async def test_s14_numbers_texts_and_truth_values_differ(amount: object, outcome: EvalOutcome) -> None:
    answer = reply(calls=[call("transfer", amount=amount)])
    assert await outcome_async(ToolCalled("transfer", amount=1), answer) is outcome


@pytest.mark.case(14)
@pytest.mark.parametrize("amount", ["1", True], ids=["text", "true"])
async def test_s14_rationale_says_why_arguments_differ(amount: object) -> None:
    agent = ScriptedAgent([reply(calls=[call("transfer", amount=amount)])])
    result = await probe_async(ToolCalled("transfer", amount=1), agent)
    rationale = evaluation_of(result).rationale
    for part in ("transfer", "amount", repr(amount), type(amount).__name__, "1", "int"):
        assert part in rationale


NESTED = {"user": {"id": 7}}


def _is_user_7(body: Any) -> bool:
    return bool(body["user"]["id"] == 7)


@pytest.mark.case(15)
async def test_s15_predicate_on_nested_arguments() -> None:
    assert (
        await outcome_async(ToolCalled("http", body=_is_user_7), reply(calls=[call("http", body=NESTED)]))
        is DETECTED
    )


@pytest.mark.case(15)
async def test_s15_predicate_that_raises_leaves_it_open(agent_of: AgentOf) -> None:
    answer = reply(calls=[call("http", body="raw")])
    probed = await probe_async(ToolCalled("http", body=_is_user_7), agent_of(answer))
    attacked = await attack_async(ToolCalled("http", body=_is_user_7), agent_of(answer))
    for result in (probed, attacked):
        assert result.status is UNDETERMINED
        for part in ("http", "body", "TypeError"):
            assert part in result.summary


@pytest.mark.case(15)
@pytest.mark.parametrize("bodies", [[NESTED, "raw"], ["raw", NESTED]], ids=["match-first", "match-last"])
async def test_s15_call_that_matches_settles_it(bodies: list[Any]) -> None:
    answer = reply(calls=[call("http", body=body) for body in bodies])
    assert await outcome_async(ToolCalled("http", body=_is_user_7), answer) is DETECTED


@pytest.mark.case(15)
@pytest.mark.parametrize("first", ["method", "body"])
async def test_s15_other_predicate_that_fails_settles_it(first: str) -> None:
    predicates: dict[str, Any] = {"method": "POST", "body": _is_user_7}
    ordered = dict(sorted(predicates.items(), key=lambda item: item[0] != first))
    answer = reply(calls=[call("http", body="raw", method="GET")])
    assert await outcome_async(ToolCalled("http", **ordered), answer) is NOT_DETECTED


@pytest.fixture(scope="module")
def reported(make_child: Callable[..., Child]) -> Run:
    """A run over agents whose calls have unusual arguments."""
    child = make_child()
    child.write(
        "test_it.py",
        """
        import pytest
        from rampart import Probes, Response, SafetyStatus, ToolCall
        from rampart.evaluators import ToolCalled
        from rampart.testing import ScriptedAgent

        @pytest.mark.parametrize("arguments", [None, "", {}])
        async def test_nothing(arguments):
            calls = [ToolCall(name="ping", arguments=arguments)]
            assert await Probes.behavior(prompt="x", evaluator=ToolCalled("ping")).execute_async(
                adapter=ScriptedAgent([Response(text="", tool_calls=calls)]))

        @pytest.mark.parametrize("arguments", ['"just text"', "[1]", "not json"])
        async def test_raw(arguments):
            calls = [ToolCall(name="send_email", arguments=arguments)]
            probe = Probes.behavior(prompt="x", evaluator=ToolCalled("send_email", to="a"))
            result = await probe.execute_async(adapter=ScriptedAgent([Response(text="", tool_calls=calls)]))
            assert result.status is SafetyStatus.UNDETERMINED
        """,
    )
    return child.run()


@pytest.mark.case(12)
def test_s12_report_shows_no_arguments(reported: Run) -> None:
    assert reported.status == 0, reported.output
    calls = [r["turns"][0]["response"]["tool_calls"][0] for r in reported.results() if r["status"] == "safe"]
    assert [one["arguments"] for one in calls] == [{}, {}, {}]
    assert [one.get("raw_arguments") for one in calls] == [None] * 3


@pytest.mark.case(13)
def test_s13_report_and_journal_keep_raw_arguments(reported: Run) -> None:
    raw = ['"just text"', "[1]", "not json"]
    journal = [deserialize_record(data=json.dumps(line)).result for line in reported.journal]
    kept = [result.turns[0].response.tool_calls[0] for result in journal if result.status is UNDETERMINED]
    assert sorted(str(one.raw_arguments) for one in kept) == sorted(raw)
    assert [one.arguments for one in kept] == [{}] * 3
    listed = [r["turns"][0]["response"]["tool_calls"][0] for r in reported.results() if r["status"] != "safe"]
    assert sorted(one["raw_arguments"] for one in listed) == sorted(raw)
    assert [one["arguments"] for one in listed] == [{}] * 3
