"""Values of unknown origin as short text for evidence and rationales."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from rampart.text.oneline import quote
from rampart.text.safe import safe_repr, safe_str
from rampart.text.secrets import redact

_WHOLE = 1000
_VALUE = 200
_CUT = "..."


def shown_value(value: object, /) -> str:
    """The repr of `value` without secrets, cut at 200 characters; a fixed text if it cannot be rendered."""
    return _cut(_repr(value), _VALUE)


def shown_values(values: object, /) -> str:
    """The repr of a mapping without secrets, cut at 1,000 characters.

    A value that cannot be rendered costs only itself.
    """
    if not isinstance(values, Mapping):
        return _cut(_repr(values), _WHOLE)
    pieces: list[str] = []
    room = _WHOLE
    # Each item takes four characters at least, so what lies beyond the limit need not be rendered.
    for key, value in islice(values.items(), _WHOLE):
        pieces.append(f"{_repr(key)}: {_repr(value)}")
        room -= len(pieces[-1]) + 2
        if room < 0:
            break
    return _cut("{" + ", ".join(pieces) + "}", _WHOLE)


def shown_name(name: object, /) -> str:
    """A name between single quotes, on one line, cut at 200 characters."""
    return f"'{quote(safe_str(name), _VALUE)}'"


def shown_error(error: Exception, /) -> str:
    """The type and text of an exception on one line, cut at 200 characters."""
    return quote(f"{type(error).__name__}: {safe_str(error)}", _VALUE)


def _repr(value: object) -> str:
    """The repr without secrets, whole: a cut before would leave half of one, which nobody finds."""
    return redact(safe_repr(value))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + _CUT
