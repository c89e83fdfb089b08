"""The HTTP server that pages of one port share."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

from rampart.servers.http_server import HOST, HttpServer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.servers.http_exchange import Answer


class PageServer:
    """Holds its port while anybody knows the address, and serves from the first page on.

    Args:
        port: The port; 0 takes a free one, another each time after nobody has held the last one.

    Attributes:
        stated_url: The address without a path, where it is known beforehand.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self.stated_url = f"http://{HOST}:{port}" if port else None
        self._server: HttpServer | None = None
        self._started = False
        self._paths: dict[object, tuple[str, ...]] = {}
        # Entered again by a garbage collection that releases a forgotten handle.
        self._lock = threading.RLock()

    def hold(self, holder: object) -> str:
        """Take the port and keep it until `holder` releases it; the address, such as `http://127.0.0.1:8080`.

        Raises:
            InfrastructureError: If the port cannot be had.
        """
        with self._lock:
            self._paths.setdefault(holder, ())  # first: from here on no release stops the server
            try:
                return self._bound().url
            except BaseException:
                self.release(holder)
                raise

    def serve(self, holder: object, answers: Mapping[str, Answer]) -> None:
        """Serve paths for a holder, until it releases them.

        Raises:
            InfrastructureError: If one of the paths is taken, or the server cannot start.
        """
        with self._lock:
            server = self._bound()
            for path, answer in answers.items():
                server.add(path, answer)
                self._paths[holder] = (*self._paths.get(holder, ()), path)
            if not self._started:
                server.start()
                self._started = True

    def release(self, holder: object) -> None:
        """Serve its paths no longer; the last holder's release ends the server. Again, it does nothing."""
        with self._lock:
            paths = self._paths.pop(holder, None)
            server = self._server
            if paths is None or server is None:
                return
            for path in paths:
                server.remove(path)
            if not self._paths:
                self._server, self._started = None, False
                server.stop(grace_s=0)

    def _bound(self) -> HttpServer:
        if self._server is None:
            server = HttpServer(port=self._port)
            server.bind()
            self._server = server
        return self._server


_by_port: weakref.WeakValueDictionary[int, PageServer] = weakref.WeakValueDictionary()
_by_port_lock = threading.Lock()


def page_server(port: int) -> PageServer:
    """The server of a port in this process, the same one for all who name it; one of its own for port 0."""
    if port == 0:
        return PageServer(0)
    with _by_port_lock:
        server = _by_port.get(port)
        if server is None:
            server = _by_port[port] = PageServer(port)
        return server
