"""The real endpoint behind a gateway."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rampart.text.secrets import register_secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rampart.servers.http_exchange import HttpRequest

_PIECE = 64 * 1024
_NOT_PASSED_ON = frozenset(
    {
        "accept-encoding", "connection", "content-length", "date", "expect", "host", "keep-alive",
        "proxy-authenticate", "proxy-authorization", "proxy-connection", "server", "te", "trailer",
        "transfer-encoding", "upgrade",
    }
)  # fmt: skip
_KEY_HEADERS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
_SHORTEST_KEY = 20


@dataclass(frozen=True, kw_only=True)
class UpstreamAnswer:
    """What the endpoint answers.

    Attributes:
        status: The HTTP status.
        headers: Its headers that concern the client, by lower-case name.
        pieces: The body as it comes. It raises an OSError where the body breaks off.
    """

    status: int
    headers: Mapping[str, str]
    pieces: Iterator[bytes]


class Upstream:
    """Passes requests on, with the keys that they bring.

    Args:
        url: The address that a client would have as its `base_url`.
        timeout_s: Seconds of silence after which the endpoint counts as gone.

    Raises:
        ValueError: If it is no address of http or https, or holds a query or a password.
    """

    def __init__(self, url: str, *, timeout_s: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            msg = f"upstream must be a URL such as https://api.openai.com/v1, got {url[:200]!r}"
            raise ValueError(msg)
        if parts.query or parts.username or parts.password:
            msg = "upstream must be a URL without a query and without credentials; agents bring their keys"
            raise ValueError(msg)
        self.host = parts.hostname
        self._port = parts.port
        self._path = parts.path.rstrip("/")
        self._context = ssl.create_default_context() if parts.scheme == "https" else None
        self._timeout_s = timeout_s
        self._open: set[http.client.HTTPConnection] = set()
        self._lock = threading.Lock()

    def send(self, request: HttpRequest, rest: str) -> UpstreamAnswer:
        """Pass a request on.

        Args:
            request: The request.
            rest: Its path and query, from `/v1` on.

        Raises:
            OSError: If the endpoint cannot be reached, or does not answer in time.
        """
        for name in _KEY_HEADERS:
            key = request.headers.get(name, "").removeprefix("Bearer ").strip()
            if len(key) >= _SHORTEST_KEY:
                register_secret(key)
        headers = {name: value for name, value in request.headers.items() if name not in _NOT_PASSED_ON}
        headers["accept-encoding"] = "identity"
        connection = self._connection()
        try:
            body = request.body if request.method not in {"GET", "HEAD"} or request.body else None
            connection.request(request.method, self._target(rest), body=body, headers=headers)
            answer = connection.getresponse()
        except http.client.HTTPException as error:
            self._end(connection)
            msg = f"{type(error).__name__} from {self.host}"
            raise ConnectionError(msg) from error
        except BaseException:
            self._end(connection)
            raise
        passed = {name.lower(): value for name, value in answer.getheaders()}
        return UpstreamAnswer(
            status=answer.status,
            headers={name: value for name, value in passed.items() if name not in _NOT_PASSED_ON},
            pieces=self._pieces(connection, answer),
        )

    def close(self) -> None:
        """Break off what is still coming."""
        with self._lock:
            connections = list(self._open)
        for connection in connections:
            with suppress(OSError, AttributeError):
                connection.sock.shutdown(socket.SHUT_RDWR)

    def _target(self, rest: str) -> str:
        """Clients of Anthropic add the version to their `base_url`, those of OpenAI have it in there."""
        is_anthropic = rest.partition("?")[0].startswith("/v1/messages")
        if self._path.endswith("/v1") or not is_anthropic:
            rest = rest.removeprefix("/v1")
        return f"{self._path}{rest}" or "/"

    def _connection(self) -> http.client.HTTPConnection:
        if self._context is None:
            connection = http.client.HTTPConnection(self.host, self._port, timeout=self._timeout_s)
        else:
            connection = http.client.HTTPSConnection(
                self.host, self._port, timeout=self._timeout_s, context=self._context
            )
        with self._lock:
            self._open.add(connection)
        return connection

    def _pieces(
        self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse
    ) -> Iterator[bytes]:
        try:
            while piece := answer.read1(_PIECE):
                yield piece
            if answer.length:
                msg = f"the answer of {self.host} broke off"
                raise ConnectionError(msg)
        except http.client.HTTPException as error:
            msg = f"the answer of {self.host} broke off: {type(error).__name__}"
            raise ConnectionError(msg) from error
        finally:
            self._end(connection)

    def _end(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._open.discard(connection)
        connection.close()
