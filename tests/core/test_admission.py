"""What is looked at before anything is started with an object of the user's."""

from __future__ import annotations

import asyncio
import re
import types
from typing import Any
from unittest.mock import Mock

import pytest

from rampart.core.admission import (
    ADAPTER_MEMBERS,
    DRIVER_MEMBERS,
    EVALUATOR_MEMBERS,
    SESSION_MEMBERS,
    admit,
    admit_awaitable,
    admit_level,
    admit_manifest,
)
from rampart.core.manifest import AppManifest
from rampart.core.types import ObservabilityLevel, Request
from rampart.testing import ScriptedAgent


class Whole:
    one = 1

    def two(self) -> None:
        raise AssertionError("methods are not called")


class OneOnly:
    one = 1


class RaisesInProperty(OneOnly):
    @property
    def two(self) -> int:
        raise RuntimeError("asked too early")


class LacksInProperty(OneOnly):
    @property
    def two(self) -> int:
        raise AttributeError("two")


class Answers:
    def __getattr__(self, name: str) -> str:
        return name


def members_of(value: object) -> None:
    admit(value, members=("one", "two"), role="part")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(Whole(), id="attribute-and-method"),
        pytest.param(RaisesInProperty(), id="a-property-that-raises-is-there"),
        pytest.param(Answers(), id="getattr"),
    ],
)
def test_admitted(value: object) -> None:
    members_of(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(
            OneOnly(), "an object of type OneOnly cannot serve as part: it has no two", id="lacks-one"
        ),
        pytest.param(
            object(), "an object of type object cannot serve as part: it has no one, two", id="lacks-all"
        ),
        pytest.param(None, "an object of type NoneType cannot serve as part: it has no one, two", id="none"),
        pytest.param(
            LacksInProperty(),
            "an object of type LacksInProperty cannot serve as part: it has no two",
            id="a-property-that-raises-attribute-error-is-not",
        ),
        pytest.param(
            Whole, "the class Whole cannot serve as part: pass an instance of it", id="class-for-instance"
        ),
        pytest.param(
            OneOnly, "the class OneOnly cannot serve as part: it has no two", id="class-that-lacks-one"
        ),
    ],
)
def test_refused(value: object, text: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(text)}$"):
        members_of(value)


def test_what_is_not_an_error_of_the_property_goes_on() -> None:
    class Stops:
        @property
        def one(self) -> int:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        members_of(Stops())


def test_members_by_role() -> None:
    assert ADAPTER_MEMBERS == ("create_session_async", "manifest", "observability_profile")
    assert SESSION_MEMBERS == ("send_async", "__aenter__", "__aexit__")
    assert DRIVER_MEMBERS == ("next_prompt_async",)
    assert EVALUATOR_MEMBERS == ("evaluate_async",)


def test_optional_attributes_are_not_needed() -> None:
    class Least:
        manifest = observability_profile = None

        def create_session_async(self) -> None: ...

    admit(Least(), members=ADAPTER_MEMBERS, role="adapter")


@pytest.mark.parametrize("level", ObservabilityLevel, ids=lambda level: level.value)
def test_a_level_is_admitted(level: ObservabilityLevel) -> None:
    assert admit_level(level, owner=ScriptedAgent([])) is level


@pytest.mark.parametrize("level", ["tool_only", None, True], ids=["its-text", "none", "bool"])
def test_what_is_no_level_is_refused(level: Any) -> None:
    text = f"ScriptedAgent.observability_profile is {level!r}, expected an ObservabilityLevel"
    with pytest.raises(TypeError, match=f"^{re.escape(text)}$"):
        admit_level(level, owner=ScriptedAgent([]))


def greet(prompt: str, history: object) -> str:
    return prompt


async def greet_later(prompt: str, history: object) -> str:
    return prompt


class CallableAgent:
    def __call__(self, prompt: str, history: object) -> str:
        return prompt


SCOPED = "scope=ResponseScope.ANY_TURN)"


