"""Ways to talk to a loopback HTTP server, and to see that nothing is left of it."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def raw(port: int, data: bytes, *, finish: bool = True) -> bytes:
    """Send bytes as they are, and read until the server closes.

    Args:
        finish: Say that nothing more will come.
    """
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(data)
        if finish:
            client.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := client.recv(65536):
            answer += piece
        return answer


def ask(
    port: int,
    path: str = "/",
    *,
    method: str = "GET",
    body: bytes | Iterator[bytes] | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, bytes, dict[str, str]]:
    """Status, body and headers (by lower-case name) of one request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, body=body, headers=headers or {})
        response = connection.getresponse()
        return (
            response.status,
            response.read(),
            {name.lower(): value for name, value in response.getheaders()},
        )
    finally:
        connection.close()


def refuses(port: int) -> bool:
    """Whether nobody listens there."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
    except ConnectionRefusedError:
        return True
    return False


def eventually(holds: Callable[[], bool], *, within_s: float = 5.0) -> bool:
    """Whether something comes true in time."""
    deadline = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def server_threads() -> list[str]:
    """The threads of HTTP servers that run."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("rampart-http")]


@contextmanager
def nothing_left() -> Iterator[None]:
    """Fail when a thread of a server is left."""
    assert not server_threads()
    yield
    if server_threads():
        pytest.fail(f"left: {server_threads()}")
