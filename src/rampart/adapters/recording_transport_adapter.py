"""What the adapters for clients of models have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.adapters.framework_adapter import FrameworkAdapter
from rampart.adapters.recording_transport_agent import ClientAgent
from rampart.adapters.recording_transport_client import ClientSource
from rampart.adapters.recording_transport_manifest import TrafficManifest
from rampart.adapters.recording_transport_session import RecordedClientSession
from rampart.core.types import ObservabilityLevel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from rampart.core.manifest import AppManifest


class RecordedClientAdapter(FrameworkAdapter):
    """Runs a loop around a client, whose requests and replies are recorded; see the adapters."""

    _sdk: ClassVar[str]
    _kinds: ClassVar[tuple[str, str]]
    _title: ClassVar[str]

    def __init__(
        self,
        agent: object,
        *,
        client: Any = None,
        tools: Sequence[Any] | None = None,
        silent_turns: bool = False,
        manifest: AppManifest | None = None,
        timeout_s: float | None = None,
        max_concurrent_sessions: int | None = None,
    ) -> None:
        self._agent = ClientAgent(agent)
        self._clients = ClientSource(client, sdk=self._sdk, kinds=self._kinds, adapter=type(self).__name__)
        self._learned = TrafficManifest(name=self._agent.name, tools=tools)
        self._silent_turns = silent_turns
        super().__init__(
            name=self._agent.name,
            framework=self._title,
            level=ObservabilityLevel.TOOL_ONLY,
            manifest=manifest,
            timeout_s=timeout_s,
            max_concurrent_sessions=max_concurrent_sessions,
        )

    async def create_session_async(self) -> RecordedClientSession:
        """A session with a client of its own."""
        return RecordedClientSession(
            agent=self._agent,
            clients=self._clients,
            manifest=self._learned,
            silent_turns=self._silent_turns,
            label=self.label,
            level=self._level,
            timeout_s=self._timeout_s,
        )

    def declared(self) -> AppManifest:
        """The tools that were stated, and those that requests have offered by now."""
        return self._learned.manifest