@pytest.mark.parametrize(
    ("value", "members", "role", "text"),
    [
        pytest.param(
            greet,
            ADAPTER_MEMBERS,
            "adapter",
            "the function greet cannot serve as adapter: it has no create_session_async, manifest, "
            "observability_profile; wrap the function: CallableAdapter(greet)",
            id="function-as-adapter",
        ),
        pytest.param(greet_later, ADAPTER_MEMBERS, "adapter", "CallableAdapter(greet_later)", id="coroutine"),
        pytest.param(lambda p, h: p, ADAPTER_MEMBERS, "adapter", "CallableAdapter(function)", id="lambda"),
        pytest.param(
            CallableAgent(), ADAPTER_MEMBERS, "adapter", "wrap the function: CallableAdapter(fun", id="object"
        ),
        pytest.param(
            CallableAgent().__call__,
            ADAPTER_MEMBERS,
            "adapter",
            "CallableAdapter(CallableAgent.__",
            id="method",
        ),
        pytest.param("agent", ADAPTER_MEMBERS, "adapter", "of a function (prompt, history)", id="text"),
        pytest.param([greet], ADAPTER_MEMBERS, "adapter", "of a function (prompt, history)", id="list"),
        pytest.param(
            greet, EVALUATOR_MEMBERS, "evaluator", f"ResponseContains(greet, {SCOPED}", id="function-judges"
        ),
        pytest.param(
            "sorry", EVALUATOR_MEMBERS, "stop_when", f"ResponseContains('sorry', {SCOPED}", id="text-judges"
        ),
        pytest.param(
            re.compile("a"),
            EVALUATOR_MEMBERS,
            "evaluator",
            "ResponseContains(re.compile('a'), ",
            id="pattern",
        ),
        pytest.param(["a"], EVALUATOR_MEMBERS, "evaluator", "together with | (any of them)", id="evaluators"),
        pytest.param(3, EVALUATOR_MEMBERS, "evaluator", "`async def evaluate_async(self, *, ", id="number"),
        pytest.param(
            greet, DRIVER_MEMBERS, "driver", "`async def next_prompt_async(self, *, history)`", id="driver"
        ),
        pytest.param(
            "hi", DRIVER_MEMBERS, "driver", "texts are sent with prompt= or prompts=", id="one-text"
        ),
        pytest.param([Request(prompt="a")], DRIVER_MEMBERS, "driver", "driver=StaticDriver(", id="requests"),
        pytest.param(None, SESSION_MEMBERS, "session", "has to return a session", id="no-session"),
        pytest.param(
            print, ("on_event_async",), "event handler", "derives from ExecutionEventHandler", id="handler"
        ),
        pytest.param(
            CallableAgent,
            ADAPTER_MEMBERS,
            "adapter",
            "of a function (prompt, history)",
            id="class-as-adapter",
        ),
    ],
)
def test_what_to_write_instead(value: object, members: tuple[str, ...], role: str, text: str) -> None:
    with pytest.raises(TypeError, match=re.escape(text)):
        admit(value, members=members, role=role)


def test_a_long_text_is_cut() -> None:
    with pytest.raises(TypeError) as caught:
        admit("x" * 5000, members=EVALUATOR_MEMBERS, role="evaluator")
    assert len(str(caught.value)) < 300


class Methods:
    def manifest(self) -> None: ...

    def observability_profile(self) -> None: ...


def test_a_method_where_a_property_is_expected() -> None:
    owner: Any = Methods()
    with pytest.raises(
        TypeError, match=r"^Methods\.manifest is a method, expected an AppManifest: make it a pr"
    ):
        admit_manifest(owner.manifest, owner=owner)
    with pytest.raises(TypeError, match=r"^Methods\.observability_profile is a method, .* or an attribute$"):
        admit_level(owner.observability_profile, owner=owner)


@pytest.mark.parametrize("manifest", [AppManifest(name="a"), None, Mock()], ids=["manifest", "none", "mock"])
def test_other_manifests_are_left_to_those_who_read_them(manifest: Any) -> None:
    assert admit_manifest(manifest, owner=Methods()) is manifest


async def test_what_can_be_awaited_is_admitted() -> None:
    @types.coroutine
    def generator_based() -> Any:
        yield from asyncio.sleep(0).__await__()
        return 3

    future = asyncio.get_running_loop().create_future()
    future.set_result(3)
    for value in (generator_based(), future, asyncio.sleep(0, 3)):
        assert await admit_awaitable(value, owner=Methods(), method="f") == 3


@pytest.mark.parametrize("value", [None, "text", [1]], ids=["none", "text", "list"])
def test_what_cannot_be_awaited_is_refused(value: Any) -> None:
    text = (
        rf"^Methods\.send_async returned {type(value).__name__} at once; write it as `async def send_async`$"
    )
    with pytest.raises(TypeError, match=text):
        _ = admit_awaitable(value, owner=Methods(), method="send_async")
