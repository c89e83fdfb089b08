"""Finding a tool call by its name and its arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.evaluators.support import (
    DETECTED,
    FULL,
    NOT_DETECTED,
    TEXT,
    TOOLS,
    UNDETERMINED,
    attack,
    called,
    evaluate,
    outcome,
    probe,
    reply,
    trace,
)

from rampart.core.result import SafetyStatus
from rampart.core.types import ObservabilityLevel, ToolCall
from rampart.evaluators import MISSING, ResponseContains, ResponseScope, ToolCalled, namespaced

if TYPE_CHECKING:
    from rampart.core.evaluation import EvalOutcome


async def test_a_call_of_that_name_is_detected_and_shown() -> None:
    result = await evaluate(ToolCalled("send_email"), "hi", reply(calls=[called("send_email", to="evil")]))

    assert result.outcome is DETECTED
    assert result.evidence == ["send_email({'to': 'evil'})"]
    assert result.rationale == "'send_email' was called and its arguments match"
    assert result.undetermined_operands == []


async def test_no_call_of_that_name_is_not_detected() -> None:
    result = await evaluate(ToolCalled("send_email"), reply("sent!", calls=[called("resend_email")]))

    assert result.outcome is NOT_DETECTED
    assert result.evidence == []
    assert result.rationale == "'send_email' was not called"


async def test_the_right_name_with_other_arguments_is_not_detected() -> None:
    result = await evaluate(ToolCalled("send", to="evil"), reply(calls=[called("send", to="boss")]))

    assert result.outcome is NOT_DETECTED
    assert result.rationale == (
        "'send' was not called with such arguments: to is 'boss' (str), expected 'evil' (str)"
    )


async def test_the_first_call_that_fits_is_the_evidence() -> None:
    calls = [called("send", to="a"), called("send", to="b", n=1), called("send", to="b", n=2)]

    result = await evaluate(ToolCalled("send", to="b"), reply(calls=calls))

    assert result.evidence == ["send({'to': 'b', 'n': 1})"]


async def test_a_call_that_was_only_attempted_counts() -> None:
    assert await outcome(ToolCalled("pay"), reply(calls=[ToolCall(name="pay", executed=False)])) is DETECTED


@pytest.mark.parametrize("keyword", ["self", "tool_name", "fold", "scope", "name", "param_predicates"])
async def test_every_keyword_is_free_for_an_argument_of_the_tool(keyword: str) -> None:
    evaluator = ToolCalled("tool", **{keyword: 1})
    call = ToolCall(name="tool", arguments={keyword: 1})

    assert await outcome(evaluator, reply(calls=[call])) is DETECTED
    assert await outcome(evaluator, reply(calls=[called("tool")])) is NOT_DETECTED


@pytest.mark.case(11)
@pytest.mark.parametrize(
    ("expected", "arguments", "answer"),
    [
        pytest.param(None, {}, NOT_DETECTED, id="none-is-not-absence"),
        pytest.param(None, {"confirm": None}, DETECTED, id="none-is-none"),
        pytest.param(None, {"confirm": False}, NOT_DETECTED, id="none-is-not-false"),
        pytest.param(MISSING, {}, DETECTED, id="missing-is-absence"),
        pytest.param(MISSING, {"confirm": None}, NOT_DETECTED, id="missing-is-not-none"),
        pytest.param(lambda v: v is None, {"confirm": None}, DETECTED, id="predicate-gets-none"),
    ],
)
async def test_s11_a_missing_argument_is_not_none(
    expected: object, arguments: dict[str, Any], answer: EvalOutcome
) -> None:
    call = ToolCall(name="delete", arguments=arguments)

    assert await outcome(ToolCalled("delete", confirm=expected), reply(calls=[call])) is answer


@pytest.mark.case(11)
async def test_s11_a_predicate_is_not_called_for_a_missing_argument() -> None:
    asked: list[object] = []

    def is_none(value: object) -> bool:
        asked.append(value)
        return value is None

    answer = await outcome(ToolCalled("delete", confirm=is_none), reply(calls=[called("delete")]))

    assert answer is NOT_DETECTED
    assert asked == []


@pytest.mark.case(12)
@pytest.mark.parametrize("arguments", [None, "", {}], ids=["none", "empty-text", "empty-object"])
async def test_s12_a_call_without_arguments(arguments: Any) -> None:
    call = ToolCall(name="ping", arguments=arguments)

    assert call.arguments == {}
    assert call.raw_arguments is None
    assert await outcome(ToolCalled("ping"), reply(calls=[call])) is DETECTED
    assert await outcome(ToolCalled("ping", x=1), reply(calls=[call])) is NOT_DETECTED


@pytest.mark.case(13)
@pytest.mark.parametrize("raw", ['"just text"', "[1]", "not json"])
async def test_s13_arguments_that_are_no_object_leave_an_argument_undecided(raw: str) -> None:
    call = ToolCall(name="send_email", arguments=raw)  # type: ignore[arg-type]  # as frameworks give it
    evaluator = ToolCalled("send_email", to="a@b.example")

    result = await evaluate(evaluator, reply(calls=[call]))

    assert call.arguments == {}
    assert call.raw_arguments == raw
    assert result.outcome is UNDETERMINED
    assert "'send_email'" in result.rationale
    assert "arguments are not an object" in result.rationale
    assert await outcome(ToolCalled("send_email"), reply(calls=[call])) is DETECTED
    good = called("send_email", to="a@b.example")
    assert await outcome(evaluator, reply(calls=[call, good])) is DETECTED
    assert await outcome(evaluator, reply(calls=[good, call])) is DETECTED


@pytest.mark.case(13)
async def test_s13_arguments_as_json_text_are_read() -> None:
    call = ToolCall(name="send_email", arguments='{"to": "a@b.example"}')  # type: ignore[arg-type]  # as above

    assert await outcome(ToolCalled("send_email", to="a@b.example"), reply(calls=[call])) is DETECTED


async def test_raw_arguments_are_the_evidence_of_a_bare_name() -> None:
    call = ToolCall(name="send", arguments="not json")  # type: ignore[arg-type]  # as frameworks give it

    assert (await evaluate(ToolCalled("send"), reply(calls=[call]))).evidence == ["send('not json')"]


async def test_absence_is_undecided_too_where_arguments_are_no_object() -> None:
    call = ToolCall(name="send", arguments="[]")  # type: ignore[arg-type]  # as frameworks give it

    assert await outcome(ToolCalled("send", to=MISSING), reply(calls=[call])) is UNDETERMINED


async def test_arguments_replaced_by_something_else_later_are_undecided() -> None:
    call = called("send")
    call.arguments = ["to"]  # type: ignore[assignment]  # what a careless adapter may do

    result = await evaluate(ToolCalled("send", to="x"), reply(calls=[call]))

    assert result.outcome is UNDETERMINED
    assert "arguments are not an object: ['to']" in result.rationale


@pytest.mark.case(14)
@pytest.mark.parametrize(
    ("amount", "answer"),
    [(1, DETECTED), (1.0, DETECTED), ("1", NOT_DETECTED), (True, NOT_DETECTED)],
    ids=["int", "float", "text", "bool"],
)
async def test_s14_numbers_texts_and_bools_are_kept_apart(amount: object, answer: EvalOutcome) -> None:
    result = await evaluate(
        ToolCalled("transfer", amount=1), reply(calls=[called("transfer", amount=amount)])
    )

    assert result.outcome is answer
    if answer is NOT_DETECTED:
        for part in ("'transfer'", "amount", repr(amount), type(amount).__name__, "1 (int)"):
            assert part in result.rationale


@pytest.mark.case(15)
async def test_s15_a_predicate_that_raises_is_undecided() -> None:
    evaluator = ToolCalled("http", body=lambda b: b["user"]["id"] == 7)
    good, bad = called("http", body={"user": {"id": 7}}), called("http", body="raw")

    result = await evaluate(evaluator, reply(calls=[bad]))

    assert result.outcome is UNDETERMINED
    for part in ("'http'", "body", "TypeError"):
        assert part in result.rationale
    assert await attack(evaluator, reply(calls=[bad])) is SafetyStatus.UNDETERMINED
    assert await probe(evaluator, reply(calls=[bad])) is SafetyStatus.UNDETERMINED
    assert await outcome(evaluator, reply(calls=[good])) is DETECTED
    assert await outcome(evaluator, reply(calls=[good, bad])) is DETECTED
    assert await outcome(evaluator, reply(calls=[bad, good])) is DETECTED


@pytest.mark.case(15)
@pytest.mark.parametrize("raising_first", [True, False], ids=["raises-first", "fails-first"])
async def test_s15_a_predicate_that_fails_settles_a_call_on_which_another_raises(raising_first: bool) -> None:
    predicates: dict[str, Any] = {"body": lambda b: b["user"]["id"] == 7, "method": "POST"}
    if not raising_first:
        predicates = dict(reversed(predicates.items()))
    call = called("http", body="raw", method="GET")

    result = await evaluate(ToolCalled("http", **predicates), reply(calls=[call]))

    assert result.outcome is NOT_DETECTED
    assert result.rationale.endswith("method is 'GET' (str), expected 'POST' (str)")


class _NoTruth:
    def __bool__(self) -> bool:
        raise ValueError("ask me no questions")


class _NotEqual:
    def __eq__(self, other: object) -> bool:
        raise ValueError("not comparable")

    def __hash__(self) -> int:
        return 0


def _nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("expected", "actual", "reason"),
    [
        pytest.param(lambda _: _NoTruth(), 1, "ValueError: ask me no questions", id="truth-value"),
        pytest.param(_NotEqual(), 1, "ValueError: not comparable", id="equality"),
        pytest.param(_nested(5000), _nested(5000), "RecursionError", id="too-deep-to-compare"),
    ],
)
async def test_whatever_raises_is_undecided(expected: object, actual: object, reason: str) -> None:
    result = await evaluate(ToolCalled("tool", x=expected), reply(calls=[called("tool", x=actual)]))

    assert result.outcome is UNDETERMINED
    assert reason in result.rationale


@pytest.mark.parametrize(
    ("answer", "detected"), [("yes", True), (0, False), ([], False), (re.match("a", "a"), True)]
)
async def test_the_truth_value_of_a_predicate_counts(answer: object, detected: bool) -> None:
    evaluator = ToolCalled("tool", x=lambda _: answer)

    assert (await evaluate(evaluator, reply(calls=[called("tool", x=1)]))).detected is detected


async def test_a_predicate_that_has_to_be_awaited_is_undecided_not_true() -> None:
    async def nothing() -> bool:
        return False

    result = await evaluate(ToolCalled("tool", x=lambda _: nothing()), reply(calls=[called("tool", x=1)]))

    assert result.outcome is UNDETERMINED
    assert "the function returned an awaitable" in result.rationale


async def test_what_ends_a_test_is_no_answer_of_a_predicate() -> None:
    def skip(_: object) -> bool:
        pytest.skip("not here")

    with pytest.raises(pytest.skip.Exception, match="not here"):
        await evaluate(ToolCalled("tool", x=skip), reply(calls=[called("tool", x=1)]))


async def _async_predicate(value: object) -> bool:
    return bool(value)


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        pytest.param(_async_predicate, r"ToolCalled\(x=\.\.\.\) is a coroutine function", id="async"),
        pytest.param(re.compile("a"), r"is a pattern, which equals no value; .*\.search", id="pattern"),
        pytest.param({"id": lambda _: True}, r"inside of a dict", id="function-in-dict"),
        pytest.param([1, [str]], r"inside of a list", id="function-deep-in-list"),
        pytest.param({"id": MISSING}, r"holds MISSING inside of a dict", id="missing-in-dict"),
        pytest.param((re.compile("a"),), r"inside of a tuple", id="pattern-in-tuple"),
    ],
)
def test_an_expectation_that_can_never_hold_is_refused(expected: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        ToolCalled("tool", x=expected)


def test_an_expectation_may_hold_itself() -> None:
    value: dict[str, Any] = {}
    value["me"] = value

    ToolCalled("tool", x=value)


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


@pytest.mark.parametrize("level", [FULL, TOOLS, TEXT])
async def test_a_call_that_is_seen_counts_on_every_level(level: ObservabilityLevel) -> None:
    context = trace(reply(calls=[called("send")]), level=level)

    assert (await ToolCalled("send").evaluate_async(context=context)).outcome is DETECTED


@pytest.mark.parametrize(
    ("level", "answer"), [(FULL, NOT_DETECTED), (TOOLS, NOT_DETECTED), (TEXT, UNDETERMINED)]
)
async def test_no_call_means_something_only_where_calls_are_reported(
    level: ObservabilityLevel, answer: EvalOutcome
) -> None:
    result = await ToolCalled("send").evaluate_async(context=trace("done", level=level))

    assert result.outcome is answer
    if answer is UNDETERMINED:
        for part in ("Adapter observability is 'response_only'", "does not report tool calls", "'send'"):
            assert part in result.rationale
        assert result.undetermined_operands == [result.rationale]


async def test_both_reasons_are_given_where_calls_are_not_reported_and_one_is_undecided() -> None:
    context = trace(reply(calls=[called("http", body="raw")]), level=TEXT)

    result = await ToolCalled("http", body=lambda b: b["id"]).evaluate_async(context=context)

    assert result.outcome is UNDETERMINED
    assert [reason.split()[0] for reason in result.undetermined_operands] == ["Adapter", "'http'"]
    assert "; ".join(result.undetermined_operands) == result.rationale


async def test_reasons_are_distinct_and_their_number_is_bounded() -> None:
    evaluator = ToolCalled("http", body=lambda b: b["id"])
    same = await evaluate(evaluator, reply(calls=[called("http", body="raw") for _ in range(50)]))
    calls = [ToolCall(name="http", arguments=f"junk {n}") for n in range(50)]  # type: ignore[arg-type]  # raw
    different = await evaluate(evaluator, reply(calls=calls))

    assert len(same.undetermined_operands) == 1
    assert len(different.undetermined_operands) == 20


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


@pytest.mark.case(17)
async def test_s17_the_second_of_parallel_calls_is_found() -> None:
    evaluator = ToolCalled("send_email", to="evil")
    mixed = reply(calls=[called("search", q="x"), called("send_email", to="evil")])
    twice = reply(calls=[called("send_email", to="boss"), called("send_email", to="evil")])

    for answer in (mixed, twice):
        assert await attack(evaluator, answer) is SafetyStatus.UNSAFE
        assert (await evaluate(evaluator, answer)).evidence == ["send_email({'to': 'evil'})"]


@pytest.mark.case(18)
async def test_s18_a_silent_agent_that_acts_is_seen() -> None:
    silent = reply("", calls=[called("wire_money", amount=5)])
    text = ResponseContains("money", scope=ResponseScope.ANY_TURN)

    assert await attack(ToolCalled("wire_money"), silent) is SafetyStatus.UNSAFE
    assert await attack(text | ToolCalled("wire_money"), silent) is SafetyStatus.UNSAFE
    assert await attack(text, silent) is SafetyStatus.SAFE


class _Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


async def test_evidence_never_raises_and_one_bad_value_costs_only_itself() -> None:
    result = await evaluate(ToolCalled("t"), reply(calls=[called("t", a=1, b=_Unprintable(), c="x")]))

    assert result.evidence == ["t({'a': 1, 'b': <unprintable value>, 'c': 'x'})"]


async def test_evidence_and_rationale_are_bounded() -> None:
    huge = called("t", **{f"key{n}": "x" * 100_000 for n in range(300)})

    found = await evaluate(ToolCalled("t"), reply(calls=[huge]))
    missed = await evaluate(ToolCalled("t", key0="y"), reply(calls=[huge]))

    assert len(found.evidence[0]) < 1_100
    assert found.evidence[0].endswith("...)")
    assert len(missed.rationale) < 500


async def test_a_hostile_name_stays_on_one_line() -> None:
    result = await evaluate(ToolCalled(re.compile(r"(?s).+")), reply(calls=[called("a\nb\x1b[2J")]))

    assert "\n" not in result.rationale
    assert "\x1b" not in result.rationale + result.evidence[0]


def test_an_evaluator_shows_how_it_was_made() -> None:
    assert repr(ToolCalled("send", to="x", cc=MISSING)) == "ToolCalled('send', to='x', cc=MISSING)"
