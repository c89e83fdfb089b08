"""The rules that every converter keeps: which payloads it takes, and what its result carries on."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from rampart.core.types import Payload, PayloadFormat

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

CONVERTER = "converter"
CONVERTERS = "converters"
MEDIA_TYPE = "media_type"
FILE_NAME_EXTENSION = "file_name_extension"
CARRIED_TEXT = "carried_text"

_ADDED = frozenset({CONVERTER, CONVERTERS, MEDIA_TYPE, FILE_NAME_EXTENSION, CARRIED_TEXT})
"""What converters add; what they said of the form they gave is made untrue by a further conversion."""


def require_payload(payload: object, *, converter: str) -> None:
    """Refuse what is no payload, such as its text alone.

    Raises:
        TypeError: If it is none.
    """
    if not isinstance(payload, Payload):
        hint = ": wrap the text, Payload(content=...)" if isinstance(payload, str) else ""
        msg = f"{converter} converts a Payload, got {type(payload).__name__}{hint}"
        raise TypeError(msg)


def require_text_payload(payload: Payload, *, converter: str) -> None:
    """Refuse a payload that is a file, or is none.

    Raises:
        TypeError: If it is no payload.
        ValueError: If the payload's format is binary.
    """
    require_payload(payload, converter=converter)
    if payload.format.is_binary:
        msg = f"{converter} requires a text payload, got {payload.format.value}."
        raise ValueError(msg)


def converted(
    payload: Payload,
    *,
    converter: str,
    content: str,
    payload_format: PayloadFormat = PayloadFormat.TEXT,
    artifact: Path | None = None,
    about: Mapping[str, Any] | None = None,
) -> Payload:
    """A payload made of another one: same id, its metadata carried forward, the converter added.

    Args:
        payload: What was converted.
        converter: The class name of the converter.
        content: The new content.
        payload_format: The new format.
        artifact: The file of a binary format.
        about: Further metadata, about the new form.
    """
    return Payload(
        content=content,
        id=payload.id,
        format=payload_format,
        artifact=artifact,
        metadata=converted_metadata(payload.metadata, converter=converter) | dict(about or {}),
    )


def converted_metadata(before: Mapping[str, Any], *, converter: str) -> dict[str, Any]:
    """Metadata after one more conversion.

    `converter` names the last one; from the second conversion on `converters` names all, in order. What
    an earlier converter said of the form it gave (media type, file name ending, carried text) is dropped.
    """
    metadata = without_converters(before) | {CONVERTER: converter}
    earlier = converter_names(before)
    if earlier:
        metadata[CONVERTERS] = [*earlier, converter]
    return metadata


def without_converters(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata less what converters added: their names, and what they said of the form they gave."""
    if CONVERTER not in metadata:
        return dict(metadata)
    return {key: value for key, value in metadata.items() if key not in _ADDED}


def converter_names(metadata: Mapping[str, Any]) -> list[str]:
    """The converters that a payload went through, in order."""
    if CONVERTER not in metadata:
        return []
    names = metadata.get(CONVERTERS)
    return list(names) if isinstance(names, list) else [metadata[CONVERTER]]


@contextlib.contextmanager
def naming(payload: Payload, *, converter: str) -> Iterator[None]:
    """Make a refusal of the content name the converter and the payload."""
    try:
        yield
    except ValueError as error:
        msg = f"{converter} cannot convert payload {payload.id!r}: {error}"
        raise ValueError(msg) from error
