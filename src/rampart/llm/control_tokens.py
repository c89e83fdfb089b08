"""The control tokens of a GGUF model, and text in which none of them is left.

A runtime reads the conversation as one text in which control tokens mark who speaks. Text of agents and tools
that spells such a token would end its message and begin another one, in the name of the system or of the
model itself.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

_ZERO_WIDTH_SPACE = "\u200b"
_TOKENS, _KINDS = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type"
_CONTROL = 3
"""The kind of token; as in `llama_token_type` of llama.cpp."""

# Types of values, and how the fixed ones are packed: docs/gguf.md in the repository of ggml.
_STRING, _ARRAY = 8, 9
_PACKED = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


def control_tokens(path: Path) -> frozenset[str]:
    """The texts of the control tokens of a model.

    Args:
        path: A GGUF file that a runtime has accepted.

    Raises:
        ValueError: If the file is of another make than the format says.
    """
    with path.open("rb") as file:
        try:
            _magic, _version, _tensors, count = _unpack(file, "IIQQ")
            found: dict[str, Any] = {}
            for _ in range(count):
                key = _string(file).decode("utf-8", "replace")
                value = _value(file, _unpack(file, "I")[0])
                if key in (_TOKENS, _KINDS):
                    found[key] = value
        except (struct.error, KeyError, OverflowError, MemoryError) as error:
            msg = f"the table of tokens in {path.name} cannot be read"
            raise ValueError(msg) from error
    kinds = zip(found.get(_TOKENS, ()), found.get(_KINDS, ()), strict=False)
    texts = (token.decode("utf-8", "replace") for token, kind in kinds if kind == _CONTROL)
    return frozenset(text for text in texts if len(text) > 1)


def without_tokens(text: str, tokens: frozenset[str]) -> str:
    """The text with a zero-width space in each spelled token, which people do not see and models hardly."""
    if not tokens:
        return text
    pattern = re.compile("|".join(re.escape(token) for token in sorted(tokens, key=len, reverse=True)))
    while pattern.search(text):  # what is left of one token may be the beginning of another
        text = pattern.sub(lambda found: found[0][0] + _ZERO_WIDTH_SPACE + found[0][1:], text)
    return text


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _string(file)
    if kind == _ARRAY:
        of, length = _unpack(file, "IQ")
        if of in _PACKED:
            return _unpack(file, f"{length}{_PACKED[of]}")
        return [_value(file, of) for _ in range(length)]
    return _unpack(file, _PACKED[kind])[0]


def _string(file: BinaryIO) -> bytes:
    (length,) = _unpack(file, "Q")
    return _unpack(file, f"{length}s")[0]  # type: ignore[no-any-return]  # struct has no types


def _unpack(file: BinaryIO, layout: str) -> tuple[Any, ...]:
    form = struct.Struct(f"<{layout}")
    return form.unpack(file.read(form.size))
