"""A real HTTP server on the loopback address that answers as it is told and remembers what it was asked."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Asked:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Loopback:
    """The server, for the one that asks and the one that looks."""

    url: str
    asked: list[Asked] = field(default_factory=list)


Answer = Callable[[Asked], tuple[int, bytes]]


def completion(text: str) -> bytes:
    """A chat completion as OpenAI-compatible servers send it."""
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()


class _Server(ThreadingHTTPServer):
    """Takes it calmly when somebody hangs up."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def loopback(answer: Answer) -> Iterator[Loopback]:
    """Serve until the block is left."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            asked = Asked(self.path, dict(self.headers), json.loads(raw))
            server.asked.append(asked)
            status, body = answer(asked)
            self.send_response(status)
            if status in {301, 302, 307, 308}:
                self.send_header("Location", body.decode())
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            """Stay silent."""

    with _Server(("127.0.0.1", 0), Handler) as httpd:
        server = Loopback(f"http://127.0.0.1:{httpd.server_port}")
        thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            httpd.shutdown()
            thread.join()
