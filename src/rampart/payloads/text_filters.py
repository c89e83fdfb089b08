"""What the library may do to a text before it is put into another: escapes and encodings.

Escapes keep a foreign text from being read as part of what surrounds it, so that the reader gets it as it
was given. Encodings are the technique itself: they hide or disguise the text.
"""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Final

from rampart.text.encodings import rot13, to_base64, to_hex
from rampart.text.invisible import split_letters, to_tags, to_zero_width
from rampart.text.letter_forms import to_full_width, to_look_alikes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NOT_IN_FILE_NAMES = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')
_ICALENDAR = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n", "\r": None})


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _in_file_name(text: str) -> str:
    return _one_line(_NOT_IN_FILE_NAMES.sub(" ", text)).strip(". ")


def _in_icalendar(text: str) -> str:
    return text.replace("\r\n", "\n").translate(_ICALENDAR)


def _spelled(text: str) -> str:
    return "-".join(text)


def _backwards(text: str) -> str:
    return text[::-1]


ESCAPES: Final[Mapping[str, Callable[[str], str]]] = {
    "html": html.escape,
    "json": _in_json,
    "line": _one_line,
    "file_name": _in_file_name,
    "icalendar": _in_icalendar,
}
"""By name; `icalendar` as in RFC 5545 section 3.3.11."""

ENCODINGS: Final[Mapping[str, Callable[[str], str]]] = {
    "base64": to_base64,
    "hex": to_hex,
    "rot13": rot13,
    "zero_width": to_zero_width,
    "split_letters": split_letters,
    "tags": to_tags,
    "look_alikes": to_look_alikes,
    "full_width": to_full_width,
    "spelled": _spelled,
    "backwards": _backwards,
}
"""By name; described in `rampart.text`, but for hyphens between all characters and the reverse order."""

FILTERS: Final = {**ESCAPES, **ENCODINGS}
