"""A session around another one, whose tool calls are seen from beside the agent."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from rampart.adapters.observability import higher
from rampart.adapters.reported_calls import joined_calls
from rampart.adapters.tool_warnings import warn_of_late_call
from rampart.core.errors import attach_partial, partial_of
from rampart.core.log import log
from rampart.core.tool_source import Observation
from rampart.core.types import ObservabilityLevel, Response
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from rampart.core.adapter import AgentAdapter, Session
    from rampart.core.tool_source import ToolSource, ToolWatch
    from rampart.core.types import Request, ToolCall

MISSING_KEY = "missing_tool_calls"
"""The key of `Response.metadata` under which stands why calls of the turn may be missing."""

_AFTER_FAILURE_S = 3.0
_AT_THE_END_S = 0.1
_SEPARATORS = ("__", ".", "/", "-", ":")


class ObservedSession:
    """A session whose responses carry what a source saw; made by `with_tools_from`.

    Args:
        source: What sees the calls.
        adapter: What makes the session that it is around; None if there is one for each session.
        make: Makes the adapter of the session out of the address at which it is watched.
        all_tools: Whether the source sees all tools of the agent.
    """

    def __init__(
        self,
        *,
        source: ToolSource,
        adapter: AgentAdapter | None,
        make: Callable[[Any], AgentAdapter] | None,
        all_tools: bool,
    ) -> None:
        self._source = source
        self._adapter = adapter
        self._make = make
        self._all_tools = all_tools
        self._session: Session | None = None
        self._entered: Session | None = None
        self._watch: ToolWatch | None = None
        self._complete = True

    def __getattr__(self, name: str) -> Any:
        """What the session has besides."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._entered, name)

    @property
    def observability_profile(self) -> ObservabilityLevel:
        """TOOL_ONLY at least, until calls may be missing; then what the session itself states."""
        own = getattr(self._entered, "observability_profile", None)
        if own is None:
            own = ObservabilityLevel.RESPONSE_ONLY
            if self._adapter is not None:
                own = self._adapter.observability_profile
        level: ObservabilityLevel = own
        return higher(level, ObservabilityLevel.TOOL_ONLY) if self._all_tools and self._complete else level

    async def __aenter__(self) -> Self:
        """Begin to watch, and open the session."""
        watch = await self._source.watch_async(own_address=self._make is not None)
        try:
            if self._make is not None:
                self._adapter = self._make(watch.address)
            adapter = self._adapter
            if adapter is None or not hasattr(adapter, "create_session_async"):
                made = type(adapter).__name__
                msg = f"the function given to with_tools_from must make an adapter, got {made}"
                raise TypeError(msg)  # noqa: TRY301  # what was begun is undone below
            session = await adapter.create_session_async()
            self._entered = await session.__aenter__()
        except BaseException:
            await watch.close_async()
            raise
        self._session, self._watch = session, watch
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> bool | None:
        """Release what the session holds, and watch no longer."""
        session, watch = self._session, self._watch
        self._watch = None
        if session is None:
            return None
        try:
            return await session.__aexit__(exc_type, exc, traceback)
        finally:
            if watch is not None:
                await self._end_async(watch, failed=exc is not None)

    async def send_async(self, request: Request, /) -> Response:
        """Send a message, and add to the reply what the source saw of the turn.

        Raises:
            InfrastructureError: If the agent failed; `partial` holds what the source saw as well.
            RuntimeError: If the session is not open.
        """
        watch, session = self._watch, self._entered
        if watch is None or session is None:
            msg = "this session is not open; use `async with session:`"
            raise RuntimeError(msg)
        try:
            with watch.turn():
                response = await session.send_async(request)
        except BaseException as error:
            await self._add_to_async(error, watch)
            raise
        try:
            seen = await watch.take_async()
        except Exception as failure:
            seen = Observation(missing=f"{self._source.label} did not say what it saw: {safe_str(failure)}")
        except BaseException as error:  # a cancellation, after the agent has replied
            self._complete = False
            attach_partial(error, response)
            raise
        return self._with(response, seen)

    async def _add_to_async(self, error: BaseException, watch: ToolWatch) -> None:
        """Let what ends the turn carry what was seen of it; a cancellation is not held up for long."""
        try:
            async with asyncio.timeout(_AFTER_FAILURE_S):
                seen = await watch.take_async()
        except Exception as failure:
            self._complete = False
            log.warning("%s did not say what it saw: %s", self._source.label, safe_str(failure))
            return
        except BaseException as again:  # cancelled while it was asked
            self._complete = False
            partial = partial_of(error)
            if partial is not None:
                attach_partial(again, partial)
            raise
        if seen.missing:
            self._complete = False
        if seen.tool_calls or seen.usage is not None:
            attach_partial(error, self._with(partial_of(error) or Response(text=""), seen))

    async def _end_async(self, watch: ToolWatch, *, failed: bool) -> None:
        try:
            if not failed:
                async with asyncio.timeout(_AT_THE_END_S):
                    late = await watch.take_async()
                for call in late.tool_calls[:1]:
                    warn_of_late_call(call.name, owner=self._source.label)
        except TimeoutError:
            log.debug("%s still waited for calls when the session ended", self._source.label)
        except Exception as failure:  # the session has given its replies
            log.warning("%s did not say what it saw at the end: %s", self._source.label, safe_str(failure))
        finally:
            await watch.close_async()

    def _with(self, response: Response, seen: Observation) -> Response:
        metadata = response.metadata
        if seen.missing:
            self._complete = False
            metadata = {**metadata, MISSING_KEY: seen.missing}
        reported = list(response.tool_calls)
        return replace(
            response,
            tool_calls=joined_calls(reported, _named_alike(reported, seen.tool_calls)),
            usage=seen.usage if response.usage is None else response.usage,
            metadata=metadata,
        )


def _named_alike(reported: list[ToolCall], recorded: list[ToolCall]) -> list[ToolCall]:
    """The recorded calls, under the agent's names for them where it puts the server's name in front."""
    free = [call for call in reported if all(call.name != other.name for other in recorded)]
    named: list[ToolCall] = []
    for call in recorded:
        alike = [one for one in free if _is_prefixed(one, call)]
        match = next((one for one in alike if one.id == call.id), alike[0] if alike else None)
        if match is not None:
            free.remove(match)
        named.append(call if match is None else replace(call, name=match.name))
    return named


def _is_prefixed(reported: ToolCall, recorded: ToolCall) -> bool:
    ends = tuple(f"{separator}{recorded.name}" for separator in _SEPARATORS)
    if not reported.name.endswith(ends):
        return False
    if reported.id is not None and reported.id == recorded.id:
        return True
    if reported.raw_arguments is not None:
        return False
    try:
        return bool(reported.arguments == recorded.arguments)
    except Exception:  # a foreign `__eq__` may raise anything
        return False
