"""An adapter around another one, whose traces show what became of the state of the environment."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from rampart.adapters.state_session import StateSession

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.adapter import AgentAdapter
    from rampart.core.manifest import AppManifest
    from rampart.core.types import ObservabilityLevel


def with_state(adapter: AgentAdapter, /, **sources: Callable[..., Any]) -> StateAdapter:
    """Take snapshots of state when a session of an adapter opens and after each of its turns.

    They stand in the metadata of the replies, where `StateChanged`, `StateUnchanged` and `StateEquals` find
    them. A snapshot that fails is noted there with the reason, and the evaluators are undetermined.

    Args:
        adapter: Any adapter.
        **sources: For each name what gives the state: `FilesState`, `SqlState`, or a function, plain or
            async, that returns JSON. A function with a parameter gets the session of the adapter. Plain
            functions run on the event loop.

    Returns:
        An adapter to use in its place. If one of the sources is shared by all sessions (a function without a
        parameter, a folder, a database), trials keep one session open at a time: another one's changes
        would be taken for those of this one.

    Raises:
        TypeError: If a source cannot be called, or there is none.
    """
    if not sources:
        msg = "with_state got no source; name one: with_state(adapter, orders=lambda: shop.orders)"
        raise TypeError(msg)
    for name, source in sources.items():
        if not callable(source):
            msg = f"the source {name} is {type(source).__name__}, expected a function that returns the state"
            raise TypeError(msg)
    return StateAdapter(adapter, sources)


class StateAdapter:
    """See `with_state`."""

    def __init__(self, adapter: AgentAdapter, sources: dict[str, Callable[..., Any]]) -> None:
        self._adapter = adapter
        taking = {name: _takes_session(source) for name, source in sources.items()}
        self._sources = {
            name: source if taking[name] else _without_session(source) for name, source in sources.items()
        }
        if any(getattr(source, "shared", not taking[name]) for name, source in sources.items()):
            self.max_concurrent_sessions = 1

    def __getattr__(self, name: str) -> Any:
        """What the adapter has besides."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._adapter, name)

    async def create_session_async(self) -> StateSession:
        """A session of the adapter that takes snapshots."""
        return StateSession(await self._adapter.create_session_async(), self._sources)

    @property
    def manifest(self) -> AppManifest:
        """What the application declares about itself."""
        return self._adapter.manifest

    @property
    def observability_profile(self) -> ObservabilityLevel:
        """Which channels are reported completely."""
        return self._adapter.observability_profile


def _takes_session(source: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(source).parameters.values()
    except (TypeError, ValueError):  # a function of C that does not say
        return False
    positional = {
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.VAR_POSITIONAL,
    }
    return any(one.kind in positional and one.default is inspect.Parameter.empty for one in parameters)


def _without_session(source: Callable[..., Any]) -> Callable[[Any], Any]:
    def ask(session: object) -> Any:
        del session
        return source()

    return ask
