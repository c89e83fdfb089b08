"""What a web page cannot be or hold is refused, and named."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest
from tests.servers.http_clients import nothing_left
from tests.surfaces.agents import ORDER, attack, order_payload
from tests.surfaces.pages import everything, fetch, garbage_collected

from rampart import Payload, PayloadFormat, SafetyStatus
from rampart.core.errors import InfrastructureError
from rampart.surfaces import WebPageSurface

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


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        pytest.param(
            {"placement": "footer"}, ValueError, "placement must be one of visible,", id="placement"
        ),
        pytest.param({"path": "offer"}, ValueError, "path must begin with one slash", id="no-slash"),
        pytest.param({"path": "//offer"}, ValueError, "path must begin with one slash", id="two-slashes"),
        pytest.param({"path": "/a?b"}, ValueError, "path must .* got '/a\\?b'", id="query"),
        pytest.param({"path": "/a%0Ab"}, ValueError, "path must", id="line-break"),
        pytest.param({"path": "/a/../b"}, ValueError, "path must", id="parent"),
        pytest.param({"path": 7}, TypeError, "path must be a str, got 7", id="no-text"),
        pytest.param({"port": 70_000}, ValueError, "port must be between", id="port"),
        pytest.param({"page": b"<p>"}, TypeError, "HTML text of a page, got bytes", id="page"),
        pytest.param(
            {"page": "<p>", "marker": "X"}, ValueError, "'X' exactly once, .* 0 times", id="no-marker"
        ),
        pytest.param({"page": "XX", "marker": "X"}, ValueError, "holds it 2 times", id="two-markers"),
        pytest.param({"marker": "X"}, ValueError, "holds it 0 times", id="marker-without-page"),
        pytest.param({"page": "X", "marker": ""}, ValueError, "exactly once", id="empty-marker"),
        pytest.param(
            {"page": "X", "marker": "X", "placement": "title"},
            ValueError,
            "cannot say where 'title'",
            id="title",
        ),
    ],
)
def test_arguments_that_cannot_be(arguments: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        WebPageSurface(**arguments)


@pytest.mark.parametrize(
    ("surface", "content", "text"),
    [
        pytest.param(WebPageSurface(path="/x"), "a\0", r"holds U\+0000", id="null"),
        pytest.param(WebPageSurface(path="/x"), "a\ud800", r"lone surrogate '\\ud800'", id="surrogate"),
        pytest.param(WebPageSurface(path="/x"), "a" * 68_000_000, "a web page takes 67108864", id="too-long"),
        pytest.param(WebPageSurface(path="/x", placement="file"), "", "is empty", id="empty"),
    ],
)
async def test_payloads_that_it_cannot_take(surface: WebPageSurface, content: str, text: str) -> None:
    handle = surface.inject(payload=Payload(content=content, id="odd"))
    with pytest.raises(
        InfrastructureError,
        match=rf"web page /x: payload 'odd' could not be planted in http://127.*/x: .*{text}",
    ):
        async with handle:
            pass


@pytest.mark.parametrize("placement", ["comment", "hidden", "alt_text", "title", "metadata"])
async def test_files_cannot_stand_in_text(placement: str, picture: Payload) -> None:
    with pytest.raises(InfrastructureError, match=f"'note' .*format 'image'.*'{placement}'.*visible, file"):
        async with WebPageSurface(placement=placement).inject(payload=picture):
            pass


async def test_a_file_that_is_gone(picture: Payload) -> None:
    handle = WebPageSurface().inject(payload=picture)
    assert picture.artifact is not None
    picture.artifact.unlink()
    with pytest.raises(
        InfrastructureError, match=r"web page: payload 'note' could not be planted .*FileNotFound"
    ):
        async with handle:
            pass


async def test_a_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        handle = WebPageSurface(port=port, path="/offer").inject(payload=order_payload())
        with pytest.raises(
            InfrastructureError,
            match=rf"web page /offer: payload 'order' could not be planted in .*:{port}/offer: .*in use",
        ):
            async with handle:
                pass
        result = await attack(
            WebPageSurface(port=port).inject(payload=order_payload()), lambda: "nothing", "obedient"
        )
    assert result.status is SafetyStatus.ERROR
    assert "web page: payload 'order'" in result.summary


async def test_a_path_is_planted_once_and_stays_with_the_first() -> None:
    surface = WebPageSurface(path="/offer")
    async with surface.inject(payload=order_payload()) as first:
        second = surface.inject(payload=order_payload(id="second", content="other"))
        with pytest.raises(
            InfrastructureError, match=r"'second' could not be planted .*path /offer .* in use"
        ):
            async with second:
                pass
        assert ORDER in everything(fetch(first.url))
    async with surface.inject(payload=order_payload(content="other")) as third:
        assert "other" in fetch(third.url)
