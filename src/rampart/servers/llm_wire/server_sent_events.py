"""Server-sent events, read as they come.

Format: WHATWG HTML, section 9.2.6, "Interpreting an event stream".
"""

from __future__ import annotations

MAX_EVENT_BYTES = 16 * 1024 * 1024


class EventTooLongError(ValueError):
    """An event is longer than is kept."""


class EventParser:
    """Gives the data of each event, in whatever pieces the stream comes."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> list[str]:
        """The data of the events that end in this piece.

        Raises:
            EventTooLongError: If one is longer than is kept.
        """
        start = max(0, len(self._rest) - 1)
        self._rest += piece
        # Only what is new can end a line, so that a long line costs no more than its length.
        if not any(end in self._rest[start:] for end in (b"\n", b"\r")):
            self._check(len(self._rest))
            return []
        lines = bytes(self._rest).replace(b"\r\n", b"\n")
        held = b"\r" if lines.endswith(b"\r") else b""  # a line feed may follow
        *whole, rest = lines.removesuffix(b"\r").replace(b"\r", b"\n").split(b"\n")
        self._rest = bytearray(rest + held)
        self._check(len(rest))
        events = []
        for line in whole:
            event = self._take(line)
            if event is not None:
                events.append(event)
        return events

    def finish(self) -> list[str]:
        """The data of an event that lacks nothing but its empty line."""
        return [*self.feed(b"\n"), *self.feed(b"\n\n")]

    def _take(self, line: bytes) -> str | None:
        if not line:
            data, self._data, self._size = self._data, [], 0
            return b"\n".join(data).decode(errors="replace") if data else None
        name, _, value = line.partition(b":")
        if name == b"data":
            value = value.removeprefix(b" ")
            self._size += len(value)
            self._check(self._size)
            self._data.append(value)
        return None

    def _check(self, size: int) -> None:
        if size > MAX_EVENT_BYTES:
            msg = f"a server-sent event is longer than {MAX_EVENT_BYTES} bytes"
            raise EventTooLongError(msg)
