"""A driver that sends a fixed list of messages."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rampart.core.prompt_driver import PromptDriver
from rampart.core.types import Payload, Request, Response, Turn
from rampart.drivers import StaticDriver
from rampart.drivers.coerce import coerce_driver


def history_of(count: int) -> list[Turn]:
    return [
        Turn(request=Request(prompt="q"), response=Response(text="a"), turn_number=n) for n in range(count)
    ]


async def sent(driver: PromptDriver, turns: int) -> Request | None:
    decision = await driver.next_prompt_async(history=history_of(turns))
    if decision is None:
        return None
    assert decision.reasoning == ""
    return decision.request


def test_it_is_a_driver() -> None:
    assert isinstance(StaticDriver(prompts=["a"]), PromptDriver)


async def test_prompts_are_sent_in_order_and_then_nothing() -> None:
    driver = StaticDriver(prompts=["a", "b"])

    assert [await sent(driver, turns) for turns in range(4)] == [
        Request(prompt="a"),
        Request(prompt="b"),
        None,
        None,
    ]


async def test_requests_are_sent_as_they_are() -> None:
    request = Request(prompt="look", attachments=[Payload(content="text")])

    assert await sent(StaticDriver(prompts=[request]), 0) is request


async def test_the_position_is_the_length_of_the_history() -> None:
    driver = StaticDriver(prompts=("a", Request(prompt="b")))

    assert [await sent(driver, turns) for turns in (1, 0, 1)] == [
        Request(prompt="b"),
        Request(prompt="a"),
        Request(prompt="b"),
    ]


async def test_an_empty_list_sends_nothing_and_an_empty_prompt_is_sent() -> None:
    assert await sent(StaticDriver(prompts=[]), 0) is None
    assert await sent(StaticDriver(prompts=[""]), 0) == Request(prompt="")


async def test_the_list_is_copied() -> None:
    prompts = ["a"]
    driver = StaticDriver(prompts=prompts)
    prompts.append("b")

    assert await sent(driver, 1) is None


@pytest.mark.case(41)
@pytest.mark.parametrize(
    ("prompts", "named", "advice"),
    [
        pytest.param("ab", "str", "put the single prompt into a list", id="text"),
        pytest.param(Request(prompt="a"), "Request", "put the single prompt into a list", id="request"),
        pytest.param((p for p in ["a", "b"]), "generator", "make a list of it first", id="generator"),
        pytest.param(iter(["a"]), "list_iterator", "make a list of it first", id="iterator"),
        pytest.param({"a"}, "set", "make a list of it first", id="set"),
        pytest.param({"a": 1}, "dict", "make a list of it first", id="dict"),
        pytest.param(None, "NoneType", "make a list of it first", id="none"),
    ],
)
def test_s41_only_lists_and_tuples_of_prompts_are_taken(prompts: Any, named: str, advice: str) -> None:
    with pytest.raises(
        TypeError, match=f"prompts is of type {named}, expected a list or tuple of str or Request; {advice}"
    ):
        StaticDriver(prompts=prompts)


@pytest.mark.case(41)
@pytest.mark.parametrize("make", [list, tuple])
async def test_s41_every_conversation_gets_all_prompts(make: Any) -> None:
    driver = StaticDriver(prompts=make(["a", "b"]))

    for _ in range(2):
        requests = [await sent(driver, turns) for turns in range(3)]
        assert [request and request.prompt for request in requests] == ["a", "b", None]


@pytest.mark.parametrize(
    "item", [None, 1, b"a", ["a"], {"prompt": "a"}], ids=lambda item: type(item).__name__
)
def test_an_item_that_is_no_prompt_is_named(item: Any) -> None:
    message = re.escape(f"prompts[1] is of type {type(item).__name__}, expected a str or a Request")

    with pytest.raises(TypeError, match=message):
        StaticDriver(prompts=["a", item])
    with pytest.raises(TypeError, match=message):
        coerce_driver(["a", item])


@pytest.mark.case(42)
async def test_s42_what_is_past_the_end_is_never_taken_for_the_beginning() -> None:
    driver = StaticDriver(prompts=["a", "b"])

    assert [await sent(driver, turns) for turns in range(2, 60)] == [None] * 58


@pytest.mark.parametrize(
    ("value", "prompts"),
    [
        pytest.param("a", ["a"], id="text"),
        pytest.param(Request(prompt="a"), ["a"], id="request"),
        pytest.param(["a", "b"], ["a", "b"], id="list"),
        pytest.param((Request(prompt="a"), "b"), ["a", "b"], id="tuple"),
        pytest.param([], [], id="empty"),
    ],
)
async def test_short_forms_become_a_static_driver(value: object, prompts: list[str]) -> None:
    driver = coerce_driver(value)

    assert isinstance(driver, StaticDriver)
    requests = [await sent(driver, turns) for turns in range(len(prompts) + 1)]
    assert [request and request.prompt for request in requests] == [*prompts, None]


@pytest.mark.parametrize("value", [StaticDriver(prompts=["a"]), object(), None, iter(["a"]), 7])
def test_anything_else_is_returned_as_it_is(value: object) -> None:
    assert coerce_driver(value) is value


def test_a_driver_shows_how_much_it_sends() -> None:
    assert repr(StaticDriver(prompts=["a", "b"])) == "StaticDriver(<2 prompts>)"
