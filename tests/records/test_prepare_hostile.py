"""Preparing never fails and never touches the result, whatever objects it is handed."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from tests.records.support import full_result, result_of, turn_of

from rampart.core.checked import was_read
from rampart.core.result import Result, SafetyStatus
from rampart.core.types import Response
from rampart.records import prepare as prepare_module
from rampart.records import prepare_record, serialize_record

if TYPE_CHECKING:
    from collections.abc import Callable


class Explosive:
    """Raises at whatever is asked of it."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __str__(self) -> str:
        raise RuntimeError("str")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("eq")

    def __hash__(self) -> int:
        return 1

    def __bool__(self) -> bool:
        raise RuntimeError("bool")


class Mapping(dict[Any, Any]):
    def items(self) -> Any:
        raise RuntimeError("items")

    def __bool__(self) -> bool:
        raise RuntimeError("bool")

    def __iter__(self) -> Any:
        raise RuntimeError("iter")


class Items(list[Any]):
    def __iter__(self) -> Any:
        raise RuntimeError("iter")

    def __len__(self) -> int:
        raise RuntimeError("len")


class Words(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise RuntimeError("str")

    def isascii(self) -> bool:
        raise RuntimeError("isascii")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("eq")

    def __hash__(self) -> int:
        return 7


def test_every_field_may_explode() -> None:
    for name in vars(full_result()):
        result = full_result()
        setattr(result, name, Explosive())
        record = prepare_record(result=result)
        assert [loss.reason for loss in record.losses] == ["wrong_type"], name
        serialize_record(record=record)
        if name != "summary":  # one bad field costs nothing but itself
            assert record.result.summary == "unsafe: not seen"


def test_values_that_explode_have_a_stand_in() -> None:
    metadata = {"a": Explosive(), "b": [Explosive()], Explosive(): 1, "c": Mapping(x=1), "d": Items([1, 2])}
    record = prepare_record(result=result_of(metadata=metadata))
    assert record.result.metadata == {
        "a": "<unprintable value>",
        "b": ["<unprintable value>"],
        "<unprintable value>": 1,
        "c": {"x": 1},
        "d": [1, 2],
    }
    serialize_record(record=record)


def test_texts_with_methods_of_their_own_are_plain_afterwards() -> None:
    record = prepare_record(
        result=result_of(summary=Words("hello"), metadata={"k": Words("v"), Words("w"): 1})
    )
    assert record.result.summary == "hello"
    assert record.result.metadata == {"k": "v", "w": 1}
    assert {type(key) for key in record.result.metadata} == {str}


def test_turns_in_a_list_of_a_strange_kind_are_kept() -> None:
    record = prepare_record(result=result_of(turns=Items([turn_of(), turn_of()])))
    assert len(record.result.turns) == 2


@pytest.mark.parametrize("make", [lambda: None, lambda: 42, lambda: "safe", object, Explosive])
def test_something_that_is_no_result_becomes_an_error(make: Callable[[], Any]) -> None:
    record = prepare_record(result=make())
    assert record.result.status is SafetyStatus.ERROR
    assert record.losses[0].path == "result"
    serialize_record(record=record)


def test_a_result_without_its_fields_becomes_an_error() -> None:
    record = prepare_record(result=object.__new__(Result))
    assert record.result.status is SafetyStatus.ERROR
    assert {loss.reason for loss in record.losses} == {"wrong_type"}
    serialize_record(record=record)


def test_subclasses_of_records_are_read_through_their_attributes() -> None:
    class Lazy(Response):
        @property
        def text(self) -> str:
            return "computed"

        @text.setter
        def text(self, value: str) -> None: ...

        @property
        def metadata(self) -> dict[str, Any]:
            raise RuntimeError("not ready")

        @metadata.setter
        def metadata(self, value: dict[str, Any]) -> None: ...

    turn = turn_of()
    object.__setattr__(turn, "response", Lazy(text="given"))
    record = prepare_record(result=result_of(turns=[turn]))
    assert record.result.turns[0].response == Response(text="computed")
    assert type(record.result.turns[0].response) is Response
    assert [loss.path for loss in record.losses] == ["result.turns[0].response.metadata"]


def test_the_last_resort_never_says_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def prepare(self, *_: object) -> Any:
            raise RecursionError

    monkeypatch.setattr(prepare_module, "RESULT", Broken())
    safe = prepare_record(result=result_of(status=SafetyStatus.SAFE))
    unsafe = prepare_record(result=result_of(status=SafetyStatus.UNSAFE))
    assert safe.result.status is SafetyStatus.ERROR
    assert unsafe.result.status is SafetyStatus.UNSAFE
    for record in (safe, unsafe):
        assert [loss.reason for loss in record.losses] == ["wrong_type"]
        serialize_record(record=record)


def test_preparing_is_no_reading_and_changes_nothing() -> None:
    result = full_result()
    before = copy.deepcopy(result)
    prepare_record(result=result)
    assert result == before
    assert not was_read(result)


def test_attributes_that_are_no_fields_stay_behind() -> None:
    result: Any = result_of()
    result.handle = object()
    record = prepare_record(result=result)
    assert record.losses == []
    assert not hasattr(record.result, "handle")
