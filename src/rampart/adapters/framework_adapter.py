"""What adapters for frameworks have in common: what they declare, and the agent they open sessions with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_function import name_of
from rampart.core.manifest import AppManifest
from rampart.core.types import ObservabilityLevel
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from rampart.adapters.agent_session import AgentSession


class FrameworkAdapter(ABC):
    """An adapter whose sessions are `AgentSession`s.

    Args:
        name: The application's name, for the manifest and for messages.
        framework: The framework as messages name it, such as `LangGraph`.
        level: What sessions report completely.
        manifest: What the application declares; None leaves it to `declared()`.
        timeout_s: Seconds that one message may take; None for no limit of the adapter's own.
        max_concurrent_sessions: The most sessions that trials keep open at once; None for no cap.

    Raises:
        TypeError: If an option is of a wrong type.
        ValueError: If a number is out of range.
    """

    def __init__(
        self,
        *,
        name: str,
        framework: str,
        level: ObservabilityLevel,
        manifest: AppManifest | None = None,
        timeout_s: float | None = None,
        max_concurrent_sessions: int | None = None,
    ) -> None:
        check_manifest(manifest)
        check_timeout(timeout_s)
        check_session_cap(max_concurrent_sessions)
        self._name = name
        self._framework = framework
        self._level = level
        self._given_manifest = manifest
        self._own_manifest: AppManifest | None = None
        self._timeout_s = timeout_s
        self._max_concurrent_sessions = max_concurrent_sessions

    @property
    def label(self) -> str:
        """The agent as messages name it."""
        return f"the {self._framework} agent {self._name!r}"

    @abstractmethod
    async def create_session_async(self) -> AgentSession:
        """A session that shares no state with any other."""

    def declared(self) -> AppManifest:
        """What the agent object says of itself; asked once, when the manifest is read first."""
        return AppManifest(name=self._name)

    @property
    def manifest(self) -> AppManifest:
        """What the application declares about itself; by default what the agent object says."""
        if self._given_manifest is not None:
            return self._given_manifest
        if self._own_manifest is None:
            self._own_manifest = self.declared()
        return self._own_manifest

    @property
    def observability_profile(self) -> ObservabilityLevel:
        """What sessions report completely; each states its own level, which may be lower."""
        return self._level

    @property
    def max_concurrent_sessions(self) -> int | None:
        """The most sessions that trials keep open at once; None for no cap."""
        return self._max_concurrent_sessions


def agent_name(agent: object) -> str:
    """A name for an agent: its own `name`, or what it is."""
    name: Any = getattr(agent, "name", None)
    return safe_str(name) if isinstance(name, str) and name.strip() else name_of(agent)


def check_manifest(manifest: object) -> None:
    """Refuse what is no manifest.

    Raises:
        TypeError: If it is neither an AppManifest nor None.
    """
    if manifest is not None and not isinstance(manifest, AppManifest):
        msg = f"manifest must be an AppManifest or None, got {type(manifest).__name__}"
        raise TypeError(msg)


def check_level(observability: object) -> None:
    """Refuse what is no level.

    Raises:
        TypeError: If it is neither an ObservabilityLevel nor None.
    """
    if observability is not None and not isinstance(observability, ObservabilityLevel):
        kind = type(observability).__name__
        msg = f"observability must be an ObservabilityLevel or None, got {kind} {observability!r}"
        raise TypeError(msg)


def check_timeout(timeout_s: object) -> None:
    """Refuse a limit that is none.

    Raises:
        TypeError: If it is neither a number nor None.
        ValueError: If it is not above 0.
    """
    if timeout_s is None:
        return
    if isinstance(timeout_s, bool) or not isinstance(timeout_s, int | float):
        msg = f"timeout_s must be a number of seconds or None, got {type(timeout_s).__name__} {timeout_s!r}"
        raise TypeError(msg)
    if not timeout_s > 0:
        msg = f"timeout_s must be above 0, got {timeout_s:g}"
        raise ValueError(msg)


def check_session_cap(max_concurrent_sessions: object) -> None:
    """Refuse a cap that is none.

    Raises:
        TypeError: If it is neither an int nor None.
        ValueError: If it is below 1.
    """
    if max_concurrent_sessions is None:
        return
    if isinstance(max_concurrent_sessions, bool) or not isinstance(max_concurrent_sessions, int):
        kind = type(max_concurrent_sessions).__name__
        msg = f"max_concurrent_sessions must be an int or None, got {kind} {max_concurrent_sessions!r}"
        raise TypeError(msg)
    if max_concurrent_sessions < 1:
        msg = f"max_concurrent_sessions must be 1 or more, got {max_concurrent_sessions}"
        raise ValueError(msg)
