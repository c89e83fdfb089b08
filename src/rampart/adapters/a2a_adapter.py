"""Agents that speak the Agent2Agent (A2A) protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.adapters.a2a_session import A2ASession
from rampart.adapters.agent_source import AgentSource
from rampart.adapters.framework_adapter import FrameworkAdapter
from rampart.core.types import ObservabilityLevel
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.manifest import AppManifest

_EXPECTED = "the URL of an A2A agent, an AgentCard or an A2A client"


class A2AAdapter(FrameworkAdapter):
    """Sends messages to an A2A agent, each session in a context of its own.

    The protocol carries no tool calls, so that sessions are `RESPONSE_ONLY`, unless the agent puts its calls
    into data parts and `tool_calls` says how.

    Args:
        agent: The base URL of the agent, its `AgentCard`, a client of the SDK, or a function without
            parameters, sync or async, that makes one of these for each session. A client that is given is
            shared and stays open; those of the adapter and of a function are closed with their session.
        manifest: What the application declares; by default no tools, since a card tells of none.
        timeout_s: Seconds that one message may take; None for no limit of the adapter's own.
        max_concurrent_sessions: The most sessions that trials keep open at once; None for no cap.
        tool_calls: The key of data parts under which the agent reports a call, or a list of calls, with the
            keys of `ToolCall`; or a function that takes the data of a part and returns that, or None where
            the part holds none. A later report with the same id and name completes an earlier one. The
            agent has to report all of its calls so: the level is `TOOL_ONLY` then.
        http_client: The `httpx.AsyncClient` to reach a URL or a card with, which stays open; by default each
            session has its own.
        poll_s: Seconds between questions about a task that the agent works on after its answer.

    Raises:
        TypeError: If `agent` is none of these, or an option is of a wrong type.
        ValueError: If a number is out of range, a URL is not one of HTTP, or the key is empty.
    """

    def __init__(
        self,
        agent: Any | Callable[[], Any],
        *,
        manifest: AppManifest | None = None,
        timeout_s: float | None = None,
        max_concurrent_sessions: int | None = None,
        tool_calls: str | Callable[[Any], Any] | None = None,
        http_client: Any = None,
        poll_s: float = 0.5,
    ) -> None:
        _check_options(agent, tool_calls, poll_s)
        self._source = AgentSource(agent, is_agent=is_agent, expected=_EXPECTED)
        self._tool_calls = tool_calls
        self._http_client = http_client
        self._poll_s = poll_s
        shown = tool_calls is not None
        super().__init__(
            name=safe_str(agent) if isinstance(agent, str) else self._source.name,
            framework="A2A",
            level=ObservabilityLevel.TOOL_ONLY if shown else ObservabilityLevel.RESPONSE_ONLY,
            manifest=manifest,
            timeout_s=timeout_s,
            max_concurrent_sessions=max_concurrent_sessions,
        )

    async def create_session_async(self) -> A2ASession:
        """A session with a context of its own."""
        return A2ASession(
            source=self._source,
            tool_calls=self._tool_calls,
            http_client=self._http_client,
            poll_s=self._poll_s,
            label=self.label,
            level=self._level,
            timeout_s=self._timeout_s,
        )


def is_agent(value: object) -> bool:
    """Whether it is a URL, a card or a client of the A2A SDK."""
    return isinstance(value, str) or any(
        kind.__name__ in {"AgentCard", "Client"} and kind.__module__.partition(".")[0] in {"a2a", "a2a_pb2"}
        for kind in type(value).__mro__
    )


def _check_options(agent: object, tool_calls: object, poll_s: object) -> None:
    if isinstance(agent, str) and not agent.startswith(("http://", "https://")):
        msg = f"the URL of an A2A agent begins with http:// or https://, got {agent!r}"
        raise ValueError(msg)
    if tool_calls is not None and not isinstance(tool_calls, str) and not callable(tool_calls):
        msg = f"tool_calls must be a key of data parts, a function or None, got {type(tool_calls).__name__}"
        raise TypeError(msg)
    if tool_calls == "":
        msg = "tool_calls must not be an empty key"
        raise ValueError(msg)
    if isinstance(poll_s, bool) or not isinstance(poll_s, int | float):
        msg = f"poll_s must be a number of seconds, got {type(poll_s).__name__}"
        raise TypeError(msg)
    if not poll_s > 0:
        msg = f"poll_s must be above 0, got {poll_s:g}"
        raise ValueError(msg)
