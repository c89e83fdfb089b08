"""Agents of Google's Agent Development Kit (ADK)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rampart.adapters.adk_session import AdkSession
from rampart.adapters.adk_tools import declared_tools
from rampart.adapters.agent_source import AgentSource
from rampart.adapters.framework_adapter import FrameworkAdapter
from rampart.core.manifest import AppManifest
from rampart.core.types import ObservabilityLevel

if TYPE_CHECKING:
    from collections.abc import Callable

_EXPECTED = "an ADK agent, App or Runner"


class AdkAdapter(FrameworkAdapter):
    """Runs an ADK agent, each session a session of ADK of its own, and watches it by a plugin and its events.

    Args:
        agent: An agent, an `App` or a `Runner`, or a function without parameters, sync or async, that makes
            one for each session. Of an agent or an App, sessions share the object and nothing else: each has
            services in memory of its own. A Runner's services are used as they are, so that what the agent
            keeps there under `app:` or in a memory is shared.
        manifest: What the application declares; by default the tools of the agent and of its sub-agents.
        timeout_s: Seconds that one message may take; None for no limit of the adapter's own.
        max_concurrent_sessions: The most sessions that trials keep open at once; None for no cap.
        user_id: The user that all sessions are of; by default each session has a new one, since ADK shares
            state under `user:` and memories between the sessions of one user.
        state: The state that each session begins with; copied for each.
        run_config: A `RunConfig` for every message; None for ADK's own default.

    Raises:
        TypeError: If `agent` is none of these, or an option is of a wrong type.
        ValueError: If a number is out of range, or `user_id` is empty.
    """

    def __init__(
        self,
        agent: Any | Callable[[], Any],
        *,
        manifest: AppManifest | None = None,
        timeout_s: float | None = None,
        max_concurrent_sessions: int | None = None,
        user_id: str | None = None,
        state: Mapping[str, Any] | None = None,
        run_config: Any = None,
    ) -> None:
        _check_options(user_id, state)
        self._source = AgentSource(agent, is_agent=is_agent, expected=_EXPECTED)
        self._options = {"user_id": user_id, "state": state, "run_config": run_config}
        root = _root(self._source.agent)
        super().__init__(
            name=self._source.name if root is None else str(root.name),
            framework="ADK",
            level=ObservabilityLevel.TOOL_ONLY,
            manifest=manifest,
            timeout_s=timeout_s,
            max_concurrent_sessions=max_concurrent_sessions,
        )

    async def create_session_async(self) -> AdkSession:
        """A session with a session of ADK of its own, made when it is entered."""
        return AdkSession(
            source=self._source,
            label=self.label,
            level=self._level,
            timeout_s=self._timeout_s,
            **self._options,
        )

    def declared(self) -> AppManifest:
        """The tools of the agent and its sub-agents; none of those that a toolset or a function makes."""
        root = _root(self._source.agent)
        return AppManifest(name=self._name, tools=[] if root is None else declared_tools(root))


def is_agent(value: object) -> bool:
    """Whether it is an agent, an App or a Runner of ADK."""
    return any(
        kind.__name__ in {"BaseAgent", "BaseNode", "App", "Runner"}
        and kind.__module__.startswith("google.adk.")
        for kind in type(value).__mro__
    )


def _root(given: Any) -> Any:
    """The agent itself, out of what was given."""
    if given is None:
        return None
    return getattr(given, "root_agent", None) if _is_app(given) else getattr(given, "agent", None) or given


def _is_app(given: object) -> bool:
    return any(kind.__name__ == "App" for kind in type(given).__mro__)


def _check_options(user_id: object, state: object) -> None:
    if user_id is not None and not isinstance(user_id, str):
        msg = f"user_id must be a string or None, got {type(user_id).__name__}"
        raise TypeError(msg)
    if user_id == "":
        msg = "user_id must not be empty; leave it out for a new user in each session"
        raise ValueError(msg)
    if state is not None and not isinstance(state, Mapping):
        msg = f"state must be a mapping or None, got {type(state).__name__}"
        raise TypeError(msg)
