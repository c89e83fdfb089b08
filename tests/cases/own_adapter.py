"""An adapter as a user writes one, whose sessions do what a case wants them to."""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self, TypeAlias

from rampart import (
    AppManifest,
    ExecutionEvent,
    ExecutionEventData,
    ExecutionEventHandler,
    ObservabilityLevel,
    Request,
    Response,
)

Step: TypeAlias = Callable[[], Awaitable[object]]


async def hang_async() -> None:
    """Wait for ever."""
    await asyncio.Event().wait()


async def nothing_async() -> None:
    """Do nothing."""


class OwnAdapter:
    """Sessions that answer with these items, errors being raised and functions awaited, in order.

    Attributes:
        entered: Sessions that were entered to the end.
        left: Sessions that were left to the end.
        prompts: What was sent.
        asked: Set once something was sent.
    """

    manifest = AppManifest(name="own")
    observability_profile = ObservabilityLevel.TOOL_AND_SIDE_EFFECTS

    def __init__(
        self,
        *items: str | BaseException | Step,
        enter: Step = nothing_async,
        leave: Step = nothing_async,
        swallows: bool = False,
    ) -> None:
        self.items = items
        self.enter = enter
        self.leave = leave
        self.swallows = swallows
        self.entered = 0
        self.left = 0
        self.prompts: list[str | None] = []
        self.asked = asyncio.Event()

    async def create_session_async(self) -> "OwnSession":
        return OwnSession(self)


class OwnSession:
    """One conversation with an `OwnAdapter`."""

    def __init__(self, adapter: OwnAdapter) -> None:
        self._adapter = adapter
        self._items = list(adapter.items)
        self._left = False

    async def __aenter__(self) -> Self:
        await self._adapter.enter()
        self._adapter.entered += 1
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> bool | None:
        if not self._left:
            self._left = True
            await self._adapter.leave()
            self._adapter.left += 1
        return self._adapter.swallows or None

    async def send_async(self, request: Request, /) -> Response:
        self._adapter.prompts.append(request.prompt)
        self._adapter.asked.set()
        item = self._items.pop(0)
        if isinstance(item, BaseException):
            raise item
        if not isinstance(item, str):
            await item()
            return Response(text="came back")
        return Response(text=item)


class Events(ExecutionEventHandler):
    """Remembers what an execution told about itself."""

    def __init__(self) -> None:
        self.heard: list[ExecutionEventData] = []

    async def on_event_async(self, *, event_data: ExecutionEventData) -> None:
        self.heard.append(event_data)

    @property
    def kinds(self) -> list[str]:
        """What happened, in order."""
        return [data.event.value for data in self.heard]

    def count(self, event: ExecutionEvent) -> int:
        """How often this happened."""
        return self.kinds.count(event.value)
