"""An agent that says what a test tells it to."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from rampart.core.manifest import AppManifest
from rampart.core.types import ObservabilityLevel, Request, Response, Turn
from rampart.testing.script import Hang, Script, ScriptExhaustedError, ScriptReader, is_error, perform_async

if TYPE_CHECKING:
    from types import TracebackType

AgentItem: TypeAlias = (
    str | Response | BaseException | type[BaseException] | Callable[[Request, list[Turn]], Any] | Hang
)
"""One scripted reply: text, a response, an exception to raise, `HANG`, or a function `(request, history)`."""

_REMEDY = "add items, or pass repeat_last=True or per_session=True"


class ScriptedAgent:
    """An adapter whose agent follows a script: one item a reply.

    An item is a text, a `Response` (each reply is a fresh copy), an exception or exception class, which
    is raised, `HANG`, or a sync or async function `(request, history)`, whose return value is handed
    on as it is, whatever it is; `history` holds the session's earlier turns.

    The script is shared: sessions continue where the ones before stopped. A session gets its first item
    assigned when it is entered, so among concurrent sessions of one turn each the k-th to open gets the
    k-th item. A script of lists gives one list to each session instead, in the order of opening.

    Args:
        script: The items, or one list of items per session.
        level: The observability that the adapter declares.
        manifest: What the application declares; a manifest without tools by default.
        max_concurrent_sessions: The cap that the adapter declares; None declares none.
        per_session: Whether each session starts the script from its beginning.
        repeat_last: Whether the last item is repeated for ever instead of running out.
        on_open: Called when a session is entered, before it counts as opened; may be async, may raise.
        on_close: Called when a session is left for the first time, after it counts as closed; likewise.

    Attributes:
        opened: Sessions entered so far.
        closed: Sessions left so far.
        requests: All requests so far, in the order in which they came.

    Raises:
        TypeError: If the script or one of its items is of a wrong type.
    """

    def __init__(
        self,
        script: Sequence[AgentItem | Sequence[AgentItem]],
        /,
        *,
        level: ObservabilityLevel = ObservabilityLevel.TOOL_AND_SIDE_EFFECTS,
        manifest: AppManifest | None = None,
        max_concurrent_sessions: int | None = None,
        per_session: bool = False,
        repeat_last: bool = False,
        on_open: Callable[[], Awaitable[object] | object] | None = None,
        on_close: Callable[[], Awaitable[object] | object] | None = None,
    ) -> None:
        if not isinstance(level, ObservabilityLevel):
            msg = f"level must be an ObservabilityLevel, got {type(level).__name__}"
            raise TypeError(msg)
        self._level = level
        self._manifest = AppManifest(name="scripted agent") if manifest is None else manifest
        self.max_concurrent_sessions = max_concurrent_sessions
        self._scripts = _Scripts(script, per_session=per_session, repeat_last=repeat_last)
        self._on_open = on_open
        self._on_close = on_close
        self.opened = 0
        self.closed = 0
        self.requests: list[Request] = []

    @property
    def prompts(self) -> list[str | None]:
        """The prompts of all requests so far; None for a request that has only attachments."""
        return [request.prompt for request in self.requests]

    @property
    def manifest(self) -> AppManifest:
        """What the application declares about itself."""
        return self._manifest

    @property
    def observability_profile(self) -> ObservabilityLevel:
        """The level that was asked for."""
        return self._level

    async def create_session_async(self) -> ScriptedSession:
        """A session with a history of its own."""
        return ScriptedSession(self)

    async def opening_async(self) -> ScriptReader[AgentItem]:
        """Count a session as opened and give it its part of the script; called by the session."""
        await _call_async(self._on_open)
        self.opened += 1
        return self._scripts.reader()

    async def closing_async(self) -> None:
        """Count a session as closed; called by the session."""
        self.closed += 1
        await _call_async(self._on_close)

    def exhausted(self, request: Request, /) -> ScriptExhaustedError:
        """The error of a request for which the script has nothing left; called by the session."""
        asked = f"prompt {request.prompt!r} (request {len(self.requests)})"
        return ScriptExhaustedError("ScriptedAgent", asked=asked, length=self._scripts.length, remedy=_REMEDY)


class ScriptedSession:
    """One conversation with a `ScriptedAgent`."""

    def __init__(self, agent: ScriptedAgent) -> None:
        self._agent = agent
        self._reader: ScriptReader[AgentItem] | None = None
        self._left = False
        self._exchanges: list[tuple[Request, Response]] = []

    async def __aenter__(self) -> Self:
        """Take a place in the script."""
        self._reader = await self._agent.opening_async()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        """Close the session; calling it again does nothing."""
        if self._reader is None or self._left:
            return
        self._left = True
        self._reader.close()
        await self._agent.closing_async()

    async def send_async(self, request: Request, /) -> Response:
        """Answer with the next item of the script.

        Raises:
            RuntimeError: If the session is not open.
            ScriptExhaustedError: If the script has no item left.
        """
        if self._reader is None or self._left:
            msg = "this ScriptedAgent session is not open; send inside `async with session:`"
            raise RuntimeError(msg)
        agent = self._agent
        agent.requests.append(request)
        item = self._reader.read()
        if item is None:
            raise agent.exhausted(request)
        response = await self._answer_async(item, request)
        if isinstance(response, Response):
            self._exchanges.append((request, response))
        return response

    async def _answer_async(self, item: AgentItem, request: Request) -> Response:
        if isinstance(item, str):
            return Response(text=item)
        if isinstance(item, Response):
            return _fresh(item)
        history = [
            Turn(request=asked, response=answered, turn_number=number)
            for number, (asked, answered) in enumerate(self._exchanges)
        ]
        answer = await perform_async(item, request, history)
        if isinstance(answer, str):
            return Response(text=answer)
        # Anything else goes through as it is: fakes of broken adapters are made that way.
        handed_on: Response = answer
        return handed_on


def _fresh(response: Response) -> Response:
    """A copy, so that no two turns share an object when an item is used again."""
    return replace(
        response,
        tool_calls=[replace(call, arguments=dict(call.arguments)) for call in response.tool_calls],
        side_effects=[replace(effect, details=dict(effect.details)) for effect in response.side_effects],
        metadata=dict(response.metadata),
    )


async def _call_async(hook: Callable[[], Awaitable[object] | object] | None) -> None:
    if hook is not None:
        answer = hook()
        if inspect.isawaitable(answer):
            await answer


class _Scripts:
    """Which script a session reads."""

    def __init__(self, script: object, *, per_session: bool, repeat_last: bool) -> None:
        if isinstance(script, str) or not isinstance(script, Sequence):
            msg = f"script must be a list of replies, got {type(script).__name__}"
            raise TypeError(msg)
        self._repeat_last = repeat_last
        self._lists: list[list[AgentItem]] | None = None
        if script and all(isinstance(part, list | tuple) for part in script):
            if per_session:
                msg = (
                    "per_session=True needs a plain list of replies; a script of lists is per session already"
                )
                raise TypeError(msg)
            self._lists = [_checked(part, place=f"script[{place}]") for place, part in enumerate(script)]
            self._items: list[AgentItem] = []
        else:
            self._items = _checked(script, place="script")
        self.length = sum(map(len, self._lists)) if self._lists is not None else len(self._items)
        self._shared = None if per_session else Script(self._items, repeat_last=repeat_last)
        self._opened = 0

    def reader(self) -> ScriptReader[AgentItem]:
        """The part of the next session to open."""
        self._opened += 1
        if self._lists is not None:
            items = self._lists[self._opened - 1] if self._opened <= len(self._lists) else []
            return ScriptReader(Script(items, repeat_last=self._repeat_last))
        if self._shared is None:
            return ScriptReader(Script(self._items, repeat_last=self._repeat_last))
        return ScriptReader(self._shared)


def _checked(items: Sequence[Any], *, place: str) -> list[AgentItem]:
    for index, item in enumerate(items):
        if not (isinstance(item, str | Response | Hang) or is_error(item) or callable(item)):
            msg = (
                f"{place}[{index}] must be a str, a Response, an exception, HANG or a function "
                f"(request, history), got {type(item).__name__}"
            )
            raise TypeError(msg)
    return list(items)
