"""The file that a payload becomes in OneDrive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rampart.core.types import validate_payload_id

if TYPE_CHECKING:
    from rampart.core.types import Payload

MOST_BYTES = 4 * 1024 * 1024
"""What a planted file may hold: 4 MiB."""


def name_of(payload: Payload) -> str:
    """The name of the payload's file.

    Raises:
        ValueError: If the payload's id may not become part of a path.
    """
    return f"{validate_payload_id(payload.id)}{payload.format.extension}"


def content_of(payload: Payload) -> bytes:
    """The bytes of the payload's file.

    Raises:
        ValueError: If there are none, or too many.
    """
    if payload.format.is_text:
        return _checked_size(payload.content.encode(), payload=payload)
    if payload.artifact is None or not Path(payload.artifact).is_file():
        msg = f"payload {payload.id!r} has no artifact to upload: {payload.artifact} is no file"
        raise ValueError(msg)
    with Path(payload.artifact).open("rb") as file:
        return _checked_size(file.read(MOST_BYTES + 1), payload=payload)


def _checked_size(content: bytes, *, payload: Payload) -> bytes:
    if len(content) > MOST_BYTES:
        msg = f"payload {payload.id!r} is larger than the {MOST_BYTES} bytes (4 MiB) that one upload takes"
        raise ValueError(msg)
    return content
