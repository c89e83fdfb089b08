"""A loopback SMTP server that hands every mail it takes to a function."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from typing import TYPE_CHECKING, Self

from rampart.core.errors import ConfigurationError, InfrastructureError
from rampart.core.log import log

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from rampart.servers.received_mail import ReceivedMail
    from rampart.servers.smtp_connection import Connections

DEFAULT_MAX_BYTES = 32 * 1024 * 1024
_HOST = "127.0.0.1"
_STOP_PATIENCE_S = 10.0
INSTALL = 'pip install "rampart[smtp]"'


class SmtpServer:
    """Takes mail on 127.0.0.1, in a thread of its own, and delivers none of it.

    It accepts every sender, recipient and login, since what a hostile mail tries is what it is there to see.
    Being in its own thread it also serves agents that block their event loop.

    Args:
        on_message: Called with each `ReceivedMail` in the server's thread, one at a time, before the client
            is told that its mail was taken; it should end soon. When it raises, the client is told to try
            again later and the error is logged.
        on_lost: Called in the server's thread where something arrived that did not become a mail: one that
            was refused or broke off, or what is no SMTP. It gets what was wrong.
        port: Where to listen; 0 takes a free one.
        max_bytes: Longer mails are refused with 552.

    Raises:
        TypeError: If the port or size is not an int, or `on_message` cannot be called.
        ValueError: If the port is outside 0..65535, or the size is not positive.
        ConfigurationError: If the library `aiosmtpd` is not installed.
    """

    def __init__(
        self,
        *,
        on_message: Callable[[ReceivedMail], object],
        on_lost: Callable[[str], object] | None = None,
        port: int = 0,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> None:
        if not callable(on_message):
            msg = f"on_message must be a function that takes a ReceivedMail, got {on_message!r}"
            raise TypeError(msg)
        _check_int("port", port, least=0, most=65535)
        _check_int("max_bytes", max_bytes, least=1)
        self._new_connections = _connections_class()
        self._on_message = on_message
        self._on_lost = on_lost
        self._wanted_port = port
        self._max_bytes = max_bytes
        self._running: _Running | None = None

    @property
    def port(self) -> int:
        """The port that it listens on.

        Raises:
            InfrastructureError: If the server is not running.
        """
        if self._running is None:
            msg = "the SMTP server is not running, so it has no port; start it first"
            raise InfrastructureError(msg)
        return self._running.port

    def start(self) -> None:
        """Listen; when this returns, clients can connect.

        Raises:
            InfrastructureError: If it runs already, or the port cannot be had.
        """
        if self._running is not None:
            msg = f"the SMTP server runs already, on {_HOST}:{self._running.port}"
            raise InfrastructureError(msg)
        listener = _listen(self._wanted_port)
        try:
            self._running = _Running(
                listener,
                self._new_connections(
                    on_message=self._on_message, on_lost=self._on_lost, max_bytes=self._max_bytes
                ),
            )
        except BaseException:
            listener.close()
            raise

    def stop(self) -> None:
        """Stop listening, cut open connections and end the thread; does nothing when it is not running.

        Raises:
            InfrastructureError: If the thread does not end, which a hanging `on_message` brings about.
        """
        if self._running is not None:
            self._running.stop()
            self._running = None

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


class _Running:
    """A server from its start to its end: one thread with one event loop."""

    def __init__(self, listener: socket.socket, connections: Connections) -> None:
        self.port: int = listener.getsockname()[1]
        self._ended = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(
            target=self._run, args=(listener, connections), name=f"rampart-smtp-{self.port}", daemon=True
        )
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure

    def stop(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed where the thread has ended by itself
            self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(_STOP_PATIENCE_S)
        if self._thread.is_alive():
            msg = (
                f"the SMTP server on {_HOST}:{self.port} did not stop within {_STOP_PATIENCE_S:g} s; "
                "does its on_message function hang?"
            )
            raise InfrastructureError(msg)

    def _run(self, listener: socket.socket, connections: Connections) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve_async(listener, connections))
        except BaseException as error:
            self._failure = error
            if self._ready.is_set():
                log.error("the SMTP server on %s:%s failed", _HOST, self.port, exc_info=error)
        finally:
            self._ready.set()

    async def _serve_async(self, listener: socket.socket, connections: Connections) -> None:
        server = await self._loop.create_server(connections.new, sock=listener)
        self._ready.set()
        try:
            await self._ended.wait()
        finally:
            # First no more of them, then end those there are: asyncio loses a connection whose server
            # is closed while it is being accepted.
            self._loop.remove_reader(listener)
            await connections.cut_async()
            server.close()
            await server.wait_closed()


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((_HOST, port))
        listener.listen(128)
        listener.settimeout(0)
    except OSError as error:
        listener.close()
        msg = f"the SMTP server cannot listen on {_HOST}:{port}: {error}; take port 0 for a free one"
        raise InfrastructureError(msg) from error
    return listener


def _check_int(name: str, value: object, *, least: int, most: int | None = None) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        msg = f"{name} must be an int, got {value!r}"
        raise TypeError(msg)
    if value < least or (most is not None and value > most):
        bounds = f"at least {least}" if most is None else f"between {least} and {most}"
        msg = f"{name} must be {bounds}, got {value}"
        raise ValueError(msg)


def _connections_class() -> type[Connections]:
    try:
        from rampart.servers.smtp_connection import Connections  # noqa: PLC0415  # imports an extra
    except ImportError as error:
        msg = f"an SMTP server needs the library aiosmtpd; install it with: {INSTALL}"
        raise ConfigurationError(msg) from error
    return Connections
