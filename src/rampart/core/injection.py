"""Places where hostile content is planted, and the handle of one planting."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    from types import TracebackType

    from rampart.core.types import Payload


@runtime_checkable
class InjectionHandle(Protocol):
    """One payload in one place: entering plants it, leaving removes it.

    Optional attributes, read where present: `isolation_key: str` (handles with the same key never
    overlap), `payload: Payload` (what was planted), `delivered: bool | None` (whether the place itself
    knows that the payload was read; asked once, after the trace), and the method
    `with_payload(payload) -> InjectionHandle` (a fresh handle for another payload in the same place).
    """

    @property
    @abstractmethod
    def payload_id(self) -> str | None:
        """The id of what is planted, if it has one."""
        ...

    @property
    @abstractmethod
    def surface_name(self) -> str:
        """The place, as reports name it."""
        ...

    @abstractmethod
    async def wait_until_ready_async(self) -> None:
        """Wait until the agent would find what was planted."""
        ...

    @abstractmethod
    async def __aenter__(self) -> Self:
        """Plant the payload."""
        ...

    @abstractmethod
    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> bool | None:
        """Remove the payload; calling it again does nothing.

        Raises:
            InfrastructureError: If the payload could not be removed.
        """
        ...


@runtime_checkable
class Surface(Protocol):
    """A place from which the agent reads."""

    @abstractmethod
    def inject(self, *, payload: Payload) -> InjectionHandle:
        """Prepare to plant `payload`; nothing is touched before the handle is entered."""
        ...


async def sleep_until_ready_async(delay: float) -> None:
    """Wait `delay` seconds, for places whose readers cannot be asked whether they are ready."""
    import asyncio  # noqa: PLC0415  # as costly as all of the core, which is imported everywhere

    await asyncio.sleep(delay)
