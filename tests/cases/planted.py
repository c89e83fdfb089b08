"""Injections as a user writes them, which do what a case wants them to."""

from types import TracebackType
from typing import Self

from tests.cases.own_adapter import Step, nothing_async

from rampart import Payload


class OwnHandle:
    """An injection into nothing; it counts what is done with it.

    Attributes:
        entered: How often it was entered.
        left: How often it was left.
    """

    def __init__(
        self,
        name: str = "notes",
        *,
        enter: Step = nothing_async,
        ready: Step = nothing_async,
        leave: Step = nothing_async,
        swallows: bool = False,
    ) -> None:
        self.surface_name = name
        self.payload_id: str | None = f"payload-of-{name}"
        self._enter, self._ready, self._leave = enter, ready, leave
        self._swallows = swallows
        self.entered = 0
        self.left = 0

    async def wait_until_ready_async(self) -> None:
        await self._ready()

    async def __aenter__(self) -> Self:
        self.entered += 1
        await self._enter()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> bool | None:
        self.left += 1
        await self._leave()
        return self._swallows or None


class TellingHandle(OwnHandle):
    """One that says what it planted, and whether it was read where it knows."""

    def __init__(self, text: str, *, delivered: bool | None = None, name: str = "notes") -> None:
        super().__init__(name)
        self.payload = Payload(content=text)
        self.delivered = delivered


def raising(error: BaseException) -> Step:
    """A step that fails like this."""

    async def step() -> None:
        raise error

    return step
