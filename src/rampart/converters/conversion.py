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

_ABOUT_THE_FORM = frozenset({MEDIA_TYPE, FILE_NAME_EXTENSION, CARRIED_TEXT})
"""What a converter said of the form it gave; a further conversion makes it untrue."""


def require_text_payload(payload: Payload, *, converter: str) -> None:
    """Refuse a payload that is a file.

    Raises:
        ValueError: If the payload's format is binary.
    """
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
    was_converted = CONVERTER in before
    metadata = {key: value for key, value in before.items() if not (was_converted and key in _ABOUT_THE_FORM)}
    metadata[CONVERTER] = converter
    if was_converted:
        metadata[CONVERTERS] = [*converter_names(before), converter]
    return metadata


def converter_names(metadata: Mapping[str, Any]) -> list[str]:
    """The converters that a payload went through, in order."""
    names = metadata.get(CONVERTERS)
    if isinstance(names, list):
        return list(names)
    return [metadata[CONVERTER]] if CONVERTER in metadata else []


@contextlib.contextmanager
def naming(payload: Payload, *, converter: str) -> Iterator[None]:
    """Make a refusal of the content name the converter and the payload."""
    try:
        yield
    except ValueError as error:
        msg = f"{converter} cannot convert payload {payload.id!r}: {error}"
        raise ValueError(msg) from error
