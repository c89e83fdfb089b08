"""A call is in the record once, whoever saw it."""

from datetime import UTC, datetime

import pytest

from rampart.adapters.reported_calls import joined_calls
from rampart.core.types import ToolCall

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def reported(name: str, call_id: str | None = None, **arguments: object) -> ToolCall:
    return ToolCall(name=name, arguments=arguments, id=call_id)


def recorded(name: str, result: object = None, **arguments: object) -> ToolCall:
    return ToolCall(name=name, arguments=arguments, result=result, executed=True, timestamp=NOON)


def test_a_call_seen_twice_is_one_call_that_knows_everything() -> None:
    (call,) = joined_calls([reported("f", "1", x=1)], [recorded("f", "done", x=1)])
    assert call == ToolCall(
        name="f", arguments={"x": 1}, id="1", result="done", executed=True, timestamp=NOON
    )


def test_what_was_recorded_wins() -> None:
    told = ToolCall(name="f", id="1", result="shown to the model", executed=False, error="denied")
    (call,) = joined_calls([told], [recorded("f", "done")])
    assert call == ToolCall(name="f", id="1", result="done", executed=True, timestamp=NOON)


def test_the_recorded_error_wins() -> None:
    seen = ToolCall(name="f", error="ValueError: no", executed=True)
    (call,) = joined_calls([ToolCall(name="f", executed=False, error="denied")], [seen])
    assert (call.executed, call.error) == (True, "ValueError: no")


def test_what_the_recording_does_not_know_is_taken_from_the_report() -> None:
    told = ToolCall(name="f", result="in the background", error="timeout", executed=None)
    (call,) = joined_calls([told], [recorded("f")])
    assert (call.result, call.error, call.executed) == ("in the background", "timeout", True)


def test_a_call_that_did_not_fit_never_ran_whatever_is_said() -> None:
    seen = ToolCall(name="f", error="TypeError: no", executed=False)
    (call,) = joined_calls([ToolCall(name="f", executed=True)], [seen])
    assert call.executed is False


def test_a_call_that_is_denied_with_other_arguments_hides_none() -> None:
    told = ToolCall(name="f", arguments={"x": 2}, executed=False)
    calls = joined_calls([told], [recorded("f", "done", x=1)])
    assert [(call.arguments, call.executed) for call in calls] == [({"x": 2}, False), ({"x": 1}, True)]


def test_equal_calls_are_paired_one_by_one() -> None:
    calls = joined_calls(
        [reported("f", "1"), reported("f", "2"), reported("f", "3")], [recorded("f", "a"), recorded("f", "b")]
    )
    assert [(call.id, call.result) for call in calls] == [("1", "a"), ("2", "b"), ("3", None)]


def test_ids_go_before_the_order_of_calls_that_look_alike() -> None:
    seen = [ToolCall(name="f", id=number, result=f"result {number}") for number in ("2", "1")]
    calls = joined_calls([reported("f", "1"), reported("f", "2")], seen)
    assert [(call.id, call.result) for call in calls] == [("1", "result 1"), ("2", "result 2")]


def test_an_id_that_is_used_twice_goes_with_its_arguments() -> None:
    seen = [ToolCall(name="f", id="1", arguments={"x": x}, result=f"result {x}") for x in (2, 1)]
    calls = joined_calls([reported("f", "1", x=1), reported("f", "1", x=2)], seen)
    assert [(call.arguments, call.result) for call in calls] == [
        ({"x": 1}, "result 1"),
        ({"x": 2}, "result 2"),
    ]


def test_a_recording_without_arguments_is_found_by_its_id() -> None:
    (call,) = joined_calls([reported("f", "1", x=1)], [ToolCall(name="f", id="1", executed=True)])
    assert (call.arguments, call.executed) == ({"x": 1}, True)


def test_what_a_tool_was_called_with_wins() -> None:
    told = ToolCall(name="f", id="1", raw_arguments="not json")
    (call,) = joined_calls([told], [ToolCall(name="f", id="1", arguments={"x": 2})])
    assert (call.arguments, call.raw_arguments) == ({"x": 2}, None)


def test_ids_of_two_kinds_are_no_reason_to_count_twice() -> None:
    (call,) = joined_calls(
        [reported("f", "call_1", x=1)], [ToolCall(name="f", id="span-7", arguments={"x": 1})]
    )
    assert call.id == "call_1"


def test_one_id_of_two_tools_is_two_calls() -> None:
    assert len(joined_calls([reported("f", "1")], [ToolCall(name="g", id="1")])) == 2


@pytest.mark.parametrize(
    ("told", "seen", "expected"),
    [
        pytest.param(["a", "b"], [], ["a", "b"], id="only-reported"),
        pytest.param([], ["a", "b"], ["a", "b"], id="only-recorded"),
        pytest.param(["b"], ["a", "b"], ["a", "b"], id="hidden-before"),
        pytest.param(["a"], ["a", "b"], ["a", "b"], id="hidden-after"),
        pytest.param(["a", "c"], ["a", "b", "c"], ["a", "b", "c"], id="hidden-between"),
        pytest.param(["a", "x", "c"], ["a", "b", "c"], ["a", "x", "b", "c"], id="never-ran-between"),
        pytest.param(["b", "a"], ["a", "b"], ["b", "a"], id="other-order"),
        pytest.param(["x"], ["a"], ["x", "a"], id="nothing-in-common"),
    ],
)
def test_order(told: list[str], seen: list[str], expected: list[str]) -> None:
    calls = joined_calls([reported(name) for name in told], [recorded(name) for name in seen])
    assert [call.name for call in calls] == expected


def test_other_arguments_are_another_call() -> None:
    calls = joined_calls([reported("f", x=1)], [recorded("f", x=2)])
    assert [call.arguments for call in calls] == [{"x": 1}, {"x": 2}]


def test_arguments_that_cannot_be_compared_are_another_call() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise ValueError

        def __hash__(self) -> int:
            return 0

    assert len(joined_calls([reported("f", x=Odd())], [recorded("f", x=Odd())])) == 2


def test_arguments_that_came_as_text_are_another_call() -> None:
    told = ToolCall(name="f", raw_arguments="not json")
    assert len(joined_calls([told], [recorded("f")])) == 2
