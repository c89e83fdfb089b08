"""A reader of PNG files that owes nothing to the library which writes them (W3C: PNG, third edition)."""

import struct
import zlib
from pathlib import Path

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunks_of(path: Path) -> list[tuple[str, bytes]]:
    """The chunks of a file, their check sums compared."""
    data = path.read_bytes()
    assert data.startswith(_SIGNATURE)
    chunks, place = [], len(_SIGNATURE)
    while place < len(data):
        size, name = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + size]
        assert struct.unpack(">I", data[place + 8 + size : place + 12 + size]) == (zlib.crc32(name + body),)
        chunks.append((name.decode("ascii"), body))
        place += 12 + size
    return chunks


def text_entries(path: Path) -> dict[str, str]:
    """The entries of `tEXt` and uncompressed `iTXt` chunks."""
    entries = {}
    for name, body in chunks_of(path):
        keyword, _, rest = body.partition(b"\0")
        if name == "tEXt":
            entries[keyword.decode("latin-1")] = rest.decode("latin-1")
        elif name == "iTXt":
            assert rest[:2] == b"\0\0"
            _language, _, rest = rest[2:].partition(b"\0")
            _translated, _, text = rest.partition(b"\0")
            entries[keyword.decode("latin-1")] = text.decode("utf-8")
    return entries


def grey_levels(path: Path) -> list[bytes]:
    """The rows of an eight-bit grey picture; filters 0 to 4 are undone."""
    chunks = chunks_of(path)
    width, height, depth, colour, *_ = struct.unpack(">IIBBBBB", dict(chunks)["IHDR"])
    assert (depth, colour) == (8, 0)
    data = zlib.decompress(b"".join(body for name, body in chunks if name == "IDAT"))
    rows: list[bytes] = []
    above = bytes(width)
    for start in range(0, (width + 1) * height, width + 1):
        above = _unfiltered(data[start], data[start + 1 : start + 1 + width], above)
        rows.append(above)
    return rows


def _unfiltered(kind: int, line: bytes, above: bytes) -> bytes:
    row = bytearray()
    for place, value in enumerate(line):
        left = row[place - 1] if place else 0
        corner = above[place - 1] if place else 0
        row.append((value + _predicted(kind, left, above[place], corner)) & 0xFF)
    return bytes(row)


def _predicted(kind: int, left: int, above: int, corner: int) -> int:
    if kind == 4:
        guess = left + above - corner
        return min((left, above, corner), key=lambda value: abs(guess - value))
    return (0, left, above, (left + above) // 2)[kind]
