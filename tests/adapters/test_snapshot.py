"""Records hold copies, whatever they are given."""

import asyncio
import threading
from enum import StrEnum
from typing import Any
from unittest.mock import Mock

import pytest

from rampart.adapters.snapshot import _shown, snapshot
from rampart.text import register_secret
from rampart.text.secrets import _isolated_secrets


class Unprintable:
    def __reduce_ex__(self, protocol: Any) -> Any:
        raise RuntimeError

    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("value", [None, True, 3, 1.5, "text", b"bytes", [1, {"a": (2, {3})}]])
def test_equal_values(value: object) -> None:
    assert snapshot(value) == value


def test_later_changes_do_not_show() -> None:
    original = {"to": ["a"]}
    copied = snapshot(original)
    original["to"].append("b")
    assert copied == {"to": ["a"]}


def test_what_cannot_be_copied_is_shown() -> None:
    assert snapshot(threading.Lock()).startswith("<unlocked _thread.lock object at")


def test_what_cannot_even_be_shown_says_so() -> None:
    assert snapshot(Unprintable()) == "<unprintable value>"


def test_what_is_shown_is_cut() -> None:
    class Long(Unprintable):
        def __repr__(self) -> str:
            return "x" * 1000

    assert snapshot(Long()) == "x" * 200


class Sly(str):
    """Says that it is whatever it is asked for."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __contains__(self, part: object) -> bool:
        return True

    def __str__(self) -> str:
        return "another"

    def __deepcopy__(self, memo: object) -> "Sly":
        return self


class SlyDict(dict[Any, Any]):
    def items(self) -> Any:
        return [("to", "another")]


class SlyList(list[Any]):
    def __iter__(self) -> Any:
        return iter(["another"])


class SlyInt(int):
    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __int__(self) -> int:
        return 7


class SlyTuple(tuple[Any, ...]):
    __slots__ = ()
    __hash__ = tuple.__hash__

    def __iter__(self) -> Any:
        return iter(["another"])


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        pytest.param(Sly("x"), "x", id="str"),
        pytest.param(SlyInt(3), 3, id="int"),
        pytest.param([Sly("x")], ["x"], id="in-a-list"),
        pytest.param({Sly("k"): Sly("x")}, {"k": "x"}, id="in-a-dict"),
        pytest.param({"k": ({Sly("x")},)}, {"k": ({"x"},)}, id="in-a-tuple"),
        pytest.param(SlyDict(to="x"), {"to": "x"}, id="dict"),
        pytest.param(SlyList(["x"]), ["x"], id="list"),
        pytest.param(SlyTuple(["x"]), ("x",), id="tuple"),
    ],
)
def test_values_of_a_class_of_their_own_become_plain(value: object, plain: object) -> None:
    copied = snapshot(value)
    assert type(copied) is type(plain)
    assert repr(copied) == repr(plain)
    assert copied == plain


def test_members_of_enums_stay() -> None:
    class Colour(StrEnum):
        RED = "red"

    assert snapshot([Colour.RED])[0] is Colour.RED


def test_what_claims_to_be_a_dict_is_shown_or_copied_as_what_it_is() -> None:
    assert snapshot({"to": "x", "fake": Mock(spec=dict)})["to"] == "x"


def test_what_stands_beside_it_is_kept() -> None:
    inner = ["kept"]
    copied = snapshot({"lock": threading.Lock(), "list": inner, "tuple": (1, threading.Lock())})
    inner.append("later")
    assert copied["list"] == ["kept"]
    assert copied["tuple"][0] == 1
    assert "lock" in copied["lock"]
    assert "lock" in copied["tuple"][1]


def test_a_cycle_around_it_ends() -> None:
    around: dict[str, Any] = {"lock": threading.Lock()}
    around["self"] = around
    copied = snapshot(around)
    assert "lock" in copied["lock"]
    assert copied["self"] is copied


def test_what_is_reached_on_many_ways_is_copied_once() -> None:
    shared: Any = threading.Lock()
    for _ in range(100):
        shared = [shared, shared]
    around = {"one": shared, "two": shared}
    around["self"] = [around, around, around]
    copied = snapshot(around)
    assert copied["one"] is copied["two"]


def test_depth_around_it_ends() -> None:
    deep: Any = threading.Lock()
    for _ in range(200):
        deep = [deep]
    level = snapshot(deep)
    while isinstance(level, list):
        (level,) = level
    assert isinstance(level, str)


def test_a_container_that_changes_meanwhile_is_shown() -> None:
    class Changing:
        def __init__(self, around: dict[int, Any]) -> None:
            self.around = around

        def __reduce_ex__(self, protocol: Any) -> Any:
            self.around[len(self.around)] = "new"
            raise RuntimeError

        def __repr__(self) -> str:
            return "changing"

    around: dict[int, Any] = {}
    around[0] = Changing(around)
    assert snapshot(around).startswith("{0: changing, 1: 'new'")


def test_a_cycle_of_plain_values_is_copied() -> None:
    around: dict[str, Any] = {}
    around["self"] = around
    copied = snapshot(around)
    assert copied is not around
    assert copied["self"] is copied


KEY = "sk-live-0123456789abcdefXYZ"


class Shown(Unprintable):
    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


@pytest.mark.parametrize("before", range(0, 204, 3))
def test_no_cut_leaves_half_of_a_secret(before: int) -> None:
    deep: Any = {"key": "x" * before + KEY, "shown": Shown("x" * before + KEY), "lock": threading.Lock()}
    for _ in range(40):
        deep = [deep]
    with _isolated_secrets():
        register_secret(KEY)
        for value in (Shown("x" * before + KEY), _shown(deep), _shown([deep[0]]), _shown(_innermost(deep))):
            text = str(snapshot(value))
            assert not any(part in text for part in (KEY[:6], KEY[-6:]))


def _innermost(value: Any) -> Any:
    while isinstance(value, list):
        (value,) = value
    return value


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, asyncio.CancelledError, pytest.skip.Exception])
def test_what_a_repr_raises_goes_nowhere(error: type[BaseException]) -> None:
    class Raises(Unprintable):
        def __repr__(self) -> str:
            raise error

    class Key(Raises):
        def __lt__(self, other: object) -> bool:
            raise error

        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            return self is other

    assert snapshot(Raises()) == "<unprintable value>"
    assert _shown([Raises()]) == "[<unprintable value>]"
    assert _shown({Key(): 1, Key(): 2}) == "<unprintable value>"
