"""The protocols: structural, checkable at run time, and strict towards those who inherit them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.core.support import REQUIRED, field_table

from rampart.core.adapter import AgentAdapter, Session
from rampart.core.converter import PayloadConverter
from rampart.core.evaluator import BaseEvaluator, Evaluator
from rampart.core.injection import InjectionHandle, Surface, sleep_until_ready_async
from rampart.core.llm import ChatModel
from rampart.core.prompt_driver import PromptDecision, PromptDriver
from rampart.core.report import ReportSink
from rampart.core.types import Request

METHODS: dict[type, list[str]] = {
    Session: ["send_async", "__aenter__", "__aexit__"],
    AgentAdapter: ["create_session_async"],
    InjectionHandle: ["wait_until_ready_async", "__aenter__", "__aexit__"],
    Surface: ["inject"],
    PromptDriver: ["next_prompt_async"],
    PayloadConverter: ["convert_async"],
    Evaluator: ["evaluate_async"],
    ChatModel: ["complete_async"],
    ReportSink: ["emit_async"],
}
PROPERTIES: dict[type, list[str]] = {
    AgentAdapter: ["manifest", "observability_profile"],
    InjectionHandle: ["payload_id", "surface_name"],
}
MEMBERS = {protocol: METHODS[protocol] + PROPERTIES.get(protocol, []) for protocol in METHODS}
PAIRS = [
    pytest.param(protocol, member, id=f"{protocol.__name__}.{member}")
    for protocol, members in MEMBERS.items()
    for member in members
]


async def _method(self: object, *args: object, **kwargs: object) -> None: ...


def members_without(protocol: type, left_out: str | None = None) -> dict[str, Any]:
    """A class body with all members of a protocol but one."""
    body: dict[str, Any] = dict.fromkeys(METHODS[protocol], _method)
    body |= dict.fromkeys(PROPERTIES.get(protocol, []), property(lambda self: None))
    if left_out is not None:
        del body[left_out]
    return body


@pytest.mark.parametrize("protocol", MEMBERS, ids=lambda protocol: protocol.__name__)
def test_a_class_with_the_members_is_an_instance_without_inheriting(protocol: type) -> None:
    assert isinstance(type("Whole", (), members_without(protocol))(), protocol)


@pytest.mark.parametrize(("protocol", "member"), PAIRS)
def test_a_class_that_lacks_one_is_not(protocol: type, member: str) -> None:
    assert not isinstance(type("Part", (), members_without(protocol, member))(), protocol)


@pytest.mark.parametrize("protocol", MEMBERS, ids=lambda protocol: protocol.__name__)
def test_a_class_that_inherits_and_defines_all_can_be_made(protocol: type) -> None:
    assert isinstance(type("Whole", (protocol,), members_without(protocol))(), protocol)


@pytest.mark.parametrize(("protocol", "member"), PAIRS)
def test_a_class_that_inherits_and_leaves_one_out_cannot(protocol: type, member: str) -> None:
    part = type("Part", (protocol,), members_without(protocol, member))
    with pytest.raises(TypeError, match=rf"Can't instantiate abstract class Part .*{member}"):
        part()


@pytest.mark.parametrize("protocol", MEMBERS, ids=lambda protocol: protocol.__name__)
def test_the_members_are_all_there_are(protocol: type) -> None:
    abstract: frozenset[str] = protocol.__abstractmethods__  # type: ignore[attr-defined]  # set on every abstract class
    assert abstract == set(MEMBERS[protocol])


def test_a_base_evaluator_is_abstract_too() -> None:
    with pytest.raises(TypeError, match="evaluate_async"):
        type("Part", (BaseEvaluator,), {})()


def test_a_base_evaluator_is_an_evaluator() -> None:
    assert isinstance(type("Whole", (BaseEvaluator,), {"evaluate_async": _method})(), Evaluator)


def test_a_decision_has_a_request_and_perhaps_a_reason() -> None:
    assert field_table(PromptDecision) == {"request": REQUIRED, "reasoning": ""}
    assert PromptDecision(request=Request(prompt="a")).reasoning == ""


def test_waiting_for_a_place_that_cannot_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def sleep(delay: float) -> None:
        waited.append(delay)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    asyncio.run(sleep_until_ready_async(2.5))
    asyncio.run(sleep_until_ready_async(delay=0))
    assert waited == [2.5, 0]
