"""What is served for a payload: a page, and the file that it leads to."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rampart.core.types import PayloadFormat
from rampart.surfaces.web_page_layout import put_into_page
from rampart.surfaces.web_page_markup import render_file, render_text
from rampart.surfaces.web_page_placement import FOR_FILES, PagePlacement

if TYPE_CHECKING:
    from rampart.core.types import Payload

MAX_BYTES = 64 * 1024 * 1024
"""The largest page or file that is served."""

_HTML = "text/html; charset=utf-8"
_TEXT_TYPES = {
    PayloadFormat.TEXT: "text/plain; charset=utf-8",
    PayloadFormat.HTML: _HTML,
    PayloadFormat.MARKDOWN: "text/markdown; charset=utf-8",
}
_FILE_TYPES = {
    PayloadFormat.IMAGE: "image/png",
    PayloadFormat.PDF: "application/pdf",
    PayloadFormat.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    PayloadFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    PayloadFormat.AUDIO: "audio/wav",
}
_TYPES_BY_ENDING = {
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}


@dataclass(frozen=True, kw_only=True)
class Served:
    """What one address gives.

    Attributes:
        body: The bytes.
        content_type: Their media type.
        payload: Whether they hold the payload.
    """

    body: bytes
    content_type: str
    payload: bool = True


def served_content(
    payload: Payload,
    *,
    placement: PagePlacement,
    page: str,
    marker: str | None,
    path: str,
    base_url: str,
) -> dict[str, Served]:
    """What is served for a payload, by path.

    Raises:
        ValueError: If the payload cannot stand there.
        OSError: If its file cannot be read.
    """
    if payload.format.is_text:
        if placement is PagePlacement.FILE:
            return {path: Served(body=_encoded(payload.content), content_type=_TEXT_TYPES[payload.format])}
        part = render_text(payload.content, payload_format=payload.format, placement=placement)
        return {path: _page(put_into_page(page, part, placement=placement, marker=marker))}
    file, ending = _file(payload, placement)
    if placement is PagePlacement.FILE:
        return {path: file}
    file_path = f"/files/{secrets.token_hex(6)}{ending}"
    part = render_file(base_url + file_path, payload_format=payload.format)
    text = put_into_page(page, part, placement=placement, marker=marker)
    return {path: _page(text, payload=False), file_path: file}


def _page(text: str, *, payload: bool = True) -> Served:
    return Served(body=_encoded(text), content_type=_HTML, payload=payload)


def _encoded(text: str) -> bytes:
    try:
        body = text.encode()
    except UnicodeEncodeError as error:
        msg = f"it holds the lone surrogate {text[error.start]!r}, which cannot be sent; remove it"
        raise ValueError(msg) from None
    return _checked(body)


def _file(payload: Payload, placement: PagePlacement) -> tuple[Served, str]:
    if placement not in FOR_FILES:
        msg = (
            f"it is a file, of format {payload.format.value!r}, which the placement {placement.value!r} "
            f"cannot hold; take one of {', '.join(FOR_FILES)}"
        )
        raise ValueError(msg)
    artifact = Path(payload.artifact or "")
    ending = artifact.suffix.lower() or payload.format.extension
    content_type = _FILE_TYPES[payload.format]
    if content_type.startswith(("image/", "audio/")):
        content_type = _TYPES_BY_ENDING.get(ending, content_type)
    return Served(body=_checked(artifact.read_bytes()), content_type=content_type), ending


def _checked(body: bytes) -> bytes:
    if not body:
        msg = "it is empty, so nobody could be seen to fetch it"
        raise ValueError(msg)
    if len(body) > MAX_BYTES:
        msg = f"it would be {len(body)} bytes long; a web page takes {MAX_BYTES}"
        raise ValueError(msg)
    return body
