"""Work that evaluators keep with the trace it was done on."""

from __future__ import annotations

from dataclasses import replace

from rampart.core.memo import enable_trace_memo, trace_memo
from rampart.core.types import Request, Response, Turn


def turn(number: int = 0) -> Turn:
    return Turn(request=Request(prompt="a"), response=Response(text="b"), turn_number=number)


def test_without_being_enabled_there_is_none() -> None:
    assert trace_memo([]) is None
    assert trace_memo([turn()]) is None


def test_it_stays_with_the_first_turn_as_the_trace_grows() -> None:
    turns = [turn(0)]
    enable_trace_memo(turns[0])
    memo = trace_memo(turns)
    assert memo == {}
    memo["key"] = "work"
    turns.append(turn(1))
    assert trace_memo(turns) is memo
    assert trace_memo(turns[1:]) is None


def test_enabling_twice_loses_nothing() -> None:
    first = turn()
    enable_trace_memo(first)
    memo = trace_memo([first])
    assert memo is not None
    memo["key"] = "work"
    enable_trace_memo(first)
    assert trace_memo([first]) == {"key": "work"}


def test_traces_share_nothing() -> None:
    one, other = turn(), turn()
    enable_trace_memo(one)
    enable_trace_memo(other)
    assert trace_memo([one]) is not trace_memo([other])


def test_a_turn_with_a_memo_is_still_the_same_turn() -> None:
    plain, with_memo = turn(), turn()
    enable_trace_memo(with_memo)
    assert plain == with_memo
    assert repr(plain) == repr(with_memo)


def test_a_replaced_turn_leaves_the_memo_behind() -> None:
    first = turn()
    enable_trace_memo(first)
    assert trace_memo([replace(first)]) is None
