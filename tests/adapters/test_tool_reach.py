"""Recorded tools are found where agents keep them, and not where they belong to others."""

import functools
import logging
import time
from collections import deque
from dataclasses import dataclass, field
from types import CellType, FunctionType, ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from rampart.adapters import CallableAdapter, record_tools
from rampart.adapters.tool_reach import reaches_recorded_tool


@record_tools
def send(to: str) -> str:
    return to


def unrecorded(to: str) -> str:
    return to


TOOLS = {"send": send}
OTHER_TOOLS = {"send": unrecorded}
tool_module = ModuleType("tool_module")
tool_module.send = send  # type: ignore[attr-defined]  # a module made for the test
tool_module.unrecorded = unrecorded  # type: ignore[attr-defined]  # likewise


def names_it(prompt: str, history: object) -> str:
    return send(prompt)


def names_a_table(prompt: str, history: object) -> str:
    return TOOLS["send"](prompt)


def calls_what_names_it(prompt: str, history: object) -> str:
    return names_it(prompt, history)


def has_a_function_inside(prompt: str, history: object) -> str:
    def inner() -> str:
        return send(prompt)

    return inner()


def names_a_module(prompt: str, history: object) -> str:
    return str(tool_module.send(prompt))


def has_a_default(prompt: str, history: object, tools: Any = (send,)) -> str:
    return str(tools[0](prompt))


def has_a_keyword_default(prompt: str, history: object, *, tool: Any = send) -> str:
    return str(tool(prompt))


def closes_over_it() -> Any:
    tools = [send]
    return lambda prompt, _history: tools[0](prompt)


class Agent:
    def __init__(self, *tools: Any) -> None:
        self.toolbox = SimpleNamespace(registry={"all": list(tools)})

    def reply(self, prompt: str, history: object) -> str:
        return str(self.toolbox.registry["all"][0](prompt))


class Slotted:
    __slots__ = ("empty", "tools")

    def __init__(self, *tools: Any) -> None:
        self.tools = tools

    def __call__(self, prompt: str, history: object) -> str:
        return str(self.tools[0](prompt))


class NamesItInAMethod:
    def __call__(self, prompt: str, history: object) -> str:
        return self._work(prompt)

    def _work(self, prompt: str) -> str:
        return send(prompt)


class Inherits(NamesItInAMethod):
    pass


class TwoAgents:
    """Only one of its methods leads to a tool."""

    def talks(self, prompt: str, history: object) -> str:
        return self._greet(prompt)

    def acts(self, prompt: str, history: object) -> str:
        return self._work(prompt)

    def _greet(self, prompt: str) -> str:
        return prompt

    def _work(self, prompt: str) -> str:
        return send(prompt)

    @property
    def toolbox(self) -> Any:
        return send

    def looks_into_the_box(self, prompt: str, history: object) -> str:
        return str(self.toolbox(prompt))


@dataclass
class Node:
    """A graph such as frameworks build."""

    runnable: Any = None
    nodes: dict[str, "Node"] = field(default_factory=dict)


def graph(tool: Any) -> Node:
    return Node(nodes={"agent": Node(), "tools": Node(runnable=Node(runnable=SimpleNamespace(func=tool)))})


class Plain:
    """Has recorded tools nowhere near."""

    def reply(self, prompt: str, history: object) -> str:
        return OTHER_TOOLS["send"](prompt)


class HasAProperty:
    @property
    def tools(self) -> Any:
        raise AssertionError("properties are not evaluated")

    def reply(self, prompt: str, history: object) -> str:
        return prompt


class Cyclic:
    def __init__(self) -> None:
        self.me = self

    def reply(self, prompt: str, history: object) -> str:
        return prompt


def names_a_module_for_something_else(prompt: str, history: object) -> str:
    return str(tool_module.unrecorded(prompt))


def unfilled() -> FunctionType:
    filled = ""

    def agent(prompt: str, history: object) -> str:
        return filled

    return FunctionType(agent.__code__, globals(), closure=(CellType(),))


FOUND = [
    names_it,
    names_a_table,
    calls_what_names_it,
    has_a_function_inside,
    names_a_module,
    has_a_default,
    has_a_keyword_default,
    pytest.param(closes_over_it(), id="closes_over_it"),
    pytest.param(send, id="itself"),
    pytest.param(functools.partial(has_a_keyword_default, tool=send), id="partial-keyword"),
    pytest.param(functools.partial(names_it, "x"), id="partial-function"),
    pytest.param(Agent(send).reply, id="attributes-of-a-method's-object"),
    pytest.param(Agent(unrecorded, send).reply, id="one-of-several"),
    pytest.param(Slotted(send), id="slots"),
    pytest.param(NamesItInAMethod(), id="another-method"),
    pytest.param(Inherits(), id="an-inherited-method"),
    pytest.param(NamesItInAMethod, id="class"),
    pytest.param(TwoAgents().acts, id="the-method-that-is-called"),
    pytest.param(TwoAgents().looks_into_the_box, id="the-property-that-is-used"),
    pytest.param([TwoAgents(), lambda made: made.acts("x", [])], id="the-method-that-is-named-later"),
    pytest.param(lambda: Agent(send), id="a-factory"),
    pytest.param(graph(send), id="graph"),
    pytest.param(deque([send]), id="deque"),
    pytest.param(functools.wraps(send)(lambda to: to), id="wrapped"),
]
NOT_FOUND = [
    unrecorded,
    pytest.param(Plain().reply, id="another-table"),
    pytest.param(TwoAgents().talks, id="a-method-that-is-not-called"),
    pytest.param(TwoAgents, id="no-method-that-is-called"),
    pytest.param(HasAProperty().reply, id="property"),
    pytest.param(Cyclic().reply, id="cycle"),
    names_a_module_for_something_else,
    pytest.param(unfilled(), id="empty-cell"),
    pytest.param(Slotted(unrecorded), id="slots"),
    pytest.param(Mock(), id="mock"),
    pytest.param(CallableAdapter(names_it), id="another-adapter"),
    pytest.param(logging.getLogger("any"), id="logger"),
    pytest.param(len, id="builtin"),
    pytest.param(graph(unrecorded), id="graph"),
    pytest.param(3, id="number"),
]


@pytest.mark.parametrize("root", FOUND)
def test_found(root: object) -> None:
    assert reaches_recorded_tool(root)


@pytest.mark.parametrize("root", NOT_FOUND)
def test_not_found(root: object) -> None:
    assert not reaches_recorded_tool(root)


def test_any_root_will_do() -> None:
    assert reaches_recorded_tool(unrecorded, names_it)


def test_fixtures_lead_nowhere(request: pytest.FixtureRequest) -> None:
    """A test's own objects reach every test of the module, and so every recorded tool."""

    def agent(prompt: str, history: object) -> str:
        return str(request)

    assert not reaches_recorded_tool(agent)


def test_the_search_ends() -> None:
    wide = [[object() for _ in range(1000)] for _ in range(1000)]
    began = time.process_time()
    assert not reaches_recorded_tool(lambda: wide)
    assert time.process_time() - began < 2


def test_hostile_objects_do_not_break_it() -> None:
    class Hostile:
        def __getattribute__(self, name: str) -> Any:
            raise RuntimeError(name)

    class HostileList(list[object]):
        def __iter__(self) -> Any:
            raise RuntimeError

    assert reaches_recorded_tool([Hostile(), HostileList([1]), send])
