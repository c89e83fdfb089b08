"""What a Python tool returns as a place for payloads."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from rampart.surfaces.handle import repeatable
from rampart.surfaces.tool_result_handle import ToolResultHandle
from rampart.surfaces.tool_result_insertion import Insertion
from rampart.surfaces.tool_result_text import Mode, checked_mode, checked_path
from rampart.surfaces.tool_result_trials import Trials

if TYPE_CHECKING:
    from rampart.core.types import Payload

Tool = TypeVar("Tool", bound=Callable[..., Any])


class ToolResultSurface(Generic[Tool]):
    """Plants payloads in what one of the agent's Python tools returns.

    Give the agent `surface.tool` in place of the tool. It does what the tool does; while a handle is entered,
    the calls that its trial makes return the payload along with the tool's own result. Which trial makes a
    call is told by context variables, so trials overlap: in everything that the trial starts through asyncio,
    tasks and threads alike. A call from a thread that knows nothing of a trial counts for the trial that
    entered a handle, if there is only one; otherwise its result stays as it is, and every trial that may have
    made it is an ERROR.

    It goes with `record_tools` in either order. Recording `surface.tool` also puts the poisoned results into
    the record.

    Args:
        tool: A sync or async function, a method or another callable. What it returns is text, or lists and
            dicts with text in them.
        count: How many calls of a trial get the payload, the first ones; None for all.
        mode: `"append"` puts the payload after the text that is there, `"replace"` in its place.
        at: Where in a list or dict the payload goes: a key, or a list of keys and positions. By default the
            longest string in it.
        insert: In place of `mode` and `at`: a function that takes the tool's result and the payload's text
            and gives the poisoned result, for tools that return other objects. It gets a deep copy, where
            the result can be copied, so that what the tool keeps of it stays clean.
        name: What reports call this place; by default `tool <name>`.

    Raises:
        TypeError: If `tool` is not callable, is a class, or gives its results one after another.
        ValueError: If `count` or `mode` is none.
    """

    def __init__(
        self,
        *,
        tool: Tool,
        count: int | None = None,
        mode: Mode = "append",
        at: str | Sequence[str | int] | None = None,
        insert: Callable[[Any, str], Any] | None = None,
        name: str | None = None,
    ) -> None:
        _check_tool(tool)
        if count is not None and (type(count) is not int or count < 1):
            msg = f"count is a number of calls from 1 on, or None for all, got {count!r}"
            raise ValueError(msg)
        path = checked_path(at)
        if insert is not None and (path is not None or mode != "append"):
            msg = "insert says by itself where the payload goes; leave mode and at out"
            raise ValueError(msg)
        self._insertion = Insertion(count=count, mode=checked_mode(mode), at=path, insert=insert)
        self._tool_name = _name_of(tool)
        self._name = name or f"tool {self._tool_name}"
        self._trials = Trials(self._tool_name)
        self._tool = _wrapped(tool, self._trials)

    @property
    def tool(self) -> Tool:
        """What the agent gets in place of the tool; the same object each time."""
        return self._tool

    def inject(self, *, payload: Payload) -> ToolResultHandle:
        """Prepare to plant `payload`; results stay as they are until the handle is entered."""
        return repeatable(self._handle, payload)

    def _handle(self, payload: Payload) -> ToolResultHandle:
        return ToolResultHandle(
            payload=payload,
            trials=self._trials,
            insertion=self._insertion,
            tool=self._tool_name,
            surface_name=self._name,
        )


def _wrapped(tool: Tool, trials: Trials) -> Tool:
    kind: object = tool if inspect.isroutine(tool) else _call_of(tool)
    if inspect.iscoroutinefunction(kind):

        async def carrying_async(*args: Any, **kwargs: Any) -> Any:
            call = trials.begin()
            return call.returned(await tool(*args, **kwargs))

        return cast("Tool", _dressed(carrying_async, tool))

    def carrying(*args: Any, **kwargs: Any) -> Any:
        call = trials.begin()
        result = tool(*args, **kwargs)
        if inspect.isawaitable(result):
            return _awaited_async(result, call.returned)
        return call.returned(result)

    return cast("Tool", _dressed(carrying, tool))


async def _awaited_async(result: Awaitable[Any], returned: Callable[[Any], Any]) -> Any:
    return returned(await result)


def _dressed(wrapper: Callable[..., Any], tool: Callable[..., Any]) -> Callable[..., Any]:
    """Give the wrapper the tool's name, docstring and signature, so that frameworks build the same schema."""
    functools.update_wrapper(wrapper, tool)
    if not hasattr(tool, "__name__"):  # partials and other callable objects
        wrapper.__name__ = wrapper.__qualname__ = _name_of(tool)
        source = inspect.unwrap(tool.func) if isinstance(tool, functools.partial) else type(tool).__call__
        wrapper.__annotations__ = dict(getattr(source, "__annotations__", {}))
    return wrapper


def _check_tool(tool: Any) -> None:
    if isinstance(tool, type):
        msg = f"tool must be a function or another callable, got the class {tool.__name__}"
        raise TypeError(msg)
    if not callable(tool):
        msg = f"tool must be a function or another callable, got {type(tool).__name__}"
        raise TypeError(msg)
    kind_of = tool if inspect.isroutine(tool) else _call_of(tool)
    if inspect.isgeneratorfunction(kind_of) or inspect.isasyncgenfunction(kind_of):
        msg = (
            f"tool {_name_of(tool)!r} gives its results one after another, so there is no one result to "
            "poison; wrap it in a function that returns them as a list or a string"
        )
        raise TypeError(msg)


def _call_of(tool: Callable[..., Any]) -> object:
    return tool.func if isinstance(tool, functools.partial) else type(tool).__call__


def _name_of(tool: object) -> str:
    if isinstance(tool, functools.partial):
        return _name_of(tool.func)
    for attribute in ("__name__", "name"):
        name = getattr(tool, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(tool).__name__
