"""What an HTTP server is asked and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class HttpRequest:
    """One request as it came in.

    Attributes:
        method: Such as `GET`, as the client wrote it.
        target: What follows the method: path and query, still encoded.
        headers: By lower-case name; the values of one that came several times are joined with `, `.
        body: The body without its transfer encoding, as far as the server keeps it.
        body_size: Bytes of the body that arrived; more than `body` holds where it was cut.
        complete: Whether all of the body arrived.
        client: Address and port of the client, such as `127.0.0.1:50412`.
        received_at: When the request line arrived, in UTC.
    """

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)
    body_size: int = 0
    complete: bool = True
    client: str
    received_at: datetime

    @cached_property
    def path(self) -> str:
        """The path without its query, decoded."""
        return decoded_path(self.target)

    @cached_property
    def query(self) -> dict[str, str | list[str]]:
        """The decoded query; a list where a name came several times."""
        query: dict[str, Any] = {}
        _, _, text = self.target.partition("#")[0].partition("?")
        for name, value in parse_qsl(text, keep_blank_values=True):
            given = query.get(name)
            if given is None:
                query[name] = value
            elif isinstance(given, list):
                given.append(value)
            else:
                query[name] = [given, value]
        return query


def decoded_path(target: str) -> str:
    """The path of a request target (`/a%20b?c`, or a whole address), without query, decoded."""
    path = target.partition("#")[0].partition("?")[0]
    if not path.startswith("/") and "://" in path:  # proxies are asked for whole addresses
        path = "/" + path.partition("://")[2].partition("/")[2]
    return unquote(path)


@dataclass(frozen=True, kw_only=True)
class HttpResponse:
    """One answer; `Content-Length` and `Date` are added by the server.

    Attributes:
        status: The status code.
        body: The body, not sent in answer to `HEAD`.
        content_type: The value of `Content-Type`; none is sent where it is empty.
        headers: Further headers.
        on_sent: Called when all of the body is on its way to the client, before the client can have read its
            last byte: whoever acts on having read the whole body acts after this call. Not called for an
            empty body, and for `HEAD`.
        on_lost: Called after `on_sent` where the connection broke at the last byte.
        pieces: The body in pieces, each sent as it comes, in place of `body`. It is closed when all are sent
            or the client is gone. Where it raises, the connection breaks off, so that the client does not
            take what it has for the whole.
    """

    status: int = 200
    body: bytes = field(default=b"", repr=False)
    content_type: str = "text/plain; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    on_sent: Callable[[], object] | None = None
    on_lost: Callable[[], object] | None = None
    pieces: Iterator[bytes] | None = field(default=None, repr=False)


Answer = Callable[[HttpRequest], HttpResponse]
"""Makes the response to a request, in the thread of the connection; it should end soon."""
