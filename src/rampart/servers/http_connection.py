"""One connection of an HTTP server: requests are read, handed on and answered, one after another."""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

from rampart.core.log import log
from rampart.servers.http_body import read_body
from rampart.servers.http_exchange import HttpRequest, HttpResponse
from rampart.servers.http_reader import DeadlineReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from email.message import Message

    from rampart.servers.http_listener import HttpListener

_MAX_REQUEST_LINE = 64 * 1024
_WITHOUT_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


@dataclass(frozen=True, kw_only=True)
class HttpRules:
    """How a server treats its clients.

    Attributes:
        answer: Makes the responses.
        max_body_bytes: So much of a body is kept.
        partial_bodies: Whether `answer` also gets requests whose body is longer or broke off. Otherwise
            those are refused.
        request_s: A request has to be complete after so many seconds.
        idle_s: A connection without a request is closed after so many seconds.
        answer_s: A response has to be taken by the client within so many seconds.
        on_unreadable: Called where something arrived that is no request, with what is wrong.
    """

    answer: Callable[[HttpRequest], HttpResponse]
    max_body_bytes: int
    partial_bodies: bool
    request_s: float
    idle_s: float
    answer_s: float
    on_unreadable: Callable[[str], object] | None


class HttpConnection(BaseHTTPRequestHandler):
    """Serves one client until it goes away, falls silent, or the server ends."""

    protocol_version = "HTTP/1.1"
    server_version = "httpd"
    sys_version = ""
    disable_nagle_algorithm = True
    server: HttpListener

    def setup(self) -> None:
        """Read through a deadline."""
        super().setup()
        rules = self.server.rules
        self._rules = rules
        self._source = DeadlineReader(self.connection, idle_s=rules.idle_s, request_s=rules.request_s)
        self.rfile.close()
        self.rfile = self._buffered = io.BufferedReader(self._source)
        self.busy = False
        self.server.add_connection(self)

    def finish(self) -> None:
        """Forget the connection."""
        self.server.remove_connection(self)
        super().finish()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library names it so
        """Stay quiet: what happens is told by those who are asked."""

    def handle(self) -> None:
        """Answer requests; a client that went away or is too slow ends it."""
        try:
            super().handle()
        except OSError:
            self.close_connection = True

    def handle_one_request(self) -> None:
        """Answer one request."""
        self.close_connection = True  # until the request has been understood
        if not self._has_begun():
            return
        self.busy = True
        try:
            self._handle_begun_request()
        finally:
            self.busy = False

    def _has_begun(self) -> bool:
        """Wait for the first byte of a request; the reader's buffer may hold it already."""
        self._source.await_request()
        first = self._buffered.peek(1)[:1]
        self._source.begin_request()
        if first and not first.isalpha():  # such as the greeting of TLS, of which no line end need follow
            self.send_error(HTTPStatus.BAD_REQUEST, "it does not begin with a method")
            return False
        return bool(first)

    def _handle_begun_request(self) -> None:
        received_at = datetime.now(UTC)
        try:
            if not self._read_head():
                return
        except (OSError, EOFError):
            self._unreadable("it broke off")
            return
        body = read_body(self._buffered, headers=self.headers, keep=self._rules.max_body_bytes)
        self.close_connection |= not body.complete
        request = HttpRequest(
            method=self.command,
            target=self.path,
            headers=_by_name(self.headers),
            body=body.kept,
            body_size=body.size,
            complete=body.complete,
            client=":".join(map(str, self.client_address)),
            received_at=received_at,
        )
        self._send(self._response_to(request))

    def _read_head(self) -> bool:
        self.raw_requestline = self.rfile.readline(_MAX_REQUEST_LINE + 1)
        if len(self.raw_requestline) > _MAX_REQUEST_LINE:
            self.send_error(HTTPStatus.REQUEST_URI_TOO_LONG, "its first line is too long")
            return False
        if not self.raw_requestline.endswith(b"\n"):
            raise EOFError
        return self.parse_request()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no request; the base calls this where it cannot parse."""
        del explain
        why = message or HTTPStatus(code).phrase
        self._unreadable(why)
        # Nothing has been parsed, or an ancient version, in which there is no status.
        self.requestline, self.request_version, self.command = "", self.protocol_version, ""
        self._send(HttpResponse(status=code, body=why.encode()))

    def _unreadable(self, why: str) -> None:
        self.close_connection = True
        if self._rules.on_unreadable is not None:
            self._rules.on_unreadable(why)

    def _response_to(self, request: HttpRequest) -> HttpResponse:
        if not self._rules.partial_bodies:
            if request.body_size > len(request.body):
                return HttpResponse(
                    status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                    body=f"bodies may have {self._rules.max_body_bytes} bytes".encode(),
                )
            if not request.complete:
                return HttpResponse(status=HTTPStatus.BAD_REQUEST, body=b"the body is incomplete")
        try:
            return self._rules.answer(request)
        except Exception as error:  # the client is told, and the server goes on
            log.error("the answer to %s %s failed", request.method, request.target, exc_info=error)
            return HttpResponse(status=HTTPStatus.INTERNAL_SERVER_ERROR, body=b"the answer failed")

    def _send(self, response: HttpResponse) -> None:
        if response.pieces is not None:
            self._send_pieces(response, response.pieces)
            return
        status = response.status
        bodiless = status in _WITHOUT_BODY
        self.send_response(status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        if response.content_type and not bodiless:
            self.send_header("Content-Type", response.content_type)
        if not bodiless:
            self.send_header("Content-Length", str(len(response.body)))
        if self.close_connection or self.server.stopping:
            self.send_header("Connection", "close")
        body = b"" if bodiless or self.command == "HEAD" else response.body
        self.connection.settimeout(self._rules.answer_s)
        self.end_headers()
        if len(body) > 1:
            self.wfile.write(memoryview(body)[:-1])
        if body:
            self._send_last_byte(body[-1:], response)

    def _send_pieces(self, response: HttpResponse, pieces: Iterator[bytes]) -> None:
        """Send a body as it comes: in chunks, or to a client that knows none until the connection ends."""
        chunked = self.request_version != "HTTP/1.0"
        closing, self.close_connection = self.close_connection or not chunked, True  # unless all goes well
        try:
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", response.content_type)
            if chunked:
                self.send_header("Transfer-Encoding", "chunked")
            if closing or self.server.stopping:
                self.send_header("Connection", "close")
            self.connection.settimeout(self._rules.answer_s)
            self.end_headers()
            for piece in pieces if self.command != "HEAD" else ():
                if piece:
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
            if chunked and self.command != "HEAD":
                self.wfile.write(b"0\r\n\r\n")
        except OSError:
            raise
        except Exception as error:  # half of an answer is sent: the client must not take it for all
            log.error("the answer to %s %s broke off", self.command, self.path, exc_info=error)
            return
        finally:
            close = getattr(pieces, "close", None)
            if callable(close):
                close()
        self.close_connection = closing

    def _send_last_byte(self, last: bytes, response: HttpResponse) -> None:
        """Tell of the response before its last byte: afterwards the client may be faster than the telling."""
        if response.on_sent is not None:
            response.on_sent()
        try:
            self.wfile.write(last)
        except OSError:
            if response.on_lost is not None:
                response.on_lost()
            raise


def _by_name(headers: Message) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in headers.items():
        key = name.lower()
        joined[key] = f"{joined[key]}, {value}" if key in joined else str(value)
    return joined
