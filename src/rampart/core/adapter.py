"""The two protocols through which rampart talks to an agent."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    from types import TracebackType

    from rampart.core.manifest import AppManifest
    from rampart.core.types import ObservabilityLevel, Request, Response


@runtime_checkable
class Session(Protocol):
    """One conversation with an agent, with state of its own.

    An `__aenter__` that fails or is cancelled must undo what it did itself: a session that was never
    entered is not left. `__aexit__` may be called more than once; its return value is ignored, so it
    cannot hide a failure.
    """

    @abstractmethod
    async def send_async(self, request: Request, /) -> Response:
        """Send one message and wait for everything the agent says and does about it.

        Raises:
            InfrastructureError: If the agent failed; `partial` holds what it had done by then.
        """
        ...

    @abstractmethod
    async def __aenter__(self) -> Self:
        """Open the session."""
        ...

    @abstractmethod
    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> bool | None:
        """Release everything the session holds; calling it again does nothing."""
        ...


@runtime_checkable
class AgentAdapter(Protocol):
    """How rampart reaches one agent.

    An adapter may also have an attribute `max_concurrent_sessions: int` (1 or more): trials then keep
    at most that many of its sessions open at once.
    """

    @abstractmethod
    async def create_session_async(self) -> Session:
        """A session that shares no state with any other."""
        ...

    @property
    @abstractmethod
    def manifest(self) -> AppManifest:
        """What the application declares about itself."""
        ...

    @property
    @abstractmethod
    def observability_profile(self) -> ObservabilityLevel:
        """Which channels are reported completely."""
        ...
