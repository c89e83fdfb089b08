"""The listening socket of an HTTP server, and its connections."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import socketserver
import sys
import threading
import time
from http.server import ThreadingHTTPServer
from typing import Any

from rampart.core.log import log
from rampart.servers.http_connection import HttpConnection, HttpRules

_BACKLOG = 1024  # many trials connect at once, and an overfull queue costs each a second
_PATIENCE_S = 5.0


class HttpListener(ThreadingHTTPServer):
    """A thread that accepts, and one for each connection; all of them end with it.

    Args:
        port: Where to listen on 127.0.0.1; 0 takes a free port.
        rules: How clients are treated.
    """

    daemon_threads = True
    request_queue_size = _BACKLOG

    def __init__(self, *, port: int, rules: HttpRules) -> None:
        self.rules = rules
        self.stopping = False
        self._owner = os.getpid()
        # A free port is held for this server alone; a stated one may have been in use a moment ago.
        self.allow_reuse_address = port != 0
        self._lock = threading.Lock()
        self._connections: set[HttpConnection] = set()
        self._workers: list[threading.Thread] = []
        self._thread: threading.Thread | None = None
        super().__init__(("127.0.0.1", port), HttpConnection, bind_and_activate=False)
        try:
            self.server_bind()
            self._wake, self._woken = socket.socketpair()
        except BaseException:
            self.socket.close()
            raise

    def server_bind(self) -> None:
        """Bind, without asking a name server what 127.0.0.1 is called."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    @property
    def is_running(self) -> bool:
        """Whether clients can connect."""
        return self._thread is not None

    def start(self) -> None:
        """Listen; when this returns, clients can connect."""
        self.server_activate()
        self.socket.settimeout(0)  # a client may be gone again when it is to be accepted
        thread = threading.Thread(
            target=self._accept_all, name=f"rampart-http-{self.server_port}", daemon=True
        )
        thread.start()
        self._thread = thread

    def stop(self, *, grace_s: float) -> bool:
        """End everything; whether all threads have ended.

        Args:
            grace_s: So long may requests in progress go on.
        """
        if os.getpid() != self._owner:  # a forked process ends its copies, not what it shares with its parent
            self._close_sockets()
            return True
        self.stopping = True
        self._wake.send(b"x")
        if self._thread is not None:
            self._thread.join()
        self._close_sockets()
        self._shut_all(busy_ones=None)
        deadline = time.monotonic() + grace_s
        while time.monotonic() < deadline and self._is_busy():
            time.sleep(0.001)
        # All of them once more: one that was busy a moment ago may be waiting for a further request by now.
        self._shut_all(busy_ones=socket.SHUT_RDWR)
        deadline = time.monotonic() + _PATIENCE_S
        threads = [one for one in self._workers if one is not threading.current_thread()]
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def _close_sockets(self) -> None:
        for one in (self.socket, self._wake, self._woken):
            one.close()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own."""
        thread = threading.Thread(
            target=self.process_request_thread,
            args=(request, client_address),
            name=f"rampart-http-{self.server_port}-{client_address[1]}",
            daemon=True,
        )
        self._workers = [one for one in self._workers if one.is_alive()]
        thread.start()
        self._workers.append(thread)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log what nobody expected; the base would write it to the terminal."""
        del request
        if isinstance(sys.exception(), OSError):
            return  # the client is gone
        log.error("the connection from %s failed", client_address, exc_info=True)

    def add_connection(self, connection: HttpConnection) -> None:
        """A connection begins."""
        with self._lock:
            self._connections.add(connection)
            if self.stopping:
                _shut(connection, socket.SHUT_RD)

    def remove_connection(self, connection: HttpConnection) -> None:
        """A connection is over."""
        with self._lock:
            self._connections.discard(connection)

    def _accept_all(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self.socket, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while not self.stopping:
                selector.select()
                self._accept_one()
        while self._accept_one():  # those that connected before the end are heard
            pass

    def _accept_one(self) -> bool:
        try:
            request, client = self.get_request()
        except OSError:
            return False
        try:
            self.process_request(request, client)
        except Exception:
            self.handle_error(request, client)
            self.shutdown_request(request)
        return True

    def _is_busy(self) -> bool:
        with self._lock:
            return any(connection.busy for connection in self._connections)

    def _shut_all(self, *, busy_ones: int | None) -> None:
        """Close connections that wait for a request; what has arrived on them is still read.

        Args:
            busy_ones: How to close those that are being served; None leaves them alone.
        """
        with self._lock:
            for connection in self._connections:
                how = busy_ones if connection.busy else socket.SHUT_RD
                if how is not None:
                    _shut(connection, how)


def _shut(connection: HttpConnection, how: int) -> None:
    with contextlib.suppress(OSError):  # the client closed it
        connection.connection.shutdown(how)
