"""An adapter around another one, whose tool calls are seen from beside the agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_function import name_of
from rampart.adapters.framework_adapter import check_manifest
from rampart.adapters.observability import higher
from rampart.adapters.observed_session import ObservedSession
from rampart.core.manifest import AppManifest
from rampart.core.tool_source import ToolSource
from rampart.core.types import ObservabilityLevel

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.adapter import AgentAdapter


def with_tools_from(
    adapter: AgentAdapter | Callable[[Any], AgentAdapter],
    source: ToolSource,
    /,
    *,
    all_tools: bool = True,
    manifest: AppManifest | None = None,
) -> ObservedAdapter:
    """Let an adapter's responses carry the tool calls that a source sees from beside the agent.

    Sources are an `McpProxy`, an `OtelCollector`, and whatever else has the methods of
    `rampart.core.tool_source.ToolSource`. A call that the adapter reports too is one call, and a name with
    a prefix, such as `mcp__notes__read`, is the same tool.

    Args:
        adapter: Any adapter; or a function that makes one for a session out of the address at which the
            source watches that session, so that sessions can be open at the same time:
            `lambda route: CallableAdapter(agent_at(route.url))`. What the address is, the source says; a
            route of an `McpProxy` has `url` and `command`.
        source: What sees the calls; it has to be open for as long as sessions are.
        all_tools: Whether all tools of the agent are seen by the source, so that sessions are TOOL_ONLY.
            False keeps the level of the adapter.
        manifest: What the application declares; None leaves it to the adapter, or to nothing where there is
            one for each session.

    Returns:
        An adapter to use in its place. Trials keep one session open at a time where the source cannot tell
        sessions apart that share an address.

    Raises:
        TypeError: If `source` is none, or `adapter` is neither an adapter nor a function.
    """
    if not isinstance(source, ToolSource):
        msg = (
            f"with_tools_from takes a source of tool calls, such as an McpProxy or an OtelCollector, got "
            f"{type(source).__name__}"
        )
        raise TypeError(msg)
    if not hasattr(adapter, "create_session_async") and not callable(adapter):
        msg = (
            f"with_tools_from takes an adapter, or a function (address) that makes one, got "
            f"{type(adapter).__name__}; rampart.adapters.connect makes an adapter of most agents"
        )
        raise TypeError(msg)
    check_manifest(manifest)
    return ObservedAdapter(adapter, source, all_tools=all_tools, manifest=manifest)


class ObservedAdapter:
    """See `with_tools_from`."""

    def __init__(
        self, adapter: Any, source: ToolSource, *, all_tools: bool, manifest: AppManifest | None
    ) -> None:
        self._adapter = adapter if hasattr(adapter, "create_session_async") else None
        self._make = None if self._adapter is not None else adapter
        self._source = source
        self._all_tools = all_tools
        self._manifest = manifest

    def __getattr__(self, name: str) -> Any:
        """What the adapter has besides."""
        if name.startswith("_") or self._adapter is None:
            raise AttributeError(name)
        return getattr(self._adapter, name)

    async def create_session_async(self) -> ObservedSession:
        """A session of the adapter that is watched."""
        return ObservedSession(
            source=self._source, adapter=self._adapter, make=self._make, all_tools=self._all_tools
        )

    @property
    def manifest(self) -> AppManifest:
        """What the application declares about itself."""
        if self._manifest is not None:
            return self._manifest
        if self._adapter is None:
            return AppManifest(name=name_of(self._make))
        declared: AppManifest = self._adapter.manifest
        return declared

    @property
    def observability_profile(self) -> ObservabilityLevel:
        """The level that sessions begin with."""
        own = ObservabilityLevel.RESPONSE_ONLY
        if self._adapter is not None:
            own = self._adapter.observability_profile
        return higher(own, ObservabilityLevel.TOOL_ONLY) if self._all_tools else own

    @property
    def max_concurrent_sessions(self) -> int | None:
        """The adapter's cap, and 1 where the source could not tell sessions apart."""
        if self._make is None and not self._source.tells_sessions_apart:
            return 1
        cap: int | None = getattr(self._adapter, "max_concurrent_sessions", None)
        return cap
