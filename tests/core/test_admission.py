"""What is looked at before anything is started with an object of the user's."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rampart.core.admission import (
    ADAPTER_MEMBERS,
    DRIVER_MEMBERS,
    EVALUATOR_MEMBERS,
    SESSION_MEMBERS,
    admit,
    admit_level,
)
from rampart.core.types import ObservabilityLevel
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
