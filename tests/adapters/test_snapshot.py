"""Records hold copies, whatever they are given."""

import threading
from typing import Any

import pytest

from rampart.adapters.snapshot import snapshot


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
    assert copied["self"] == "<cycle>"


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
