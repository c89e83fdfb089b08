"""One request to a model, and its reply as it comes."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from rampart.servers.llm_wire.items import WireReply
from rampart.servers.llm_wire.plain import mapping, parsed
from rampart.servers.llm_wire.server_sent_events import EventParser, EventTooLongError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from rampart.servers.llm_wire.items import OfferedTool
    from rampart.servers.llm_wire.wire_formats import ReplyStream, WireFormat

MAX_BYTES = 64 * 1024 * 1024
_PLAIN = frozenset({"", "identity"})
_UNPACKED = frozenset({"gzip", "x-gzip", "deflate"})


class Exchange:
    """Takes the reply in pieces, and says at any time what is known of it.

    Args:
        wire_format: How it is read.
        lock: Held while it is read or written.
        on_end: Called once, when nothing more will come.
        path: The path of the request, for messages.

    Attributes:
        wire_format: How it is read.
        over: Whether nothing more will come.
        status: The HTTP status; None before there is one.
        error: Why there is no reply, as the connection or the server has it.
        unreadable: Why calls may have been missed in it.
        ignored: Whether the reply is known from elsewhere.
        counted: Whether its usage was counted.
        usage_known: Whether the usage that it states is to be believed.
    """

    def __init__(
        self,
        wire_format: WireFormat,
        *,
        lock: threading.RLock,
        on_end: Callable[[Exchange], None],
        path: str = "",
    ) -> None:
        self.wire_format = wire_format
        self.over = False
        self.status: int | None = None
        self.error = ""
        self.unreadable = ""
        self.ignored = False
        self.counted = False
        self.usage_known = True
        self._lock = lock
        self._path = path
        self._on_end = on_end
        self._body = bytearray()
        self._size = 0
        self._events: EventParser | None = None
        self._stream: ReplyStream | None = None
        self._unpack: zlib._Decompress | None = None
        self._whole = False
        self._reply: WireReply | None = None
        self._loaded: list[OfferedTool] = []

    @property
    def succeeded(self) -> bool:
        """Whether the model gave a reply, or part of one."""
        return self.status is not None and self.status < 400 and not self.error

    def begin(self, status: int, *, content_type: str = "", encoding: str = "") -> None:
        """The head of the answer is there."""
        with self._lock:
            self._begin(status, content_type, encoding)

    def _begin(self, status: int, content_type: str, encoding: str) -> None:
        self.status = status
        if status >= 400:
            self.error = f"status {status}"
            return
        kind = content_type.partition(";")[0].strip().lower()
        encoding = encoding.strip().lower()
        if encoding in _UNPACKED:
            self._unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)
        elif encoding not in _PLAIN:
            self._miss(f"is packed with {encoding[:20]!r}")
        if kind == "text/event-stream":
            self._events, self._stream = EventParser(), self.wire_format.stream()
        elif kind == "application/vnd.amazon.eventstream":
            self._miss("comes in Amazon's binary event stream")

    def feed(self, piece: bytes) -> None:
        """A piece of the body is there; it is told before the agent gets it."""
        with self._lock:
            self._feed(piece)

    def _feed(self, piece: bytes) -> None:
        if self.over or self.unreadable or not self.succeeded:
            return
        try:
            piece = self._unpacked(piece)
            self._size += len(piece)
            if self._size > MAX_BYTES:
                self._miss(f"has more than {MAX_BYTES} bytes")
            elif self._events is not None:
                self._take(self._events.feed(piece))
            else:
                self._body += piece
        except (EventTooLongError, zlib.error) as error:
            self._miss(f"cannot be read: {error}")
        if self._stream is not None and self._stream.ended:
            self.end(whole=True)

    def end(self, *, whole: bool) -> None:
        """Nothing more will come.

        Args:
            whole: Whether all of it came; an agent may stop reading when it has what it wants.
        """
        with self._lock:
            if not self.over:
                self._end(whole=whole)

    def _end(self, *, whole: bool) -> None:
        if self._events is not None and whole and not self.unreadable:
            self._take(self._events.finish())
        self.over, self._whole = True, whole
        if not whole and self._events is None and self.succeeded:
            self.error = "the connection broke off"
        reply = self.reply()
        if reply.failure and self.succeeded:
            self.error = reply.failure
        self._on_end(self)
        self._body, self._events, self._stream = bytearray(), None, None

    def fail(self, error: BaseException) -> None:
        """There will be no answer."""
        with self._lock:
            if not self.over:
                self.error = type(error).__name__
                self.over = True
                self._on_end(self)

    def reply(self) -> WireReply:
        """What is known of the reply by now."""
        with self._lock:
            return self._read() if self._reply is None else self._reply

    def _read(self) -> WireReply:
        body = self._document()
        try:
            reply = self.wire_format.read_reply(body) if body else WireReply()
            self._loaded = self.wire_format.loaded_tools(body)
        except Exception as error:  # the agent gets its reply, whatever is in it
            self._miss(f"cannot be read: {type(error).__name__}")
            reply = WireReply()
        if self.over:
            self._reply = reply
        return reply

    @property
    def loaded_tools(self) -> list[OfferedTool]:
        """The tools that the reply made known to the model."""
        return self._loaded

    def _document(self) -> dict[str, object]:
        if self.unreadable or self.status is None or self.status >= 400:
            return {}
        if self._stream is not None:
            return self._stream.body()
        if not self.over:
            return {}
        document = parsed(bytes(self._body))
        if not isinstance(document, dict) and self._whole:
            self._miss("is no JSON object")
        return mapping(document)

    def _take(self, events: list[str]) -> None:
        for data in events:
            if self._stream is not None:
                self._stream.take(data)

    def _unpacked(self, piece: bytes) -> bytes:
        if self._unpack is None:
            return piece
        room = MAX_BYTES - self._size + 1
        unpacked = self._unpack.decompress(piece, room)
        if self._unpack.unconsumed_tail:
            self._size = MAX_BYTES + 1
        return unpacked

    def _miss(self, why: str) -> None:
        self.unreadable = f"a reply to {self._path[:100]!r} {why}"
        self._body.clear()
