"""The client of a session: the user's own, but for what it sends its requests through."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_function import check_factory, name_of
from rampart.adapters.framework_library import library
from rampart.adapters.recording_transport import recording_client
from rampart.core.errors import ConfigurationError
from rampart.text.secrets import register_secret

if TYPE_CHECKING:
    from rampart.servers.llm_wire.traffic import LlmTraffic

_BASES = {"SyncAPIClient": False, "AsyncAPIClient": True}
_SHORTEST_KEY = 20  # shorter ones are what local servers are given, such as "not-needed"


class ClientSource:
    """Gives each session a client that records.

    Args:
        given: A client of the SDK, whose settings all sessions share; a function without parameters, sync or
            async, that makes one for each; None for what the SDK makes of the environment.
        sdk: The package, such as `openai`.
        kinds: Its client classes, the sync one and the async one.
        adapter: The adapter's name, for messages.

    Raises:
        TypeError: If it is none of these.
    """

    def __init__(self, given: object, *, sdk: str, kinds: tuple[str, str], adapter: str) -> None:
        self._given: Any = given
        self._sdk = sdk
        self._kinds = kinds
        self._adapter = adapter
        if given is None or is_client(given, sdk):
            return
        expected = (
            f"client must be a client of the {sdk} package, such as {kinds[1]}(), or a function without "
            f"parameters that makes one"
        )
        if inspect.isclass(given) or not callable(given):
            what = f"the class {given.__name__}" if inspect.isclass(given) else f"a {type(given).__name__}"
            msg = f"{expected}, got {what}"
            raise TypeError(msg)
        check_factory(given)

    async def open_async(self, traffic: LlmTraffic, *, is_async: bool) -> SessionClient:
        """The client of a session.

        Args:
            traffic: Where its requests and replies are told.
            is_async: Whether to make an async one, if none is given.

        Raises:
            ConfigurationError: If the SDK is missing or has no key, or the client cannot be recorded.
            TypeError: If the function made something else.
        """
        owned = None
        client = self._given
        if client is None:
            client = owned = self._default(is_async=is_async)
        elif not is_client(client, self._sdk):
            made = client()
            client = owned = await made if inspect.isawaitable(made) else made
            if not is_client(client, self._sdk):
                msg = (
                    f"{name_of(self._given)} must make a client of the {self._sdk} package, got "
                    f"{type(client).__name__}"
                )
                raise TypeError(msg)
        return SessionClient(_recorded(client, traffic), owned)

    def _default(self, *, is_async: bool) -> Any:
        module = library(self._sdk, needed_by=self._adapter, extra=self._sdk)
        kind = getattr(module, self._kinds[is_async])
        try:
            return kind()
        except Exception as error:  # there is no key in the environment
            msg = f"{self._kinds[is_async]}() cannot be made: {error}. Pass client= with one of your own"
            raise ConfigurationError(msg) from error


class SessionClient:
    """What a session asks models through.

    Args:
        client: The client that records.
        owned: The one that it sends through, if it is the session's own.

    Attributes:
        client: The client that records.
    """

    def __init__(self, client: Any, owned: Any) -> None:
        self.client = client
        self._owned = owned

    async def close_async(self) -> None:
        """Close what is the session's own."""
        for one in (self.client, self._owned):
            closing = one.close() if one is not None else None
            if inspect.isawaitable(closing):
                await closing


def is_client(value: object, sdk: str) -> bool:
    """Whether it is a client of the SDK."""
    return client_is_async(value, sdk) is not None


def client_is_async(value: object, sdk: str) -> bool | None:
    """Whether a client is an async one; None if it is no client of the SDK."""
    for cls in type(value).__mro__:
        if cls.__name__ in _BASES and cls.__module__.partition(".")[0] == sdk:
            return _BASES[cls.__name__]
    return None


def _recorded(client: Any, traffic: LlmTraffic) -> Any:
    inner = getattr(client, "_client", None)  # the SDKs have no public name for it
    copy = getattr(client, "copy", None)
    if inner is None or not callable(copy):
        msg = f"{type(client).__name__} cannot be recorded: it has no HTTP client that is known"
        raise ConfigurationError(msg)
    for name in ("api_key", "auth_token"):
        key = getattr(client, name, None)
        if isinstance(key, str) and len(key) >= _SHORTEST_KEY:
            register_secret(key)
    return copy(http_client=recording_client(inner, traffic))
