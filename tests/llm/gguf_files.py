"""Small GGUF files without a model in them, for what is read before a runtime sees them."""

import struct
from pathlib import Path

_STRING, _ARRAY, _I32, _U32 = 8, 9, 5, 4


def write_gguf(path: Path, *, tokens: list[str], kinds: list[int], cut_at: int | None = None) -> Path:
    """Write the head of a file with a table of tokens; `cut_at` keeps that many bytes only."""
    entries = [
        _text("general.name") + struct.pack("<I", _STRING) + _text("none"),
        _text("some.count") + struct.pack("<II", _U32, 7),
        _text("tokenizer.ggml.tokens")
        + struct.pack("<IIQ", _ARRAY, _STRING, len(tokens))
        + b"".join(_text(token) for token in tokens),
        _text("tokenizer.ggml.token_type")
        + struct.pack(f"<IIQ{len(kinds)}i", _ARRAY, _I32, len(kinds), *kinds),
    ]
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries))
    path.write_bytes((head + b"".join(entries))[:cut_at])
    return path


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data
