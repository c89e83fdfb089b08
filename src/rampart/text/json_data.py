"""Untrusted values as JSON that a language model reads as data."""

from __future__ import annotations

import json
import re
from typing import Any

# JSON leaves these as they are. Escaped they show, and cannot reorder, hide or break what stands around them;
# and no server takes `<|im_end|>` or `[INST]` inside of a message for the control token of that name.
_ESCAPED = re.compile(
    r"<|\[(?=/?[A-Z_]+\])|"
    r"[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    r"\U000e0000-\U000e007f]"
)


def json_data(value: dict[str, Any], /) -> str:
    r"""One JSON object on one line, without control tokens, control and invisible format characters.

    Readable text of any script stays as it is. What is inside of a string cannot end it: quotes, backslashes
    and line breaks are escaped by JSON itself. Everything reads back as it was; a lone surrogate is written
    as `\udXXX`, which any encoding can carry.
    """
    return _ESCAPED.sub(_escape, json.dumps(value, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return f"\\u{ord(character):04x}" if character.isascii() else json.dumps(character)[1:-1]
