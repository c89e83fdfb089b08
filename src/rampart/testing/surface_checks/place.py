"""The place of a surface under test, seen through the hooks of its suite."""

from __future__ import annotations

import copy
import inspect
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

from rampart.core.injection import InjectionHandle, Surface
from rampart.testing.adapter_checks.cleanup import Leftovers
from rampart.testing.conformance_outcome import ConformanceError, fail, require
from rampart.testing.protocol_members import HANDLE, SURFACE, require_members

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from rampart.core.types import Payload

WORDS = ("marigold", "quartzite", "sandpiper")
"""What payloads say; unlikely in a place where none is planted."""


class Hooks(Protocol):
    """What a suite knows of the place; each may be async, but for the last."""

    def payload(self, *, word: str) -> Any:
        """A payload that says the word."""

    def snapshot(self) -> Any:
        """The whole place, in a form that can be compared."""

    def read(self) -> Any:
        """What an agent would read there."""

    def open_resources(self) -> int | None:
        """How much is held open."""


class Place:
    """A surface and its place.

    Args:
        surface: The surface under test.
        hooks: The suite.
    """

    def __init__(self, surface: Surface, hooks: Hooks) -> None:
        self.surface = surface
        self._hooks = hooks

    async def payload_async(self, word: str = WORDS[0]) -> Payload:
        """A payload that says `word`."""
        payload: Payload = await settled(self._hooks.payload(word=word))
        return payload

    async def handle_async(self, word: str = WORDS[0]) -> InjectionHandle:
        """A handle that has not been entered, of a payload that says `word`."""
        return self.inject(await self.payload_async(word))

    def inject(self, payload: Payload) -> InjectionHandle:
        """A handle of `payload` that has not been entered."""
        self.require_inject()
        handle = self.surface.inject(payload=payload)
        self.require_handle(handle)
        return handle

    def require_inject(self) -> None:
        """The surface has what every surface needs."""
        require_members(self.surface, Surface, SURFACE)

    def require_handle(self, handle: object) -> None:
        """What `inject` gave is a handle."""
        if inspect.iscoroutine(handle):
            handle.close()
            name = type(self.surface).__name__
            fail(f"{name}.inject must not be async: it only prepares, and gives the handle at once")
        require_members(handle, InjectionHandle, HANDLE)

    async def snapshot_async(self) -> Any:
        """The place as it is now; later changes do not change what is returned."""
        return copy.deepcopy(await settled(self._hooks.snapshot()))

    async def reads_async(self, word: str) -> bool:
        """Whether an agent would read `word` there now."""
        text = await settled(self._hooks.read())
        if isinstance(text, bytes | bytearray):
            text = text.decode(errors="replace")
        if not isinstance(text, str):
            fail(f"read() must give the text or bytes that an agent would read, got {type(text).__name__}")
        return word in text.lower()

    async def require_read_async(self, word: str, when: str) -> None:
        """An agent would read `word` there now."""
        require(
            await self.reads_async(word),
            f"{when}, read() does not show the payload about {word!r}: it was not planted where agents "
            "read, or read() looks elsewhere",
        )

    async def as_it_is_async(self) -> Before:
        """What has to be there again later."""
        return Before(
            self, await self.snapshot_async(), Leftovers(self._hooks.open_resources, who="a handle")
        )


class Before:
    """A place before something was done to it.

    Args:
        place: The place.
        snapshot: What it was.
        leftovers: What was open.
    """

    def __init__(self, place: Place, snapshot: Any, leftovers: Leftovers) -> None:
        self._place = place
        self.snapshot = snapshot
        self._leftovers = leftovers

    async def require_again_async(self, when: str) -> None:
        """The place is as it was, and nothing is left open."""
        now = await self._place.snapshot_async()
        require(
            now == self.snapshot,
            f"{when}, the place is not as it was before. It was {_shown(self.snapshot)}, and is "
            f"{_shown(now)}; put back every byte in __aexit__",
        )
        await self._leftovers.require_none_async(when)


@asynccontextmanager
async def planted(handle: InjectionHandle) -> AsyncIterator[InjectionHandle]:
    """Enter a handle and leave it; what a check finds inside is not hidden by an exit that fails too."""
    await handle.__aenter__()
    try:
        yield handle
    except ConformanceError:
        with suppress(Exception):
            await handle.__aexit__(None, None, None)
        raise
    except BaseException as error:
        await handle.__aexit__(type(error), error, error.__traceback__)
        raise
    await handle.__aexit__(None, None, None)


async def settled(value: Any) -> Any:
    """What a hook gave, awaited if it is async."""
    return await value if inspect.isawaitable(value) else value


def _shown(snapshot: Any) -> str:
    text = repr(snapshot)
    return text if len(text) <= 300 else text[:300] + "..."
