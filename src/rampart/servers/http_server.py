"""A loopback HTTP server that answers with functions."""

from __future__ import annotations

import threading
from http import HTTPStatus
from typing import TYPE_CHECKING, Self

from rampart.core.errors import InfrastructureError
from rampart.servers.http_connection import HttpRules
from rampart.servers.http_exchange import Answer, HttpRequest, HttpResponse
from rampart.servers.http_listener import HttpListener

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

HOST = "127.0.0.1"
DEFAULT_MAX_BODY_BYTES = 1024 * 1024


class HttpServer:
    """Speaks HTTP/1.1 on 127.0.0.1, in threads of its own.

    So it also serves agents that block their event loop. It is quiet, keeps connections alive, never
    compresses, and ignores `Range` and conditions: a response is sent as a whole or not at all.

    Args:
        port: Where to listen; 0 takes a free port.
        fallback: Answers requests to paths that nothing was added for; None answers 404.
        max_body_bytes: Requests with a longer body are refused with 413.
        partial_bodies: Hand over requests with a longer or broken body too, with what was kept of it.
        request_s: Seconds that a request may take from its first byte to its last.
        idle_s: Seconds after which a connection without a request is closed.
        answer_s: Seconds that a client may take to fetch its response.
        on_unreadable: Called, in the connection's thread, with what is wrong where something arrived that is
            no HTTP request.

    Raises:
        ValueError: If the port is outside 0..65535.
        TypeError: If it is no int.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        fallback: Answer | None = None,
        max_body_bytes: int = DEFAULT_MAX_BODY_BYTES,
        partial_bodies: bool = False,
        request_s: float = 10.0,
        idle_s: float = 60.0,
        answer_s: float = 30.0,
        on_unreadable: Callable[[str], object] | None = None,
    ) -> None:
        self._wanted_port = check_port(port)
        self._fallback = fallback
        self._answers: dict[str, Answer] = {}
        self._rules = HttpRules(
            answer=self._answer,
            max_body_bytes=max_body_bytes,
            partial_bodies=partial_bodies,
            request_s=request_s,
            idle_s=idle_s,
            answer_s=answer_s,
            on_unreadable=on_unreadable,
        )
        self._listener: HttpListener | None = None
        self._lock = threading.Lock()

    @property
    def port(self) -> int:
        """The port, once it is bound.

        Raises:
            InfrastructureError: If the server has neither been bound nor started.
        """
        if self._listener is None:
            msg = "the HTTP server has no port; bind or start it first"
            raise InfrastructureError(msg)
        return self._listener.server_port

    @property
    def address(self) -> str:
        """Host and port, such as `127.0.0.1:50412`."""
        return f"{HOST}:{self.port}"

    @property
    def url(self) -> str:
        """The address as a URL without a slash at its end, such as `http://127.0.0.1:50412`."""
        return f"http://{self.address}"

    def add(self, path: str, answer: Answer) -> None:
        """Let `answer` serve a path, given decoded and without a query.

        Raises:
            InfrastructureError: If the path is served already.
        """
        with self._lock:
            if path in self._answers:
                msg = f"the path {path} of the HTTP server is in use already"
                raise InfrastructureError(msg)
            self._answers[path] = answer

    def remove(self, path: str) -> None:
        """Serve a path no longer; one that is not served is no error."""
        with self._lock:
            self._answers.pop(path, None)

    def bind(self) -> None:
        """Take the port, so that the address is known; clients are refused until `start`.

        Raises:
            InfrastructureError: If the port is in use or cannot be had.
        """
        if self._listener is None:
            try:
                self._listener = HttpListener(port=self._wanted_port, rules=self._rules)
            except OSError as error:
                raise InfrastructureError(self._cannot_listen(error)) from error

    def start(self) -> None:
        """Listen; when this returns, clients can connect.

        Raises:
            InfrastructureError: If it runs already, or the port is in use or cannot be had.
        """
        self.bind()
        listener = self._listener
        if listener is None or listener.is_running:
            msg = f"the HTTP server on {self.address} runs already"
            raise InfrastructureError(msg)
        try:
            listener.start()
        except (OSError, RuntimeError) as error:  # no thread can be had
            self.stop()
            raise InfrastructureError(self._cannot_listen(error)) from error

    def stop(self, *, grace_s: float = 0.5) -> None:
        """End it: no thread, connection or port is left; does nothing where there is nothing to end.

        Args:
            grace_s: Requests that are being read or answered get so many seconds to be finished.

        Raises:
            InfrastructureError: If a thread does not end, which an answer that hangs brings about.
        """
        listener, self._listener = self._listener, None
        if listener is not None and not listener.stop(grace_s=grace_s):
            msg = (
                f"the HTTP server on {HOST}:{listener.server_port} stopped listening, but one of its answers "
                "still runs; does a function that was added to it hang?"
            )
            raise InfrastructureError(msg)

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop it."""
        self.stop()

    def _answer(self, request: HttpRequest) -> HttpResponse:
        with self._lock:
            answer = self._answers.get(request.path, self._fallback)
        if answer is None:
            return HttpResponse(status=HTTPStatus.NOT_FOUND, body=b"Not found\n")
        return answer(request)

    def _cannot_listen(self, error: Exception) -> str:
        return (
            f"the HTTP server cannot listen on {HOST}:{self._wanted_port}: {error}; "
            "end what uses the port, or take port 0 for a free one"
        )


def check_port(port: object) -> int:
    """Return `port` if it can be one.

    Raises:
        TypeError: If it is no int.
        ValueError: If it is outside 0..65535.
    """
    if isinstance(port, bool) or not isinstance(port, int):
        msg = f"port must be an int, got {port!r}"
        raise TypeError(msg)
    if not 0 <= port <= 65535:
        msg = f"port must be between 0 and 65535, got {port}; 0 takes a free one"
        raise ValueError(msg)
    return port
