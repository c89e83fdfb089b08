"""Payloads that are files: on a page or without one."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import pytest
from tests.servers.http_clients import nothing_left
from tests.surfaces.pages import ReadPage, fetch, garbage_collected

from rampart import Payload, PayloadFormat
from rampart.surfaces import PagePlacement, WebPageSurface

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    with nothing_left(), garbage_collected():
        yield


PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c02"
    "0000000b4944415478da6364f80f00010501012718e3660000000049454e44ae426082"
)


@pytest.fixture
def picture(tmp_path: Path) -> Payload:
    path = tmp_path / "note.png"
    path.write_bytes(PNG)
    return Payload(content="a note", id="note", format=PayloadFormat.IMAGE, artifact=path)


def download(url: str) -> tuple[bytes, str]:
    with urllib.request.urlopen(url, timeout=10) as response:
        return response.read(), response.headers["Content-Type"]


async def test_a_picture_stands_on_the_page(picture: Payload) -> None:
    async with WebPageSurface(path="/offer").inject(payload=picture) as handle:
        page = fetch(handle.url)
        assert "a note" not in page
        assert not handle.delivered
        assert [one.payload for one in handle.fetches] == [False]
        [address] = ReadPage(page).attributes["src"]
        assert download(address) == (PNG, "image/png")
        assert handle.delivered
        assert [one.payload for one in handle.fetches] == [False, True]
        assert handle.fetches[1].path.endswith(".png")
    with pytest.raises(urllib.error.URLError):
        download(address)


@pytest.mark.parametrize(
    ("payload_format", "ending", "content_type"),
    [
        pytest.param(PayloadFormat.IMAGE, ".png", "image/png", id="png"),
        pytest.param(PayloadFormat.IMAGE, ".JPG", "image/jpeg", id="jpg"),
        pytest.param(PayloadFormat.IMAGE, "", "image/png", id="no-ending"),
        pytest.param(PayloadFormat.PDF, ".pdf", "application/pdf", id="pdf"),
        pytest.param(PayloadFormat.AUDIO, ".mp3", "audio/mpeg", id="mp3"),
    ],
)
async def test_files_are_served_as_what_they_are(
    tmp_path: Path, payload_format: PayloadFormat, ending: str, content_type: str
) -> None:
    path = tmp_path / f"file{ending}"
    path.write_bytes(b"\0\xff bytes")
    payload = Payload(content="a file", format=payload_format, artifact=path)
    async with WebPageSurface(placement=PagePlacement.FILE).inject(payload=payload) as handle:
        assert download(handle.url) == (b"\0\xff bytes", content_type)
        assert handle.delivered
    async with WebPageSurface().inject(payload=payload) as handle:
        attributes = ReadPage(fetch(handle.url)).attributes
        [address] = attributes["src"] if payload_format is PayloadFormat.IMAGE else attributes["href"]
        assert download(address) == (b"\0\xff bytes", content_type)


@pytest.mark.parametrize(
    ("payload_format", "content_type"),
    [
        pytest.param(PayloadFormat.TEXT, "text/plain; charset=utf-8", id="text"),
        pytest.param(PayloadFormat.HTML, "text/html; charset=utf-8", id="html"),
        pytest.param(PayloadFormat.MARKDOWN, "text/markdown; charset=utf-8", id="markdown"),
    ],
)
async def test_text_without_a_page(payload_format: PayloadFormat, content_type: str) -> None:
    payload = Payload(content="<b>é\0</b>\r\n", format=payload_format)
    async with WebPageSurface(placement="file").inject(payload=payload) as handle:
        assert download(handle.url) == ("<b>é\0</b>\r\n".encode(), content_type)
