"""Each turn is looked at once, however often a growing trace is evaluated."""

from __future__ import annotations

import asyncio
import copy
import gc
import re
import time
import weakref
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest
from tests.evaluators.support import (
    DETECTED,
    FULL,
    NOT_DETECTED,
    UNDETERMINED,
    called,
    effect,
    reply,
    trace,
    turns_of,
)

from rampart.core.evaluation import EvalContext, EvalResult
from rampart.core.manifest import AppManifest, ToolDeclaration
from rampart.core.memo import enable_trace_memo, trace_memo
from rampart.evaluators import ResponseContains, ResponseScope, SideEffectOccurred, ToolCalled, ToolExecuted
from rampart.evaluators import _text_target as text_target_module
from rampart.text.fold import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.evaluator import BaseEvaluator
    from rampart.core.types import Response, Turn

SCOPES = list(ResponseScope)


def a_trace_with_memo(*replies: str | Response) -> list[Turn]:
    turns = turns_of(*replies)
    enable_trace_memo(turns[0])
    return turns


async def ask(evaluator: BaseEvaluator, turns: list[Turn], **options: Any) -> EvalResult:
    context = EvalContext(turns=list(turns), observability_level=FULL, **options)
    return await evaluator.evaluate_async(context=context)


async def ask_after_every_turn(evaluator: BaseEvaluator, turns: list[Turn]) -> list[EvalResult]:
    return [await ask(evaluator, turns[:count]) for count in range(1, len(turns) + 1)]


class Counting:
    """A target that matches replies holding an x, raises on "bad", and counts."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, text: str) -> bool:
        self.seen.append(text)
        if text == "bad":
            raise ValueError("cannot read this")
        return "x" in text


class Noting:
    """A predicate that refuses everything and keeps what it was asked about."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def __call__(self, value: object) -> bool:
        self.seen.append(value)
        return False


def test_there_is_no_memo_unless_it_is_enabled() -> None:
    turns = turns_of("a", "b")

    assert trace_memo(turns) is None
    assert trace_memo([]) is None


def test_the_memo_belongs_to_the_trace_that_begins_with_a_turn() -> None:
    turns = a_trace_with_memo("a", "b")
    memo = trace_memo(turns)
    assert memo == {}
    memo["key"] = 1

    enable_trace_memo(turns[0])

    assert trace_memo(turns[:1]) is memo
    assert trace_memo(turns[1:]) is None
    assert trace_memo([replace(turns[0])]) is None
    assert turns[0] == turns_of("a")[0]


@pytest.mark.parametrize("scope", SCOPES)
async def test_each_reply_is_looked_at_once(scope: ResponseScope) -> None:
    target = Counting()
    evaluator = ResponseContains(target, scope=scope)
    turns = a_trace_with_memo("a", "x", "bad", "b", "xx")

    await ask_after_every_turn(evaluator, turns)
    await ask(evaluator, turns)

    assert target.seen == ["a", "x", "bad", "b", "xx"]


@pytest.mark.parametrize("scope", SCOPES)
async def test_nothing_is_kept_without_a_memo(scope: ResponseScope) -> None:
    target = Counting()
    evaluator = ResponseContains(target, scope=scope)
    turns = turns_of("a", "x")

    await ask(evaluator, turns)
    await ask(evaluator, turns)

    assert len(target.seen) == (2 if scope is ResponseScope.CURRENT_TURN else 4)


@pytest.fixture
def folded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    texts: list[str] = []
    original = fold

    def counting(text: str, **options: bool) -> str:
        texts.append(text)
        return original(text, **options)

    monkeypatch.setattr(text_target_module, "fold_text", counting)
    text_target_module._folded_once.cache_clear()
    yield texts
    text_target_module._folded_once.cache_clear()


async def test_no_reply_is_folded_twice(folded: list[str]) -> None:
    replies = [f"reply {number} " + "long " * 20_000 for number in range(20)]
    evaluator = ResponseContains("needle", scope=ResponseScope.ANY_TURN)
    assert folded == ["needle"]

    await ask_after_every_turn(evaluator, a_trace_with_memo(*replies))

    assert folded == ["needle", *replies]


