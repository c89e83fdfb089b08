"""Pages with a payload: served while their handle is entered, and known to be fetched or not."""

from __future__ import annotations

import asyncio
import gc
import socket
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from tests.servers.http_clients import ask, nothing_left, raw, refuses, server_threads
from tests.surfaces.agents import ORDER, check_the_three_agents, order_payload
from tests.surfaces.pages import ReadPage, everything, fetch, fetch_async, free_port, garbage_collected

from rampart import PayloadFormat
from rampart.surfaces import PagePlacement, WebPageSurface

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.surfaces.web_page_handle import WebPageHandle


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    with nothing_left(), garbage_collected():
        yield


class Last:
    """Makes handles, and reads the page of the last one: what the prompt of a real agent would name."""

    def __init__(self, surface: WebPageSurface, **payload: Any) -> None:
        self.surface, self.payload = surface, payload
        self.handles: list[WebPageHandle] = []

    def make(self) -> WebPageHandle:
        self.handles.append(self.surface.inject(payload=order_payload(**self.payload)))
        return self.handles[-1]

    def read(self) -> str:
        return everything(fetch(self.handles[-1].url))


@pytest.mark.parametrize("placement", [one for one in PagePlacement if one is not PagePlacement.FILE])
async def test_the_three_agents(placement: PagePlacement) -> None:
    last = Last(WebPageSurface(placement=placement))
    await check_the_three_agents(last.make, last.read)


async def test_the_three_agents_over_a_bare_file() -> None:
    last = Last(WebPageSurface(placement="file"))
    await check_the_three_agents(last.make, lambda: fetch(last.handles[-1].url))


async def test_the_three_agents_over_html_on_a_page_of_ones_own() -> None:
    surface = WebPageSurface(page="<h1>Mine</h1>[slot]<p>end</p>", marker="[slot]", path="/offer")
    last = Last(surface, content=f"<b>{ORDER}</b>", format=PayloadFormat.HTML)
    await check_the_three_agents(last.make, last.read)


async def test_a_page_lives_as_long_as_its_handle() -> None:
    handle = WebPageSurface().inject(payload=order_payload())
    async with handle as entered:
        assert entered is handle
        url, port = handle.url, int(handle.url.split(":")[2].split("/")[0])
        status, body, headers = ask(port, url.partition(str(port))[2])
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert ReadPage(body.decode()).texts["p"].endswith(ORDER)
        assert "Opening hours" in body.decode()
        assert ask(port, "/other")[0] == 404
        assert ask(port, handle.url, method="POST")[0] == 405
    assert refuses(port)
    assert handle.url == url
    await handle.__aexit__(None, None, None)


async def test_the_address_is_known_beforehand_and_held() -> None:
    surface = WebPageSurface(path="/offer")
    first, second = (surface.inject(payload=order_payload()) for _ in range(2))
    assert server_threads() == []
    url = first.url
    assert url.endswith("/offer")
    port = int(url.split(":")[2].split("/")[0])
    assert refuses(port)
    with pytest.raises(OSError, match="in use"):
        socket.create_server(("127.0.0.1", port), reuse_port=False)
    async with second:
        assert second.url == url
    assert second.url == url
    async with first:
        assert ORDER in everything(fetch(url))
    assert refuses(port)


async def test_a_forgotten_handle_gives_its_port_back() -> None:
    surface = WebPageSurface()
    handle = surface.inject(payload=order_payload())
    port = int(handle.url.split(":")[2].split("/")[0])
    del handle
    gc.collect()
    socket.create_server(("127.0.0.1", port)).close()


async def test_a_stated_address_needs_no_port_beforehand() -> None:
    port = free_port()
    handle = WebPageSurface(port=port, path="/caf%C3%A9 1").inject(payload=order_payload())
    assert handle.url == f"http://127.0.0.1:{port}/caf%C3%A9%201"
    socket.create_server(("127.0.0.1", port)).close()
    async with handle:
        assert ORDER in everything(fetch(handle.url))


async def test_fetches_are_counted_with_time_and_client() -> None:
    before = datetime.now(UTC)
    async with WebPageSurface(path="/offer").inject(payload=order_payload()) as handle:
        assert (handle.fetches, handle.delivered) == ((), False)
        await asyncio.to_thread(fetch, handle.url + "?a=1", user_agent="agent/1")
        await fetch_async(handle.url)
    assert [one.user_agent.split("/")[0] for one in handle.fetches] == ["agent", "Python-urllib"]
    assert [(one.path, one.payload) for one in handle.fetches] == [("/offer", True)] * 2
    assert before <= handle.fetches[0].received_at <= handle.fetches[1].received_at <= datetime.now(UTC)
    assert handle.delivered is True


@pytest.mark.parametrize(
    ("request_head", "delivered"),
    [
        pytest.param("HEAD {path} HTTP/1.1", False, id="head"),
        pytest.param("GET {path}x HTTP/1.1", False, id="another-page"),
        pytest.param("POST {path} HTTP/1.1\r\nContent-Length: 0", False, id="post"),
        pytest.param("GET {path} HTTP/9.1", False, id="malformed"),
        pytest.param("GET {path} HTTP/1.1\r\nRange: bytes=0-0", True, id="range-gets-the-whole"),
        pytest.param(
            "GET {path} HTTP/1.1\r\nIf-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\nIf-None-Match: *",
            True,
            id="condition-is-ignored",
        ),
        pytest.param("GET {path} HTTP/1.1\r\nAccept-Encoding: gzip", True, id="never-compressed"),
        pytest.param("GET {path} HTTP/1.0", True, id="old-version"),
    ],
)
async def test_only_a_whole_page_is_a_fetch(request_head: str, *, delivered: bool) -> None:
    async with WebPageSurface().inject(payload=order_payload()) as handle:
        _, _, rest = handle.url.partition("127.0.0.1:")
        port, _, path = rest.partition("/")
        answer = raw(int(port), f"{request_head.format(path='/' + path)}\r\n\r\n".encode())
    assert (ORDER.encode() in answer) is delivered
    assert answer.startswith(b"HTTP/1.1 200 ") is (delivered or request_head.startswith("HEAD"))
    assert handle.delivered is delivered
    assert len(handle.fetches) == delivered


async def test_a_page_that_was_left_half_read_is_not_delivered() -> None:
    payload = order_payload(content=ORDER + "x" * 30_000_000)
    async with WebPageSurface().inject(payload=payload) as handle:
        _, _, port_and_path = handle.url.partition("127.0.0.1:")
        port, _, path = port_and_path.partition("/")
        with socket.create_connection(("127.0.0.1", int(port))) as client:
            client.sendall(f"GET /{path} HTTP/1.1\r\n\r\n".encode())
            assert client.recv(1000)
    assert not handle.delivered


async def test_an_agent_that_blocks_the_event_loop_is_served() -> None:
    async with WebPageSurface().inject(payload=order_payload()) as handle:
        assert ORDER in everything(fetch(handle.url))
