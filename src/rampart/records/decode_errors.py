"""What the decoder's errors say to readers: the place and what was expected, never the data."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from rampart.core.errors import SchemaError, UnsupportedSchemaVersionError
from rampart.records import wire
from rampart.records.json_values import has_surrogate
from rampart.records.paths import Path, render

_VERSIONED = msgspec.json.Decoder(wire.Versioned)
_PLACE = re.compile(r"(?P<text>.*?)(?: - at `\$(?P<place>[^`]*)`)?", re.DOTALL)
# Only what is known to name no data is passed on.
_HARMLESS = re.compile(
    r"Expected `[^`]*`(?:, got `[a-z]+`| matching regex '.*'| [<>]=? [\d.]+| of length [<>=]+ \d+)"
    r"|Object missing required field `\w+`|Number out of range|Integer value out of range"
    r"|Invalid RFC3339 encoded datetime"
    r"|a prompt or an attachment is needed|eval_purpose needs an eval_result"
    r"|index must be between 0 and size - 1|a result or a population is needed"
    r"|a result and a population have a line each"
)
FIELDS = frozenset(
    name
    for struct in vars(wire).values()
    if isinstance(struct, type) and issubclass(struct, msgspec.Struct)
    for name in struct.__struct_fields__
)
"""The names that are the format's own."""


def decoding_error(error: Exception, data: object) -> SchemaError:
    """The error to raise in place of the parser's, which may quote the data."""
    if not isinstance(data, str | bytes):
        return SchemaError(f"record: expected a string, got {type(data).__name__}")
    if isinstance(error, RecursionError):
        return SchemaError("record: nested too deeply")
    if not isinstance(error, msgspec.ValidationError):
        return _syntax_error(data)
    try:
        version = _VERSIONED.decode(data).version
    except msgspec.ValidationError:
        pass  # not even an object; the error at hand says so
    except Exception:  # the decoder had not come that far
        return _syntax_error(data)
    else:
        if version != wire.TRACE_SCHEMA_VERSION:
            return _version_error(missing=version is None)
    return SchemaError(described(error))


def _version_error(*, missing: bool) -> UnsupportedSchemaVersionError:
    seen = "there is none" if missing else "this is another one"
    return UnsupportedSchemaVersionError(
        f"version: expected {wire.TRACE_SCHEMA_VERSION!r}, but {seen}; read it with the rampart that wrote it"
    )


def described(error: msgspec.ValidationError, *, root: str = "") -> str:
    """What the error says: the place, below `root` if given, and what was expected there."""
    message = str(error)
    match = _PLACE.fullmatch(message)
    text, place = (match["text"], match["place"]) if match else (message, None)
    if text.startswith("Invalid enum value"):
        text = "not one of the values that the format knows"
    elif _HARMLESS.fullmatch(text) is None:
        text = "does not follow the format"
    where = f"{root}{place or ''}".removeprefix(".") or "record"
    return f"{where}: {text[:1].lower()}{text[1:]}"


def _syntax_error(data: str | bytes) -> SchemaError:
    """Told apart here and not before: only broken records pay for it."""
    try:
        place = _surrogate_in(json.loads(data))
    except (ValueError, RecursionError):
        place = None
    if place is not None:
        return SchemaError(f"{render(*place)}: expected a string without lone surrogates")
    return SchemaError("record: expected one line of valid JSON")


def _surrogate_in(value: Any, parent: Path | None = None, part: Any = "record") -> Path | None:
    """The first place with a lone surrogate; names that are not the format's own are not shown."""
    if isinstance(value, str):
        return (parent, part) if has_surrogate(value) else None
    if isinstance(value, list):
        steps: list[tuple[Any, Any]] = list(enumerate(value))
    elif isinstance(value, dict):
        steps = [(key if key in FIELDS else ..., item) for key, item in value.items()]
        if any(map(has_surrogate, value)):
            return (parent, part), ...
    else:
        return None
    here = None if parent is None and part == "record" else (parent, part)
    found = (_surrogate_in(item, here, step) for step, item in steps)
    return next((place for place in found if place is not None), None)