async def test_a_list_of_phrases_folds_a_reply_of_usual_length_once(folded: list[str]) -> None:
    evaluator: BaseEvaluator = ResponseContains("phrase", scope=ResponseScope.ANY_TURN)
    for number in range(9):
        evaluator |= ResponseContains(f"phrase {number}", scope=ResponseScope.ANY_TURN)
    folded.clear()

    await ask(evaluator, turns_of("one reply", "another"))

    assert sorted(folded) == ["another", "one reply"]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize(
    "replies",
    [["x"], ["a"], ["a", "x", "bad", "xx"], ["x", "x", "x"], ["bad", "a"], ["x", "bad"]],
    ids=lambda replies: "-".join(replies),
)
async def test_the_answers_are_those_without_a_memo(scope: ResponseScope, replies: list[str]) -> None:
    kept = await ask_after_every_turn(ResponseContains(Counting(), scope=scope), a_trace_with_memo(*replies))
    fresh = await ask_after_every_turn(ResponseContains(Counting(), scope=scope), turns_of(*replies))

    assert kept == fresh


@pytest.mark.parametrize("scope", SCOPES)
async def test_a_reply_that_was_changed_is_looked_at_again(scope: ResponseScope) -> None:
    target = Counting()
    evaluator = ResponseContains(target, scope=scope)
    turns = a_trace_with_memo("a", "b")
    assert (await ask(evaluator, turns)).outcome is NOT_DETECTED

    turns[0].response.text = turns[1].response.text = "x"

    assert (await ask(evaluator, turns)).outcome is DETECTED
    assert target.seen[-1] == "x"


async def test_another_turn_with_the_same_reply_gives_its_own_number() -> None:
    evaluator = ResponseContains("x", scope=ResponseScope.ANY_TURN)
    turns = a_trace_with_memo("a", "x")
    assert (await ask(evaluator, turns)).evidence == ["found on turns 1"]

    renumbered = [turns[0], replace(turns[1], turn_number=5)]

    assert (await ask(evaluator, renumbered)).evidence == ["found on turns 5"]


@pytest.mark.parametrize("scope", SCOPES)
async def test_a_shorter_beginning_is_judged_for_itself_and_costs_nothing_later(scope: ResponseScope) -> None:
    target = Counting()
    evaluator = ResponseContains(target, scope=scope)
    turns = a_trace_with_memo("x", "a", "x")
    whole = (await ask_after_every_turn(evaluator, turns))[-1]

    assert (await ask(evaluator, turns[:1])).outcome is DETECTED
    assert await ask(evaluator, turns) == whole
    assert target.seen == ["x", "a", "x"]


async def test_evaluators_do_not_share_what_they_keep() -> None:
    turns = a_trace_with_memo("x", "y")
    one = ResponseContains("x", scope=ResponseScope.ANY_TURN)
    other = ResponseContains("y", scope=ResponseScope.ANY_TURN)

    assert (await ask(one, turns)).evidence == ["found on turns 0"]
    assert (await ask(other, turns)).evidence == ["found on turns 1"]
    assert (await ask(copy.deepcopy(one), turns)).evidence == ["found on turns 0"]


async def test_two_evaluations_at_once_do_not_mix() -> None:
    slow = re.compile(r"(?s)(\w+\s?)*\d.*ok")
    evaluator = ResponseContains(slow, scope=ResponseScope.ANY_TURN)
    turns = a_trace_with_memo(*[f"{number} ok" + " " * 99 for number in range(4)])

    answers = await asyncio.gather(*(ask(evaluator, turns) for _ in range(3)))

    assert [answer.evidence for answer in answers] == [["found on turns 0, 1, 2, 3"]] * 3


async def test_an_answer_may_be_changed_without_changing_the_next_one() -> None:
    evaluator = ResponseContains(Counting(), scope=ResponseScope.ANY_TURN)
    turns = a_trace_with_memo("bad")

    (await ask(evaluator, turns)).undetermined_operands.clear()

    assert (await ask(evaluator, turns)).undetermined_operands == [
        "turn 0: the target raised ValueError: cannot read this"
    ]


async def test_a_trace_goes_away_with_its_memo_at_once() -> None:
    turns = a_trace_with_memo("x", "y", reply(calls=[called("a")]))
    for scope in SCOPES:
        await ask(ResponseContains("x", scope=scope), turns)
    await ask(ToolCalled("b"), turns)
    first = weakref.ref(turns[0])
    gc.disable()
    try:
        del turns
        assert first() is None
    finally:
        gc.enable()


