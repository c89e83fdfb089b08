"""Which recorded tools an agent function uses.

It looks at what the function can reach without running anything: what its code names, its closure and
defaults, the object it is a method of, the containers and objects in there. It never evaluates a
property. What it misses makes an adapter claim less, never more.
"""

from __future__ import annotations

import sys
from collections import deque
from contextlib import suppress
from functools import partial
from itertools import islice
from types import CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from rampart.adapters.tool_spy import any_tool_recorded, spy_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rampart.adapters.spied_call import ToolSpy

_MOST_OBJECTS = 10_000
_MOST_ITEMS = 1_000
_CONTAINERS = (list, tuple, set, frozenset, deque)
_LOOK_UP_BY_NAME = frozenset({"getattr", "vars", "__dict__", "attrgetter", "methodcaller"})
_FOREIGN = frozenset({"pytest", "_pytest", "pluggy"}) | sys.stdlib_module_names


def reaches_recorded_tool(*roots: object) -> bool:
    """Whether a recorded tool is found from `roots`, nearest first, among at most 10,000 objects."""
    return any_tool_recorded() and next(_Search(roots).tools(), None) is not None


def reached_tools(*roots: object) -> list[ToolSpy] | None:
    """All recorded tools found from `roots`; None if the search ended before it had seen everything."""
    if not any_tool_recorded():
        return []
    search = _Search(roots)
    found = [*search.tools(), *search.tools_looked_up_by_name()]
    return found if search.is_complete else None


class _Search:
    """Walks from object to object, breadth first."""

    def __init__(self, roots: Iterable[object]) -> None:
        self._waiting = deque(roots)
        self._seen: dict[int, object] = {}  # the objects are kept, so that no id is used twice
        self._named: set[str] = set()
        self._unnamed: dict[str, list[object]] = {}

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to look at."""
        return not self._waiting

    def tools(self) -> Iterator[ToolSpy]:
        """The recorded tools, nearest first."""
        while self._waiting and len(self._seen) < _MOST_OBJECTS:
            thing = self._waiting.popleft()
            if id(thing) in self._seen:
                continue
            self._seen[id(thing)] = thing
            spy = spy_of(thing)
            if spy is not None:
                yield spy
            with suppress(Exception):  # a foreign container may raise anything: it leads nowhere then
                self._waiting.extend(self._neighbours(thing))

    def tools_looked_up_by_name(self) -> Iterator[ToolSpy]:
        """Methods that no code names, where some code gets members by a name that it computes."""
        if self._named.isdisjoint(_LOOK_UP_BY_NAME):
            return
        for members in self._unnamed.values():
            for member in members:
                spy = spy_of(member.__func__ if isinstance(member, staticmethod | classmethod) else member)
                if spy is not None:
                    yield spy

    def _neighbours(self, thing: Any) -> Iterable[object]:
        kind = type(thing)  # not isinstance, which may ask the object
        if kind is FunctionType:
            return [*_of_function(thing), *self._now_named(set(_names(thing.__code__)))]
        if kind is MethodType:
            return (thing.__func__, thing.__self__)
        if issubclass(kind, partial):
            return (thing.func, thing.args, thing.keywords)
        if issubclass(kind, staticmethod | classmethod):
            return (thing.__func__,)
        if issubclass(kind, property):
            return (thing.fget,)
        if issubclass(kind, dict):
            return list(islice(dict.values(thing), _MOST_ITEMS))
        if issubclass(kind, _CONTAINERS):
            return list(islice(thing, _MOST_ITEMS))
        if issubclass(kind, type):
            return () if _is_foreign(thing) else self._of_class(thing)
        if kind is SimpleNamespace or not _is_foreign(kind):
            return _of_object(thing)
        return ()

    def _of_class(self, kind: type) -> Iterator[object]:
        """The members that code found so far names; the others wait until some is found that does."""
        for base in kind.__mro__:
            if _is_foreign(base):
                continue
            for name, member in vars(base).items():
                if name in self._named or name.startswith("__"):
                    yield member
                else:
                    self._unnamed.setdefault(name, []).append(member)

    def _now_named(self, names: set[str]) -> Iterator[object]:
        self._named |= names
        for name in names & self._unnamed.keys():
            yield from self._unnamed.pop(name)


def _is_foreign(kind: type) -> bool:
    """Whether objects of this class lead away from the agent: event loops, fixtures, other adapters."""
    module: object = kind.__module__  # a class body may have put anything there
    if not isinstance(module, str):
        return True
    return module.partition(".")[0] in _FOREIGN or module.startswith("rampart.adapters.")


def _of_function(function: FunctionType) -> Iterator[object]:
    yield from vars(function).values()
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            continue
    if function.__globals__.get("__name__", "").partition(".")[0] in sys.stdlib_module_names:
        return
    names = set(_names(function.__code__))
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            yield from (vars(value)[member] for member in names if member in vars(value))
        elif value is not None:
            yield value


def _names(code: CodeType) -> Iterator[str]:
    """All names that a code object uses, functions inside of it included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _of_object(thing: object) -> Iterator[object]:
    yield type(thing)
    try:
        members = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        members = {}
    yield from islice(list(members.values()), _MOST_ITEMS)
    for base in type(thing).__mro__:
        for slot in _slots(base):
            descriptor = vars(base).get(slot)
            if isinstance(descriptor, MemberDescriptorType):
                try:
                    yield descriptor.__get__(thing)
                except AttributeError:  # not filled
                    continue


def _slots(base: type) -> tuple[str, ...]:
    slots = vars(base).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)
