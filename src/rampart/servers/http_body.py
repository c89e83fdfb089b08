"""Reading the body of an HTTP request, of which only so much is kept.

Formats: RFC 9112, section 6 (Content-Length) and section 7.1 (chunked).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

_PIECE = 64 * 1024
_MAX_LINE = 8 * 1024
_MAX_TRAILERS = 100
_DECIMAL = re.compile(r"[0-9]{1,18}")
_HEXADECIMAL = re.compile(rb"[0-9A-Fa-f]{1,15}")


class MalformedBodyError(ValueError):
    """What says how long a body is, headers or chunks, cannot be understood."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...
    def readline(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, kw_only=True)
class Body:
    """What arrived of a body.

    Attributes:
        kept: Its beginning.
        size: Bytes that arrived.
        complete: Whether it arrived to its end, in a form that could be understood.
    """

    kept: bytes = b""
    size: int = 0
    complete: bool = True


def read_body(source: _Readable, *, headers: Message, keep: int) -> Body:
    """Read a body to its end, or as far as it arrives and can be understood.

    Args:
        source: The connection.
        headers: The headers of the request.
        keep: Bytes to keep; the rest is read and forgotten.
    """
    kept, size = bytearray(), 0
    try:
        length = _declared_length(headers)
        for piece in _chunks(source) if length is None else _pieces(source, length):
            size += len(piece)
            kept += piece[: keep - len(kept)]
    except (OSError, EOFError, MalformedBodyError):
        return Body(kept=bytes(kept), size=size, complete=False)
    return Body(kept=bytes(kept), size=size)


def _declared_length(headers: Message) -> int | None:
    """What `Content-Length` says; 0 without one, None for a chunked body."""
    encoding = ", ".join(headers.get_all("Transfer-Encoding", [])).strip().lower()
    if encoding:
        if encoding != "chunked":
            msg = f"the transfer encoding {encoding!r} is not supported"
            raise MalformedBodyError(msg)
        return None
    lengths = {text.strip() for value in headers.get_all("Content-Length", []) for text in value.split(",")}
    if not lengths:
        return 0
    if len(lengths) > 1 or _DECIMAL.fullmatch(length := lengths.pop()) is None:
        msg = "Content-Length is not one number"
        raise MalformedBodyError(msg)
    return int(length)


def _pieces(source: _Readable, length: int) -> Iterator[bytes]:
    while length:
        # One byte more would wait for a full piece, and lose what came if the client falls silent.
        piece = _available(source, min(length, _PIECE))
        length -= len(piece)
        yield piece


def _available(source: _Readable, most: int) -> bytes:
    read = getattr(source, "read1", source.read)
    piece: bytes = read(most)
    if not piece:
        raise EOFError
    return piece


def _chunks(source: _Readable) -> Iterator[bytes]:
    while size := _chunk_size(_line(source)):
        yield from _pieces(source, size)
        if _line(source):
            msg = "a chunk is longer than it says"
            raise MalformedBodyError(msg)
    for _ in range(_MAX_TRAILERS):
        if not _line(source):
            return
    msg = f"more than {_MAX_TRAILERS} trailers follow the last chunk"
    raise MalformedBodyError(msg)


def _chunk_size(line: bytes) -> int:
    size = line.partition(b";")[0].strip()
    if _HEXADECIMAL.fullmatch(size) is None:
        msg = "the size of a chunk is not a number"
        raise MalformedBodyError(msg)
    return int(size, 16)


def _line(source: _Readable) -> bytes:
    line = source.readline(_MAX_LINE + 1)
    if not line.endswith(b"\n"):
        if len(line) > _MAX_LINE:
            msg = f"a line between chunks is longer than {_MAX_LINE} bytes"
            raise MalformedBodyError(msg)
        raise EOFError
    return line.rstrip(b"\r\n")