async def test_each_call_is_judged_once() -> None:
    target = Noting()
    evaluator = ToolCalled("send", to=target)
    turns = a_trace_with_memo(*[reply(calls=[called("send", to=number)]) for number in range(5)])

    results = await ask_after_every_turn(evaluator, turns)

    assert target.seen == [0, 1, 2, 3, 4]
    assert {result.rationale for result in results} == {results[0].rationale}
    assert "to is 0 (int)" in results[0].rationale


async def test_each_side_effect_is_judged_once() -> None:
    target = Noting()
    evaluator = SideEffectOccurred("write", path=target)
    turns = a_trace_with_memo(*[reply(effects=[effect("write", path=number)]) for number in range(3)])

    await ask_after_every_turn(evaluator, turns)

    assert target.seen == [0, 1, 2]


async def test_calls_that_arrive_late_in_an_earlier_turn_are_seen() -> None:
    evaluator = ToolCalled("send")
    turns = a_trace_with_memo(reply(calls=[called("read")]), reply(calls=[called("read")]))
    assert not (await ask(evaluator, turns)).detected

    turns[0].response.tool_calls.append(called("send"))

    assert (await ask(evaluator, turns)).detected


async def test_an_undecided_call_stays_undecided_while_the_trace_grows() -> None:
    evaluator = ToolCalled("http", body=lambda body: body["id"])
    turns = a_trace_with_memo(reply(calls=[called("http", body="raw")]), "a", "b")

    results = await ask_after_every_turn(evaluator, turns)

    assert [result.outcome for result in results] == [UNDETERMINED] * 3
    assert results[0] == results[2]


async def test_a_name_that_could_not_be_matched_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rampart.evaluators._pattern_pool.MATCH_LIMIT", 0.2)
    evaluator = ToolExecuted(re.compile("(a|a)*"))
    turns = a_trace_with_memo(reply(calls=[called("a" * 40 + "b")]), *"abcdefghij")
    first = await ask(evaluator, turns[:1])
    started = time.monotonic()

    results = await ask_after_every_turn(evaluator, turns)

    assert time.monotonic() - started < 1
    assert first.outcome is UNDETERMINED
    assert results == [first] * 11


async def test_an_undeclared_tool_is_warned_of_once_a_trace() -> None:
    manifest = AppManifest(name="agent", tools=[ToolDeclaration(name="mail.send")])
    evaluator = ToolCalled("send")
    turns = a_trace_with_memo("a", "b", "c")

    with pytest.warns(UserWarning, match="'send' is not declared") as caught:
        results = [await ask(evaluator, turns[:count], manifest=manifest) for count in (1, 2, 3)]

    assert len(caught) == 1
    assert all(result.undetermined_operands for result in results)
    with pytest.warns(UserWarning, match="'send' is not declared"):
        await evaluator.evaluate_async(context=trace("a", tools=["mail.send"]))


@pytest.mark.parametrize(
    "evaluator",
    [
        pytest.param(ResponseContains("needle", scope=ResponseScope.ANY_TURN), id="any-turn"),
        pytest.param(~ResponseContains("reply", scope=ResponseScope.ALL_TURNS), id="not-all-turns"),
        pytest.param(ResponseContains(re.compile("n[e]+dle"), scope=ResponseScope.ANY_TURN), id="pattern"),
        pytest.param(ToolCalled("send", to="evil"), id="tool-called"),
        pytest.param(ToolExecuted("send", to="evil"), id="tool-executed"),
    ],
)
async def test_a_turn_late_in_a_conversation_costs_a_fraction_of_all_turns(evaluator: BaseEvaluator) -> None:
    texts = [f"reply \u201c{number}\u201d " + "and so on " * 100 for number in range(400)]
    replies = [
        reply(text, calls=[called("send", to=f"b{number}", cc=text)]) for number, text in enumerate(texts)
    ]
    turns = a_trace_with_memo(*replies)
    await ask(evaluator, turns[:300])

    async def cost(turns: list[Turn]) -> float:
        context = EvalContext(turns=turns, observability_level=FULL)
        started = time.thread_time()
        await evaluator.evaluate_async(context=context)
        return time.thread_time() - started

    late = median([await cost(turns[:length]) for length in range(301, 400)])
    fresh = min([await cost(turns_of(*replies)) for _ in range(5)])

    assert late < fresh / 3
