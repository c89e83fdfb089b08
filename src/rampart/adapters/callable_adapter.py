"""An adapter for any agent that can be called as a Python function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_function import AgentFunction, check_factory, name_of
from rampart.adapters.callable_session import CallableSession, SessionPlan
from rampart.adapters.framework_adapter import check_level, check_manifest, check_session_cap
from rampart.adapters.observability import AdapterObservability
from rampart.adapters.recorded_manifest import RecordedManifest
from rampart.core.types import ObservabilityLevel

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.manifest import AppManifest


class CallableAdapter:
    """Makes a Python function an agent under test.

    The function is called once per turn as `function(prompt, history)`. `prompt` is a str, empty if
    the request has only attachments. `history` is a fresh list of the session's earlier messages,
    oldest first and without the prompt itself, in the form that chat APIs take:
    `[{"role": "user", "content": "..."}, {"role": "assistant", "content": "..."}, ...]`. A function
    with a parameter named `attachments` gets the payloads of the request as well, a list that may be
    empty; without it a request with attachments is refused, since they would not arrive.

    It returns a str; a dict with the keys of `Response` (`text`, and where there are any `tool_calls`,
    `side_effects`, `usage` and `metadata`); or a `Response`. Calls of tools wrapped by `record_tools`
    are added; a call that is both returned and recorded is reported once.

    An async function runs on the event loop. A sync one runs in a thread that the session has for
    itself, so any number of sessions overlap; it gets the context variables. When a sync call is
    cancelled or times out, its thread goes on in the background, and the session ends at once, unless
    it has something to release in that thread, which waits for the call (see `session_factory`).

    An exception of the function becomes an `InfrastructureError` that carries the calls recorded until
    then and has the exception as its cause. Such a session takes no further message.

    Args:
        function: The agent, `(prompt, history)`, sync or async: a function, a bound method, a partial
            or an object with `__call__`. It may be left out if there is a `session_factory`.
        session_factory: Makes what one session needs, such as a fresh agent; sync or async, called
            when a session is entered. With a `function` it is handed to it as first argument,
            `function(made, prompt, history)`, so `CallableAdapter(Agent.reply, session_factory=Agent)`
            works; without one, what it makes is the function of the session. A context manager, sync
            or async, is entered and left with the session; anything else is released by its `aclose`
            or `close`, if it has one. A sync factory runs where the function runs, or in the session's
            thread if it makes the function; make it async if it needs the event loop. A sync `close` or
            `__exit__` runs there too, so after a sync call that timed out it waits until that returns,
            or until the time limit for cleaning up is reached.
        manifest: What the application declares; by default the function's name and, unless the level is
            given as RESPONSE_ONLY, the tools wrapped by `record_tools` that the agent reaches, as
            their signatures and docstrings describe them. What sessions record is added as it becomes
            known. No tool is declared once the agent used one that was not found, since others may be
            missing too.
        observability: What is reported completely. None: TOOL_ONLY if the agent has tools wrapped by
            `record_tools` (all of its tools, it is assumed), or if a reply declares its level in
            `metadata["observability"]`, and for such replies; else RESPONSE_ONLY.
        max_concurrent_sessions: The most sessions that trials keep open at once; None for no cap.

    Raises:
        TypeError: If an argument is of a wrong type, or the function cannot be called that way.
        ValueError: If `max_concurrent_sessions` is below 1.
    """

    def __init__(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        session_factory: Callable[[], Any] | None = None,
        manifest: AppManifest | None = None,
        observability: ObservabilityLevel | None = None,
        max_concurrent_sessions: int | None = None,
    ) -> None:
        _check_options(session_factory, manifest, observability, max_concurrent_sessions)
        if function is None and session_factory is None:
            msg = "CallableAdapter needs a function (prompt, history), a session_factory, or both"
            raise TypeError(msg)
        leading = () if session_factory is None else ("made",)
        agent = None if function is None else AgentFunction(function, leading=leading)
        roots = tuple(root for root in (function, session_factory) if root is not None)
        self._observability = AdapterObservability(declared=observability, roots=roots)
        self._declared = manifest
        self._manifest = RecordedManifest(
            name=name_of(roots[0]),
            roots=roots,
            with_tools=observability is not ObservabilityLevel.RESPONSE_ONLY,
        )
        self._plan = SessionPlan(
            function=agent,
            factory=session_factory,
            factory_label=f"session_factory {name_of(session_factory)!r}",
            observability=self._observability,
            tools=self._manifest if manifest is None else None,
        )
        self._max_concurrent_sessions = max_concurrent_sessions

    async def create_session_async(self) -> CallableSession:
        """A session with a history, and with a `session_factory` an object, of its own."""
        return CallableSession(self._plan)

    @property
    def manifest(self) -> AppManifest:
        """What the application declares about itself; by default what is known by now of its tools."""
        return self._manifest.read() if self._declared is None else self._declared

    @property
    def observability_profile(self) -> ObservabilityLevel:
        """The highest level that a session may have; each session states its own, which may be lower."""
        return self._observability.level

    @property
    def max_concurrent_sessions(self) -> int | None:
        """The most sessions that trials keep open at once; None for no cap."""
        return self._max_concurrent_sessions


def _check_options(
    session_factory: object, manifest: object, observability: object, max_concurrent_sessions: object
) -> None:
    if session_factory is not None:
        check_factory(session_factory)
    check_manifest(manifest)
    check_level(observability)
    check_session_cap(max_concurrent_sessions)
