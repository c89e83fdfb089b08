"""Clients of the `openai` library for calls from any event loop and thread."""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING

from rampart.core.errors import ConfigurationError
from rampart.llm.entra_id import EntraIdToken
from rampart.llm.library_logs import keep_secrets_from_logs
from rampart.text.oneline import quote

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator

    from httpx2 import AsyncClient
    from openai import AsyncOpenAI

    from rampart.llm.endpoint import Endpoint

_CONNECT_TIMEOUT_S = 10.0
_OLDEST_MAJOR = 3
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_INSTALL = 'OpenAIChatModel needs openai >= 3, which is not installed: pip install "rampart[openai]"'


class _Lease:
    """A client and how many calls use it."""

    def __init__(self, client: AsyncOpenAI) -> None:
        self.client = client
        self.users = 0


class OpenAIClients:
    """Hands out one client per event loop, shared by the calls that overlap, and closes it after the last.

    Connections belong to the loop that made them, and loops end without a word: a client that outlived its
    calls would leave connections open that nobody can close any more. A client of its own and a connection
    cost a call some 2 ms on the loopback; calls that overlap, which is where it matters, share both.

    Args:
        endpoint: Where the calls go.
        credential: A key, or where tokens are had.
    """

    def __init__(self, *, endpoint: Endpoint, credential: str | EntraIdToken) -> None:
        self._endpoint = endpoint
        self._credential = credential
        self._leases: dict[asyncio.AbstractEventLoop, _Lease] = {}
        self._lock = threading.Lock()

    @asynccontextmanager
    async def lease_async(self) -> AsyncIterator[AsyncOpenAI]:
        """A client for one call.

        Raises:
            ConfigurationError: If the library is not installed.
        """
        loop = asyncio.get_running_loop()
        lease = self._taken(loop)
        try:
            yield lease.client
        finally:
            if self._returned(loop, lease):
                await lease.client.close()

    def _taken(self, loop: asyncio.AbstractEventLoop) -> _Lease:
        with self._lock:
            # Of a loop that was closed during a call nothing comes back.
            for ended in [known for known in self._leases if known.is_closed()]:
                del self._leases[ended]
            lease = self._leases.get(loop)
            if lease is None:
                lease = self._leases[loop] = _Lease(_client(self._endpoint, self._credential))
            lease.users += 1
            return lease

    def _returned(self, loop: asyncio.AbstractEventLoop, lease: _Lease) -> bool:
        """Whether that was the last use; the next call gets a new client."""
        with self._lock:
            lease.users -= 1
            if lease.users == 0 and self._leases.get(loop) is lease:
                del self._leases[loop]
            return lease.users == 0


def _check_library() -> None:
    """Make sure that the library is there, in a version that is understood.

    Raises:
        ConfigurationError: If it is not.
    """
    try:
        import httpx2  # noqa: F401, PLC0415  # of an extra; the library brings it along
        import openai  # noqa: PLC0415  # of an extra
    except ModuleNotFoundError as error:
        if error.name not in {"httpx2", "openai"}:
            raise  # a fault inside of an installed library is another matter
        raise ConfigurationError(_INSTALL) from error
    if int(openai.__version__.partition(".")[0]) < _OLDEST_MAJOR:
        msg = f'OpenAIChatModel needs openai >= 3, got {openai.__version__}: pip install "rampart[openai]"'
        raise ConfigurationError(msg)


def _client(endpoint: Endpoint, credential: str | EntraIdToken) -> AsyncOpenAI:
    """A client that neither retries nor follows redirects: both are the caller's to decide on.

    Raises:
        ConfigurationError: If the library, or what the environment says about connections, is of no use.
    """
    _check_library()
    from openai import AsyncAzureOpenAI, AsyncOpenAI  # noqa: PLC0415  # of an extra

    keep_secrets_from_logs()
    _check_url(endpoint)
    http_client = _http_client(endpoint)
    key, token = (None, credential.get_async) if isinstance(credential, EntraIdToken) else (credential, None)
    if endpoint.is_azure and "api-version" in endpoint.query:
        return AsyncAzureOpenAI(
            base_url=endpoint.url,
            api_version=endpoint.query["api-version"],
            api_key=key,
            azure_ad_token_provider=token,
            default_query=dict(endpoint.query),
            http_client=http_client,
            max_retries=0,
        )
    client = AsyncOpenAI(
        base_url=endpoint.url,
        api_key=token or key,
        default_query=dict(endpoint.query),
        http_client=http_client,
        max_retries=0,
    )
    if (
        not endpoint.is_public
    ):  # the environment's OPENAI_ORG_ID and OPENAI_PROJECT_ID are nobody else's matter
        client.organization = client.project = None
    return client


def _check_url(endpoint: Endpoint) -> None:
    """Refuse what only the library knows to be no URL, such as 256.1.1.1 for a host."""
    import httpx2  # noqa: PLC0415  # of an extra

    reason = ""
    try:
        httpx2.URL(endpoint.url)
    except httpx2.InvalidURL as error:
        reason = quote(str(error), limit=200)
    if reason:
        msg = f"LLMConfig.endpoint {endpoint.shown_url} cannot be reached ({reason}); check its host"
        raise ConfigurationError(msg)


def _http_client(endpoint: Endpoint) -> AsyncClient:
    import httpx2  # noqa: PLC0415  # of an extra

    from rampart.llm.bounded_client import BoundedClient  # noqa: PLC0415  # imports what is of an extra

    tls = _tls()
    try:
        return BoundedClient(
            verify=tls,
            timeout=httpx2.Timeout(None, connect=_CONNECT_TIMEOUT_S),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
            follow_redirects=False,
            # A proxy of the environment cannot reach this machine's own addresses.
            trust_env=not endpoint.is_loopback,
        )
    except ImportError:
        hint = "one that speaks SOCKS needs a library besides: pip install socksio"
    except (ValueError, httpx2.InvalidURL):
        hint = "it is no URL of a proxy, such as http://proxy.example:3128"
    # Outside of the handlers, and without their text: a proxy's address may hold a password.
    msg = (
        f"{endpoint.shown_url} cannot be reached through the proxy that the environment names (HTTP_PROXY, "
        f"HTTPS_PROXY or ALL_PROXY): {hint}; NO_PROXY leaves addresses out"
    )
    raise ConfigurationError(msg)


@cache
def _tls() -> ssl.SSLContext:
    """The certificates that are trusted, read once: it takes 20 to 50 ms.

    Raises:
        ConfigurationError: If the environment names others, and they cannot be read.
    """
    import httpx2  # noqa: PLC0415  # of an extra

    try:
        return httpx2.create_ssl_context()
    except OSError as error:  # an SSLError is one, as is that of a file that does not exist
        named = [f"{name}={os.environ[name]}" for name in _CERTIFICATES if os.environ.get(name)]
        msg = (
            f"the certificates that are to be trusted cannot be read ({quote(str(error))}); "
            f"{quote(' and '.join(named)) or 'the installation of certifi'} must lead to PEM certificates"
        )
        raise ConfigurationError(msg) from error
