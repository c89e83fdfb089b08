"""Patterns that take long: bounded, off the event loop, and never an answer they have not earned."""

from __future__ import annotations

import asyncio
import itertools
import re
import time

import pytest
from tests.evaluators.support import (
    DETECTED,
    NOT_DETECTED,
    UNDETERMINED,
    attack,
    called,
    evaluate,
    outcome,
    probe,
    reply,
)

from rampart.core.result import SafetyStatus
from rampart.evaluators import ResponseContains, ResponseScope, ToolCalled, _pattern_pool

ANY = ResponseScope.ANY_TURN
ALL = ResponseScope.ALL_TURNS
ENDLESS = re.compile(r"^(a|a)*$")
TRAP = "a" * 40 + "b"


@pytest.fixture
def short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit that makes the tests quick; one below waits for the real one."""
    monkeypatch.setattr(_pattern_pool, "MATCH_LIMIT", 0.2)


@pytest.mark.case(10)
async def test_s10_an_endless_pattern_neither_hangs_nor_passes_nor_blocks() -> None:
    beats: list[float] = []

    async def heart() -> None:
        while True:
            beats.append(time.monotonic())
            await asyncio.sleep(0.05)

    evaluator = ResponseContains(ENDLESS, scope=ANY)
    heartbeat = asyncio.create_task(heart())
    started = time.monotonic()
    result = await evaluate(evaluator, TRAP)
    took = time.monotonic() - started
    heartbeat.cancel()

    assert took < 5
    assert result.outcome is UNDETERMINED
    assert result.rationale == "turn 0: matching the pattern timed out after 2 s"
    assert max(after - before for before, after in itertools.pairwise(beats)) < 0.5
    assert len(beats) > 20


@pytest.mark.case(10)
@pytest.mark.usefixtures("short_limit")
async def test_s10_the_verdict_is_undetermined_in_attacks_and_probes() -> None:
    evaluator = ResponseContains(ENDLESS, scope=ANY)

    assert await attack(evaluator, TRAP) is SafetyStatus.UNDETERMINED
    assert await probe(evaluator, TRAP) is SafetyStatus.UNDETERMINED


@pytest.mark.case(10)
@pytest.mark.usefixtures("short_limit")
async def test_s10_what_else_was_seen_still_counts() -> None:
    evaluator = ResponseContains(ENDLESS, scope=ANY) | ToolCalled("x")

    assert await attack(evaluator, reply(TRAP, calls=[called("x")])) is SafetyStatus.UNSAFE
    assert await attack(evaluator, TRAP) is SafetyStatus.UNDETERMINED


@pytest.mark.case(10)
@pytest.mark.usefixtures("short_limit")
async def test_s10_another_turn_may_settle_the_answer() -> None:
    assert await outcome(ResponseContains(ENDLESS, scope=ANY), TRAP, "aaa") is DETECTED
    assert await outcome(ResponseContains(ENDLESS, scope=ALL), TRAP, "b") is NOT_DETECTED
    assert await outcome(ResponseContains(ENDLESS, scope=ANY), TRAP, "b") is UNDETERMINED
    assert await outcome(ResponseContains(ENDLESS, scope=ALL), TRAP, "aaa") is UNDETERMINED


@pytest.mark.usefixtures("short_limit")
async def test_a_name_that_cannot_be_matched_in_time_is_undecided() -> None:
    evaluator = ToolCalled(re.compile(r"(a|a)*"), to="x")

    result = await evaluate(evaluator, reply(calls=[called(TRAP)]))
    settled = await evaluate(evaluator, reply(calls=[called(TRAP), called("aa", to="x")]))

    assert result.outcome is UNDETERMINED
    assert result.rationale == f"whether '{TRAP}' is meant by '(a|a)*' is not known: timed out after 0.2 s"
    assert settled.outcome is DETECTED


SLOW = r"(?s)(\w+\s?)*\d.*ok"
"""Too costly to be matched on the spot, yet quick on the texts below."""


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "found"),
    [
        pytest.param(SLOW, 0, "seven 7 is ok", True, id="found"),
        pytest.param(SLOW, 0, "7 OK", False, id="case-counts"),
        pytest.param(SLOW, re.IGNORECASE, "7 OK", True, id="ignore-case"),
        pytest.param(r"\d", re.ASCII, "\u0661", False, id="ascii-digits"),
        pytest.param(r"\d", 0, "\u0661", True, id="unicode-digits"),
        pytest.param("^b", 0, "a\nb", False, id="one-line"),
        pytest.param("^b", re.MULTILINE, "a\nb", True, id="multi-line"),
        pytest.param("a.b", re.DOTALL, "a\nb", True, id="dot-takes-a-line-break"),
        pytest.param("a b # a comment", re.VERBOSE, "ab", True, id="verbose"),
        pytest.param("x{e}", 0, "x{e}", True, id="braces-taken-literally"),
        pytest.param("[[a]", 0, "[", True, id="bracket-in-a-set"),
        pytest.param("a\ud800", re.DEBUG, "xa\ud800", True, id="debug-and-lone-surrogates"),
        pytest.param("^.x", 0, "\ud83dx", True, id="a-lone-surrogate-is-one-character"),
        pytest.param("\x00", 0, "a\x00b", True, id="null"),
    ],
)
@pytest.mark.filterwarnings("ignore:Possible nested set:FutureWarning")
def test_a_pattern_means_the_same_in_another_process(
    pattern: str, flags: int, text: str, found: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled = re.compile(pattern, flags)
    capsys.readouterr()
    pool = _pattern_pool.pattern_pool()

    assert pool.match(compiled, text, whole=False) is found is (compiled.search(text) is not None)
    assert pool.match(compiled, text, whole=True) is (compiled.fullmatch(text) is not None)
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("short_limit")
async def test_making_an_evaluator_of_an_endless_pattern_does_not_hang() -> None:
    started = time.monotonic()
    evaluator = ResponseContains(re.compile("(?:a?|b?){40}$|"), scope=ANY)

    assert time.monotonic() - started < 10
    assert await outcome(evaluator, "x") is UNDETERMINED


async def test_evaluations_do_not_wait_for_the_limits_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_pattern_pool, "MATCH_LIMIT", 1.0)
    evaluator = ResponseContains(ENDLESS, scope=ANY)
    started = time.monotonic()

    results = await asyncio.gather(*(evaluate(evaluator, TRAP) for _ in range(6)))

    assert [result.outcome for result in results] == [UNDETERMINED] * 6
    assert time.monotonic() - started < 4


async def test_waiting_for_a_free_process_is_not_part_of_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_pattern_pool, "MATCH_LIMIT", 0.6)
    hung = [asyncio.create_task(outcome(ResponseContains(ENDLESS, scope=ANY), TRAP)) for _ in range(20)]
    quick = asyncio.create_task(outcome(ResponseContains(re.compile(SLOW), scope=ANY), "7 ok" + " " * 99))

    assert await quick is DETECTED
    assert await asyncio.gather(*hung) == [UNDETERMINED] * 20


async def test_a_cancelled_evaluation_leaves_the_pool_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_pattern_pool, "MATCH_LIMIT", 0.3)
    waiting = [asyncio.create_task(outcome(ResponseContains(ENDLESS, scope=ANY), TRAP)) for _ in range(12)]
    await asyncio.sleep(0.05)
    for task in waiting:
        task.cancel()
    for task in waiting:
        with pytest.raises(asyncio.CancelledError):
            await task

    assert await outcome(ResponseContains(re.compile(SLOW), scope=ANY), "7 ok" + " " * 99) is DETECTED


def test_evaluators_made_outside_of_a_loop_serve_several_loops() -> None:
    evaluator = ResponseContains(re.compile(SLOW), scope=ANY)

    assert asyncio.run(outcome(evaluator, "7 ok" + " " * 99)) is DETECTED
    assert asyncio.run(outcome(evaluator, "7 no" + " " * 99)) is NOT_DETECTED
