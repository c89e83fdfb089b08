"""One recorded tool and what happens when it is called."""

from __future__ import annotations

import asyncio
import functools
import inspect
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from rampart.adapters.failure import error_text
from rampart.adapters.snapshot import snapshot
from rampart.adapters.tool_arguments import ToolArguments
from rampart.adapters.tool_log import LoggedCall, ToolLog, log_of_call
from rampart.core.manifest import ToolDeclaration
from rampart.core.types import ToolCall
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator


class ToolSpy:
    """How one tool is recorded.

    Args:
        tool: The tool as it was.
        name: The name to record; None takes the tool's own.
        ignore: Parameters to leave out.
        bound_to: The log to which the user bound the tool.
        made_for: The log of the session for which the tool was recorded.
    """

    def __init__(
        self,
        tool: Callable[..., Any],
        *,
        name: str | None,
        ignore: frozenset[str],
        bound_to: ToolLog | None,
        made_for: ToolLog | None,
    ) -> None:
        self.tool = tool
        self.name = str.__str__(_own_name(tool) if name is None else name)
        self.wrapper: Callable[..., Any] | None = None
        self._arguments = ToolArguments(tool, ignore=ignore)
        self._bound_to = bound_to
        self._made_for = made_for

    @functools.cached_property
    def declaration(self) -> ToolDeclaration:
        """The tool as its signature and its docstring declare it."""
        lines = safe_str(inspect.getdoc(self.wrapper) or "").strip().splitlines()
        return ToolDeclaration(
            name=self.name, description=lines[0] if lines else "", parameters=dict(self._arguments.types())
        )

    def begin(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> SpiedCall:
        """Note that a call begins, if it belongs to a session."""
        log = log_of_call(self.name, bound_to=self._bound_to, made_for=self._made_for)
        if log is None:
            return SpiedCall(None, fits=True)
        arguments, fits = self._arguments.named(args, kwargs)
        call = ToolCall(name=self.name, arguments=arguments, executed=fits, timestamp=datetime.now(UTC))
        return SpiedCall(log.add(call), fits=fits)


class SpiedCall:
    """A call in progress; one without an entry belongs to no session and leaves no trace."""

    __slots__ = ("_entry", "_fits")

    def __init__(self, entry: LoggedCall | None, *, fits: bool) -> None:
        self._entry = entry
        self._fits = fits

    def returned(self, result: Any) -> Any:
        """Note the result and give it back; one that is still to come is noted when it has come."""
        if self._entry is None:
            return result
        if inspect.iscoroutine(result):
            return self._awaited_async(result)
        if isinstance(result, asyncio.Future):
            result.add_done_callback(self._settled)
            return result
        self._entry.end(result=snapshot(result))
        return result

    def raised(self, error: BaseException) -> None:
        """Note that the tool raised."""
        if self._entry is not None:
            # Arguments that do not fit are refused before the tool's first line.
            executed = self._fits or not isinstance(error, TypeError)
            self._entry.end(error=error_text(error), executed=executed)

    async def _awaited_async(self, result: Awaitable[Any]) -> Any:
        try:
            return self.returned(await result)
        except BaseException as error:
            self.raised(error)
            raise

    def _settled(self, future: asyncio.Future[Any]) -> None:
        if future.cancelled():
            self.raised(asyncio.CancelledError())
        elif (error := future.exception()) is not None:
            self.raised(error)
        else:
            self.returned(future.result())


def spied(spy: ToolSpy) -> Callable[..., Any]:
    """A function of the tool's own kind (sync, async, generator) that records and calls it."""
    kind = spy.tool if inspect.isroutine(spy.tool) else _call_of(spy.tool)
    if inspect.isasyncgenfunction(kind):
        return _async_generator(spy)
    if inspect.isgeneratorfunction(kind):
        return _generator(spy)
    return _coroutine(spy) if inspect.iscoroutinefunction(kind) else _function(spy)


def _call_of(tool: Callable[..., Any]) -> object:
    return tool.func if isinstance(tool, functools.partial) else type(tool).__call__


def _function(spy: ToolSpy) -> Callable[..., Any]:
    tool = spy.tool

    def recorded(*args: Any, **kwargs: Any) -> Any:
        call = spy.begin(args, kwargs)
        try:
            result = tool(*args, **kwargs)
        except BaseException as error:
            call.raised(error)
            raise
        return call.returned(result)

    return recorded


def _coroutine(spy: ToolSpy) -> Callable[..., Coroutine[Any, Any, Any]]:
    tool = spy.tool

    async def recorded(*args: Any, **kwargs: Any) -> Any:
        call = spy.begin(args, kwargs)
        try:
            result = await tool(*args, **kwargs)
        except BaseException as error:
            call.raised(error)
            raise
        return call.returned(result)

    return recorded


def _generator(spy: ToolSpy) -> Callable[..., Generator[Any, Any, Any]]:
    tool = spy.tool

    def recorded(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        call = spy.begin(args, kwargs)
        items: list[Any] = []
        try:
            final = yield from _relayed(tool(*args, **kwargs), items)
        except GeneratorExit:  # the agent wants no more: what it got is the result
            call.returned(items)
            raise
        except BaseException as error:
            call.raised(error)
            raise
        call.returned(items)
        return final

    return recorded


def _relayed(source: Generator[Any, Any, Any], items: list[Any]) -> Generator[Any, Any, Any]:
    """Everything that `source` does, with its items noted."""
    step: Callable[[], Any] = functools.partial(next, source)
    while True:
        try:
            item = step()
        except StopIteration as stop:
            return stop.value
        items.append(item)
        try:
            step = functools.partial(source.send, (yield item))
        except GeneratorExit:
            source.close()
            raise
        except BaseException as error:  # thrown in by the consumer; the source decides
            step = functools.partial(source.throw, error)


def _async_generator(spy: ToolSpy) -> Callable[..., AsyncGenerator[Any, Any]]:
    tool = spy.tool

    async def recorded(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        call = spy.begin(args, kwargs)
        items: list[Any] = []
        source = cast("AsyncGenerator[Any, Any]", tool(*args, **kwargs))
        step: Callable[[], Awaitable[Any]] = functools.partial(anext, source)
        try:
            while True:
                try:
                    item = await step()
                except StopAsyncIteration:
                    break
                items.append(item)
                try:
                    step = functools.partial(source.asend, (yield item))
                except GeneratorExit:
                    await source.aclose()
                    raise
                except BaseException as error:  # as for generators
                    step = functools.partial(source.athrow, error)
        except GeneratorExit:
            call.returned(items)
            raise
        except BaseException as error:
            call.raised(error)
            raise
        call.returned(items)

    return recorded


def _own_name(tool: Callable[..., Any]) -> str:
    if isinstance(tool, functools.partial):
        return _own_name(tool.func)
    for attribute in ("__name__", "name"):
        name = getattr(tool, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(tool).__name__
