"""An OpenAI-compatible chat endpoint on loopback that answers as it was told and keeps what it was asked."""

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(kw_only=True)
class OpenAIServer:
    """What the endpoint answers, in order, and what it was asked.

    Attributes:
        url: Its base URL.
        answers: Each a status and a body; `reply` makes the usual one.
        asked: The bodies of the requests.
    """

    url: str = ""
    answers: deque[tuple[int, dict[str, Any]]] = field(default_factory=deque)
    asked: list[dict[str, Any]] = field(default_factory=list)

    def reply(self, text: str | None, *, finish: str = "stop") -> None:
        """Answer the next request with `text`."""
        usage = {
            "prompt_tokens": 30,
            "completion_tokens": 7,
            "total_tokens": 37,
            "prompt_tokens_details": {"cached_tokens": 20},
            "completion_tokens_details": {"reasoning_tokens": 3},
        }
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "finish_reason": finish, "message": message}
        body = {
            "id": "chat-1",
            "object": "chat.completion",
            "created": 1,
            "model": "tiny",
            "choices": [choice],
            "usage": usage,
        }
        self.answers.append((200, body))

    def fail(self, status: int, *, code: str = "wrong") -> None:
        """Answer the next request with an error."""
        self.answers.append((status, {"error": {"code": code, "message": "as told", "type": code}}))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_state: OpenAIServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is the base's
        """Say nothing."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v1/chat/completions"
        self.server_state.asked.append(asked)
        status, body = self.server_state.answers.popleft()
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def openai_server() -> Iterator[OpenAIServer]:
    """Serve on a free port of loopback until the block ends."""
    state = OpenAIServer()
    handler = type("Handler", (_Handler,), {"server_state": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, name="openai")
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
