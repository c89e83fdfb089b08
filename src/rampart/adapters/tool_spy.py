"""Wrapping tools so that their calls are recorded."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from rampart.adapters.spied_call import ToolSpy, spied
from rampart.adapters.tool_log import ToolLog, current_log

if TYPE_CHECKING:
    from types import FrameType

Tool = TypeVar("Tool", bound=Callable[..., Any])

_MARK = "__rampart_spy__"
_FACTORY_CALLER = "rampart.adapters.session_object"


class _Process:
    """What is known for the whole process."""

    any_tool_recorded = False


def any_tool_recorded() -> bool:
    """Whether a tool was ever recorded in this process."""
    return _Process.any_tool_recorded


def spy_of(tool: object) -> ToolSpy | None:
    """How calls of `tool` are recorded, None if they are not."""
    if type(tool) is not FunctionType:  # not isinstance, which may ask the object
        return None
    spy: ToolSpy | None = vars(tool).get(_MARK)
    return spy


@overload
def record_tools(
    tools: Tool, /, *, name: str | None = ..., ignore: Iterable[str] = ..., session: object = ...
) -> Tool: ...
@overload
def record_tools(
    tools: Mapping[str, Tool], /, *, ignore: Iterable[str] = ..., session: object = ...
) -> dict[str, Tool]: ...
@overload
def record_tools(
    tools: Iterable[Tool], /, *, ignore: Iterable[str] = ..., session: object = ...
) -> list[Tool]: ...
@overload
def record_tools(
    *, name: str | None = ..., ignore: Iterable[str] = ..., session: object = ...
) -> Callable[[Tool], Tool]: ...
def record_tools(
    tools: Any = None,
    /,
    *,
    name: str | None = None,
    ignore: Iterable[str] = (),
    session: object = None,
) -> Any:
    """Wrap plain Python tools so that what an agent does with them is recorded.

    Each call gives a `ToolCall` with name, arguments by name (only those that were passed), result,
    error, `executed=True` and the time in UTC, in the order in which the calls were made. It becomes
    part of the turn of the session that made it; a call made between two turns is part of the later
    one. Called outside of any session, a tool just works. Signature, annotations and docstring stay
    what they were, so frameworks build the same schema. Record the plain function before a framework
    makes a tool of it.

    Which session made a call is known in everything that a session of a `CallableAdapter` starts
    through asyncio or anyio, tasks and threads alike. In threads that the agent starts itself it is
    known where only one session is open, and for tools that were recorded inside `session_factory`,
    which belong to that session. Any other call is recorded nowhere, with a warning, and the sessions
    open at that time report RESPONSE_ONLY.

    Args:
        tools: One tool, as in `@record_tools`; a list or another iterable of tools; or a dict of tools
            by name. Tools are sync or async functions, generator functions, methods, partials and
            other callables. Recording a tool again replaces the earlier recording.
        name: The name to record, for one tool; by default the tool's own, or its key in the dict.
        ignore: Parameters that are not the agent's choice, such as a framework's run context; they are
            left out of the recorded arguments.
        session: The session of a `CallableAdapter` to which all calls of these tools belong.

    Returns:
        The wrapped tool, a list of them, a dict of them, or without `tools` a decorator.

    Raises:
        TypeError: If a tool is not callable, or is a class; if `name` is given for several tools; if
            `session` is no session of a `CallableAdapter`.
    """
    options = _Options(name=name, ignore=frozenset(_names(ignore)), bound_to=_log_of(session))
    if tools is None:
        return options.wrap
    if callable(tools) or isinstance(tools, staticmethod | classmethod):
        return options.wrap(tools)
    if name is not None:
        msg = "name is for a single tool; pass a dict of tools by name to name several"
        raise TypeError(msg)
    if isinstance(tools, Mapping):
        return {key: options.named(key).wrap(tool) for key, tool in tools.items()}
    if isinstance(tools, str | bytes) or not isinstance(tools, Iterable):
        msg = f"record_tools takes a tool, a list or a dict of tools, got {type(tools).__name__}"
        raise TypeError(msg)
    return [options.wrap(tool) for tool in tools]


def _names(ignore: Iterable[str]) -> Iterable[str]:
    if isinstance(ignore, str):
        msg = f"ignore takes a list of parameter names, got the str {ignore!r}"
        raise TypeError(msg)
    return ignore


def _log_of(session: object) -> ToolLog | None:
    if session is None:
        return None
    log = session if isinstance(session, ToolLog) else getattr(session, "tool_log", None)
    if not isinstance(log, ToolLog):
        msg = f"session must be a session of a CallableAdapter, got {type(session).__name__}"
        raise TypeError(msg)
    return log


class _Options:
    """How tools are recorded, apart from which ones."""

    def __init__(self, *, name: str | None, ignore: frozenset[str], bound_to: ToolLog | None) -> None:
        self._name = name
        self._ignore = ignore
        self._bound_to = bound_to

    def named(self, name: str) -> _Options:
        """The same for a tool that has a name of its own."""
        return _Options(name=name, ignore=self._ignore, bound_to=self._bound_to)

    def wrap(self, tool: Any) -> Any:
        """The recorded form of one tool."""
        if isinstance(tool, staticmethod | classmethod):
            return type(tool)(self.wrap(tool.__func__))
        if not callable(tool) or isinstance(tool, type):
            kind = f"the class {tool.__name__}" if isinstance(tool, type) else type(tool).__name__
            msg = f"a tool must be a function or another callable, got {kind}; record the function it calls"
            raise TypeError(msg)
        spy = spy_of(tool)
        if spy is not None:
            if spy.wrapper is not tool:
                return tool  # another decorator around a recorded tool: its calls are recorded already
            tool = spy.tool
        return self._wrapped(tool)

    def _wrapped(self, tool: Callable[..., Any]) -> Callable[..., Any]:
        here, bound = current_log(), self._bound_to
        made_for = here if here is not None and here.binds_tools and not _importing() else None
        spy = ToolSpy(tool, name=self._name, ignore=self._ignore, bound_to=bound, made_for=made_for)
        wrapper = _dressed(spied(spy), tool, spy.name)
        setattr(wrapper, _MARK, spy)
        spy.wrapper = wrapper
        _Process.any_tool_recorded = True
        for log in (here, bound):
            if log is not None:
                log.learn_tool(spy.declaration)
        return wrapper


def _importing() -> bool:
    """Whether the caller runs because a session factory, whose frames lie below, imports a module.

    What a module records serves all sessions, not only the one for which it is imported first.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        if frame.f_globals.get("__name__") == _FACTORY_CALLER:
            return False
        frame = frame.f_back
    return False


def _dressed(wrapper: Callable[..., Any], tool: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Give the wrapper the tool's name, docstring, annotations and signature."""
    functools.update_wrapper(wrapper, tool)
    if not hasattr(tool, "__name__"):  # partials and other callable objects
        source = inspect.unwrap(tool.func) if isinstance(tool, functools.partial) else type(tool).__call__
        wrapper.__name__ = wrapper.__qualname__ = name
        wrapper.__annotations__ = dict(getattr(source, "__annotations__", {}))
        own_doc = vars(tool).get("__doc__") if hasattr(tool, "__dict__") else None
        described = type(tool).__doc__ if not isinstance(tool, functools.partial) else None
        wrapper.__doc__ = own_doc or getattr(source, "__doc__", None) or described
    return wrapper
