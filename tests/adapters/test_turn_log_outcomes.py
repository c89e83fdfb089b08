"""Outcomes of calls that a log of a turn keeps apart."""

from rampart import Usage
from rampart.adapters.turn_log import TurnLog


def test_an_unclear_outcome_says_neither_that_it_ran_nor_that_it_did_not() -> None:
    turn = TurnLog()
    turn.asked("mail", {"to": "a"}, id="1").unclear("paused", result="told")
    [call] = turn.response().tool_calls
    assert (call.executed, call.error, call.result) == (None, "paused", "told")


def test_a_begin_is_taken_back() -> None:
    turn = TurnLog()
    call = turn.begun("mail", {"to": "a"}, id="1")
    call.undo_begin()
    call.never_ran("refused")
    assert turn.response().tool_calls[0].executed is False


def test_a_begin_is_not_taken_back_once_the_turn_is_over() -> None:
    turn = TurnLog()
    call = turn.begun("mail", {"to": "a"}, id="1")
    response = turn.response()
    call.undo_begin()
    assert response.tool_calls[0].executed is True


def test_requests_with_one_id_are_told_apart_by_what_they_ask_for() -> None:
    turn = TurnLog()
    turn.asked("mail", {"to": "a"}, id="1")
    turn.asked("mail", {"to": "b"}, id="1")
    turn.begun("mail", {"to": "b"}, id="1").returned("sent to b")
    first, second = turn.response().tool_calls
    assert (first.executed, second.executed, second.result) == (None, True, "sent to b")


def test_whether_usage_was_counted() -> None:
    turn = TurnLog()
    assert not turn.counted
    turn.count(Usage(input_tokens=1))
    assert turn.counted
