"""A loopback server that speaks chat completions, well or badly, and remembers what it was asked.

`async def` is served by a loop in a thread of the server's own, so that clients may block theirs:

    with ChatServer(answers=[throttled(), completion("yes")]) as server:
        model = OpenAIChatModel(config=server.config())
        ...
    assert len(server.calls) == 2

`answers` are given one after another, `default` ever after; either may be a function of the call.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Self

from tests.llm.chat_answers import ChatAnswer, ChatCall, completion, sse_body, throttled

from rampart.core.llm import LLMConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tests.llm.token_bucket import TokenBucket

    Answering = ChatAnswer | Callable[[ChatCall], ChatAnswer]

KEY = "sk-of-the-loopback-server"


class ChatServer:
    """Serves `POST /v1/chat/completions`, with keep-alive; other paths answer 404.

    Args:
        answers: What is answered first, each once, in this order.
        default: What is answered afterwards.
        bucket: Calls for which it holds no token are answered with 429, whatever the answers are.

    Attributes:
        any_path: Whether every path is answered, as by a proxy in front of other services.
        calls: What was asked, in order of arrival; refused calls are part of it.
        connections: Connections that were opened.
        open_connections: Connections that are open now.
    """

    def __init__(
        self,
        *,
        answers: Iterable[Answering] = (),
        default: Answering | None = None,
        bucket: TokenBucket | None = None,
    ) -> None:
        self.calls: list[ChatCall] = []
        self.connections = 0
        self.open_connections = 0
        self._answers = deque(answers)
        self._default = completion("hello") if default is None else default
        self._bucket = bucket
        self.any_path = False
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="chat server", daemon=True)
        self._serving: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """What clients are given as the base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def config(self, **fields: Any) -> LLMConfig:
        """A configuration that leads here; `fields` are put in its place."""
        return LLMConfig(**{"model": "small-model", "endpoint": self.url, "api_key": KEY, **fields})

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What was asked, without the rest of the requests."""
        return [call.body for call in self.calls]

    async def asked_async(self) -> None:
        """Wait for the first call."""
        await _until_async(lambda: bool(self.calls))

    async def all_closed_async(self) -> None:
        """Wait until clients have closed all of their connections; fail if they do not."""
        await _until_async(lambda: not self.open_connections)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(10), "the chat server did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        assert not self._thread.is_alive(), "the chat server did not stop"

    def _run(self) -> None:
        asyncio.run(self._serve_async())

    async def _serve_async(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connected_async, "127.0.0.1", 0, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        await self._stop.wait()
        server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def _connected_async(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        self.connections += 1
        self.open_connections += 1
        try:
            while await self._exchange_async(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went away, or the server ends
        finally:
            self.open_connections -= 1
            self._serving.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _exchange_async(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read one request and answer it.

        Returns:
            Whether the connection serves another one.
        """
        head = await reader.readuntil(b"\r\n\r\n")
        call = _parsed(head)
        call.raw = await reader.readexactly(int(call.headers.get("content-length", "0")))
        self.calls.append(call)
        answer = self._answer_to(call)
        if answer.silent:
            await reader.read()  # until the client gives up
            return False
        if answer.after_s:
            await asyncio.sleep(answer.after_s)
        streams = answer.status == 200 and call.body.get("stream")
        body = sse_body(answer) if streams else answer.body
        writer.write(
            _head(answer, len(body), "text/event-stream" if streams else answer.content_type)
            + body[: answer.cut_at]
        )
        await writer.drain()
        return answer.cut_at is None

    def _answer_to(self, call: ChatCall) -> ChatAnswer:
        if self._bucket is not None:
            wait_s = self._bucket.wait_for_token(now=call.arrived_at)
            if wait_s > 0:
                return throttled(retry_after=f"{wait_s + 0.001:.3f}" if self._bucket.says_when else None)
        if not self.any_path and call.path.partition("?")[0] != "/v1/chat/completions":
            return ChatAnswer(status=404, body=b'{"detail": "Not Found"}')
        answer = self._answers.popleft() if self._answers else self._default
        return answer if isinstance(answer, ChatAnswer) else answer(call)


async def _until_async(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110  # it comes about in another thread
            await asyncio.sleep(0.005)


def _parsed(head: bytes) -> ChatCall:
    request_line, *lines = head.decode("latin-1").strip().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return ChatCall(
        path=request_line.split()[1],
        headers={name.lower(): value for name, value in headers.items()},
        arrived_at=time.monotonic(),
    )


def _head(answer: ChatAnswer, length: int, content_type: str) -> bytes:
    headers: Mapping[str, str] = {
        "Content-Type": content_type,
        "Content-Length": str(length),
        **answer.headers,
    }
    lines = [f"HTTP/1.1 {answer.status} Status", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
