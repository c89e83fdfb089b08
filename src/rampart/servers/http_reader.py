"""Reading from a client that may send slowly, or never."""

from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

    from _typeshed import WriteableBuffer


class DeadlineReader(io.RawIOBase):
    """The bytes of a connection, each request within one deadline.

    A limit on single reads alone would be met for ever by a client that sends a byte now and then.

    Args:
        connection: Where the bytes come from.
        idle_s: How long a client may be silent between two requests, in seconds.
        request_s: How long a request may take from its first byte to its last, in seconds.
    """

    def __init__(self, connection: socket.socket, *, idle_s: float, request_s: float) -> None:
        super().__init__()
        self._connection = connection
        self._idle_s = idle_s
        self._request_s = request_s
        self._deadline: float | None = None

    def await_request(self) -> None:
        """Wait for a next request from now on."""
        self._deadline = None

    def begin_request(self) -> None:
        """A request has begun: it has to be complete in time."""
        self._deadline = time.monotonic() + self._request_s

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read what has arrived.

        Raises:
            TimeoutError: If nothing arrived in time.
        """
        left = self._idle_s if self._deadline is None else self._deadline - time.monotonic()
        if left <= 0:
            msg = f"the request was not complete within {self._request_s:g} s"
            raise TimeoutError(msg)
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)
