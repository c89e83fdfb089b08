"""Values of unknown origin as short text for evidence and rationales."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from rampart.text.oneline import quote
from rampart.text.safe import UNPRINTABLE, safe_str

_WHOLE = 1000
_VALUE = 200
_CUT = "..."


def shown_value(value: object, /) -> str:
    """The repr of `value`, cut at 200 characters; a fixed text if it cannot be rendered."""
    return _cut(_repr(value, _VALUE), _VALUE)


def shown_values(values: object, /) -> str:
    """The repr of a mapping, cut at 1,000 characters; a value that cannot be rendered costs only itself."""
    if not isinstance(values, Mapping):
        return _cut(_repr(values, _WHOLE), _WHOLE)
    pieces: list[str] = []
    room = _WHOLE
    # Each item takes four characters at least, so what lies beyond the limit need not be rendered.
    for key, value in islice(values.items(), _WHOLE):
        pieces.append(f"{_repr(key, _WHOLE)}: {_repr(value, _WHOLE)}")
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


def _repr(value: object, limit: int) -> str:
    if isinstance(value, str | bytes) and len(value) > limit:
        # One more than the limit, so that the cut below still shows.
        value = value[: limit + 1]
    try:
        return str.__str__(repr(value))
    except Exception:  # any failure of a foreign `__repr__` means the same here
        return UNPRINTABLE


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + _CUT
